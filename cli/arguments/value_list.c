/* See value_list.h. */
#define _DEFAULT_SOURCE /* strsep */
#include "arguments/value_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/arguments.h"

static bool same_value(const char *a, const char *b) {
  double x = 0, y = 0;
  return strcmp(a, b) == 0 || (read_number(a, &x) && read_number(b, &y) && x == y);
}

static bool split(const char *option, const char *text, const char *hint, word_list *out) {
  for (out->count = 0;; text++) {
    size_t length = strcspn(text, ",");
    if (out->count == LIST_MOST) {
      return refuse(wrong_usage("%s has more than %d values; give fewer", option, LIST_MOST));
    }
    if (length == 0 || length >= WORD_SIZE) {
      return refuse(wrong_usage("%s must be a list of values with commas between, not \"%.40s\"",
                                option, text));
    }
    char *word = out->words[out->count];
    memcpy(word, text, length);
    word[length] = '\0';
    for (size_t i = 0; i < out->count; i++) {
      if (same_value(out->words[i], word)) {
        return refuse(wrong_usage("%s has %s twice%s", option, word, hint));
      }
    }
    out->count++;
    text += length;
    if (*text == '\0') {
      return true;
    }
  }
}

bool word_list_has(const word_list *list, const char *word) {
  for (size_t i = 0; i < list->count; i++) {
    if (strcmp(list->words[i], word) == 0) {
      return true;
    }
  }
  return false;
}

bool word_lists_split(const char *const options[LISTS], const char *const texts[LISTS],
                      const char *hint, word_list out[LISTS]) {
  bool good = true;
  for (int i = 0; i < LISTS && good; i++) {
    good = split(options[i], texts[i] ? texts[i] : "-", hint, &out[i]);
  }
  return good;
}

size_t word_lists_combinations(const word_list lists[LISTS]) {
  size_t all = 1;
  for (int i = 0; i < LISTS; i++) {
    all = lists[i].count > SIZE_MAX / all ? SIZE_MAX : all * lists[i].count;
  }
  return all;
}

void word_lists_combination(const word_list lists[LISTS], size_t combination,
                            const char *words[LISTS]) {
  for (int i = LISTS - 1; i >= 0; i--) {
    words[i] = lists[i].words[combination % lists[i].count];
    combination /= lists[i].count;
  }
}

/* ---- class weights */

enum { WEIGHTS_MOST = 1000, TEXT_MOST = 1 << 16 };

/* A command has one such argument; options of many candidates point here. */
static char names[TEXT_MOST];
static dperm_class_weight weights[WEIGHTS_MOST];

static bool refuse_word(const char *word) {
  return refuse(
      wrong_usage("--class-weights must be NAME=W,NAME=W with public numbers above zero, not "
                  "\"%.40s\"%s",
                  word,
                  strcmp(word, "balanced") == 0
                      ? "; balanced weights would count the records, which is not private"
                      : ""));
}

bool class_weights_parse(const char *text, dperm_options *options) {
  size_t count = 0;
  if (strlen(text) >= sizeof names) {
    return refuse_word(text);
  }
  (void)snprintf(names, sizeof names, "%s", text);
  for (char *word = NULL, *rest = names; (word = strsep(&rest, ","));) {
    char *equals = strrchr(word, '='); /* the last: a class may be called "<=50K" */
    if (!equals || equals == word || count == WEIGHTS_MOST ||
        !read_number(equals + 1, &weights[count].weight) || !(weights[count].weight > 0)) {
      return refuse_word(word);
    }
    *equals = '\0';
    weights[count++].name = word;
  }
  options->class_weights = weights;
  options->class_weight_count = count;
  return true;
}

/* ---- texts */

const char **split_texts(const char *list, size_t *count) {
  size_t length = strlen(list) + 1;
  *count = 1;
  for (const char *c = list; *c; c++) {
    *count += *c == ',';
  }
  const char **texts = malloc(*count * sizeof *texts + length);
  char *at = texts ? memcpy(texts + *count, list, length) : NULL;
  for (size_t i = 0; texts && i < *count; i++) {
    texts[i] = at;
    at += strcspn(at, ",");
    *at++ = '\0';
  }
  return texts;
}
