/* Lists of values in a data dictionary: as lists, as pairs of truths, or as a regular expression
 * that is nothing but a list of words. */
#include <stdio.h>

#include "base/lookup.h"
#include "base/memory.h"
#include "base/owned.h"
#include "draft/dictionary.h"

/* A new reference: the scalar as a CSV file has it; NULL if it is none. */
static json_t *text_of(const json_t *given, bool *scalar) {
  char text[DOUBLE_TEXT_SIZE] = "";
  *scalar = true;
  if (json_is_string(given)) {
    return json_stringn_nocheck(json_string_value(given), json_string_length(given));
  }
  if (json_is_integer(given)) {
    (void)snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(given));
  } else if (json_is_real(given)) {
    (void)format_double(json_real_value(given), false, text);
  } else if (json_is_boolean(given)) {
    (void)snprintf(text, sizeof text, "%s", json_is_true(given) ? "true" : "false");
  } else {
    *scalar = false;
    return NULL;
  }
  return json_string(text);
}

/* `*seen` has what the list holds. */
static dperm_status append(json_t **list, lookup *seen, const json_t *given, dperm_error *err) {
  bool scalar = false, added = false;
  json_auto_t *text =
      text_of(json_is_object(given) ? json_object_get(given, "value") : given, &scalar);
  if (!scalar) {
    return DPERM_OK;
  }
  TRY(json_made(text, &text, err));
  TRY(lookup_add(seen, slice_of(json_string_value(text)), 0, &added, err));
  if (added) {
    json_append(list, json_incref(text));
  }
  return json_made(*list, list, err);
}

dperm_status dictionary_list(const json_t *given, json_t **out, dperm_error *err) {
  json_auto_t *list = NULL;
  OWNED(lookup_clear) lookup seen = {0};
  TRY(json_made(json_array(), &list, err));
  for (size_t i = 0; i < json_array_size(given); i++) {
    TRY(append(&list, &seen, json_array_get(given, i), err));
  }
  if (!json_is_array(given)) {
    TRY(append(&list, &seen, given, err));
  }
  *out = list;
  list = NULL;
  return DPERM_OK;
}

dperm_status dictionary_categories(const json_t *given, json_t **out, dperm_error *err) {
  json_auto_t *list = NULL;
  TRY(dictionary_list(given, &list, err));
  json_t *made = json_array();
  for (size_t i = 0; i < json_array_size(list); i++) {
    json_append(&made, json_pack("[O]", json_array_get(list, i)));
  }
  return json_made(made, out, err);
}

dperm_status dictionary_truths(const json_t *false_texts, const json_t *true_texts, json_t **out,
                               dperm_error *err) {
  json_auto_t *falses = NULL, *trues = NULL;
  TRY(dictionary_list(false_texts, &falses, err));
  TRY(dictionary_list(true_texts, &trues, err));
  bool sound = json_array_size(falses) > 0 && json_array_size(trues) > 0;
  OWNED(lookup_clear) lookup seen = {0};
  for (size_t side = 0; side < 2; side++) {
    const json_t *texts = side ? trues : falses;
    for (size_t i = 0; sound && i < json_array_size(texts); i++) {
      TRY(lookup_add(&seen, slice_of(json_string_value(json_array_get(texts, i))), 0, &sound, err));
    }
  }
  if (!sound) {
    *out = NULL;
    return DPERM_OK;
  }
  return json_made(json_pack("[O, O]", falses, trues), out, err);
}

static bool is_punctuation(char c) {
  return c != '\0' && strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ ", c);
}

/* "[MF]": printable ASCII without ranges. */
static bool is_letter_class(slice s) {
  bool plain = s.length >= 4 && s.start[0] == '[' && s.start[s.length - 1] == ']';
  for (size_t i = 1; plain && i + 1 < s.length; i++) {
    plain = s.start[i] > ' ' && s.start[i] < 0x7f && !strchr("^-\\[]", s.start[i]);
  }
  return plain;
}

/* The expression between anchors and parentheses around all of it; both anchors, or none. */
static bool unwrap(slice *s) {
  bool begins = s->length > 0 && s->start[0] == '^';
  bool ends = s->length > 1 && s->start[s->length - 1] == '$' && s->start[s->length - 2] != '\\';
  if (begins != ends) {
    return false;
  }
  s->start += begins;
  s->length -= (size_t)begins + (size_t)ends;
  size_t open = s->length > 3 && strncmp(s->start, "(?:", 3) == 0 ? 3
                : s->length > 1 && s->start[0] == '('             ? 1
                                                                  : 0;
  if (open > 0 && s->start[s->length - 1] == ')' && s->start[s->length - 2] != '\\') {
    s->start += open;
    s->length -= open + 1;
    return true;
  }
  return !begins || is_letter_class(*s); /* "^a|b$" is two expressions, with an anchor each */
}

/* Appends the letters of a class, each a word. */
static void append_letters(json_t **words, slice s) {
  for (size_t i = 1; i + 1 < s.length; i++) {
    json_append(words, json_stringn(s.start + i, 1));
  }
}

/* Appends words between bars; false as soon as one is more than letters, as they stand or behind a
 * backslash. `word` has space for all of it. */
static bool append_words(json_t **words, slice s, char *word) {
  size_t length = 0;
  for (size_t i = 0; i <= s.length; i++) {
    char c = '|';
    if (i < s.length) {
      c = s.start[i];
    }
    if (c == '|') {
      if (length == 0) {
        return false;
      }
      json_append(words, json_stringn_nocheck(word, length));
      length = 0;
      continue;
    }
    if (c == '\\') {
      if (++i == s.length || !is_punctuation(s.start[i])) {
        return false; /* \d and the like, or nothing */
      }
      c = s.start[i];
    } else if (strchr(".*+?()[]{}^$", c)) {
      return false;
    }
    word[length++] = c;
  }
  return true;
}

dperm_status dictionary_pattern(const char *pattern, json_t **out, dperm_error *err) {
  slice s = slice_of(pattern);
  json_auto_t *words = json_array();
  OWNED_MEMORY char *word = NULL;
  *out = NULL;
  TRY(memory_new(s.length + 1, 1, &word, err));
  if (!unwrap(&s)) {
    return DPERM_OK;
  }
  if (is_letter_class(s)) {
    append_letters(&words, s);
  } else if (!append_words(&words, s, word)) {
    return DPERM_OK;
  }
  TRY(json_made(words, &words, err));
  return json_array_size(words) > 1 ? dictionary_categories(words, out, err) : DPERM_OK;
}
