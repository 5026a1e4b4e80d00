/* Classes from the label's values. */
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "draft/proposal.h"

enum {
  SHOWN = 8, /* values in a message */
  MOST = 20  /* values that are classes each without anybody asking: each is a fit */
};

static bool is_word(slice text, const char *word) {
  return text.length == strlen(word) && strncasecmp(text.start, word, text.length) == 0;
}

int draft_custom_label(slice first, slice second) {
  static const char *const pairs[][2] = {
      {"0", "1"}, {"-1", "1"},       {"-1", "+1"}, {"no", "yes"},  {"n", "y"},
      {"f", "t"}, {"false", "true"}, {"-", "+"},   {"neg", "pos"}, {"negative", "positive"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    if (is_word(first, pairs[i][0]) && is_word(second, pairs[i][1])) {
      return 1;
    }
    if (is_word(second, pairs[i][0]) && is_word(first, pairs[i][1])) {
      return -1;
    }
  }
  return 0;
}

static const char *first_text(const label_values *label, size_t at) {
  return json_string_value(json_array_get(json_array_get(label->categories, at), 0));
}

/* "a", "b" and 3 more */
static void list_values(const label_values *label, char *out, size_t size) {
  size_t used = 0, count = json_array_size(label->categories);
  for (size_t i = 0; i < count && i < SHOWN && used < size; i++) {
    used += (size_t)snprintf(out + used, size - used, "%s\"%.24s\"", i ? ", " : "",
                             first_text(label, i));
  }
  if (count > SHOWN && used < size) {
    (void)snprintf(out + used, size - used, " and %zu more", count - SHOWN);
  }
}

static dperm_status fail_label(const label_values *label, dperm_status status, dperm_error *err,
                               const char *format, ...) __attribute__((format(printf, 4, 5)));
static dperm_status fail_label(const label_values *label, dperm_status status, dperm_error *err,
                               const char *format, ...) {
  char words[1024];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(words, sizeof words, format, args);
  va_end(args);
  return label->doc ? json_fail_at(label->doc, label->place, err, "%s", words)
                    : error_set(err, status, "%s: %s", label->path, words);
}

/* The categories that hold one of the caller's texts are positive. */
static dperm_status choose_given(proposal *p, label_values *label, dperm_error *err) {
  size_t known = 0, positives = 0, count = json_array_size(label->categories);
  for (size_t i = 0; i < count; i++) {
    size_t held = 0;
    for (size_t t = 0; t < label->positive_count; t++) {
      held += json_holds_text(json_array_get(label->categories, i), label->positive[t]);
    }
    label->chosen[i] = held > 0;
    positives += held > 0;
    known += held;
  }
  bool unknown = known < label->positive_count;
  if (label->categories && (positives == count || positives == 0 || (unknown && !label->counts))) {
    char shown[512] = "";
    list_values(label, shown, sizeof shown);
    return fail_label(
        label, DPERM_INVALID_ARGUMENT, err,
        "%s of the labels in column \"%.64s\"; it %s %s: name some of them as positive",
        positives == count ? "the positive labels are all" : "a positive label is none",
        label->name, label->counts ? "holds" : "lists", shown);
  }
  if (unknown && label->counts) {
    proposal_remark(
        p, label->name,
        "not all of the positive labels given occur in these records: check their spelling");
  }
  return DPERM_OK;
}

static void choose_of_two(proposal *p, label_values *label) {
  int custom = label->truths ? 1
                             : draft_custom_label(slice_of(first_text(label, 0)),
                                                  slice_of(first_text(label, 1)));
  bool second = custom ? custom > 0 : label->counts ? label->counts[1] < label->counts[0] : true;
  label->chosen[second] = true;
  proposal_remark(p, label->name, "the label; \"%.64s\" is positive (%s) unless you say otherwise",
                  first_text(label, second),
                  custom          ? "by custom"
                  : label->counts ? "the rarer value"
                                  : "the second in the list");
}

/* Positive are the caller's texts, also those that were not seen, or those of the chosen
 * categories. Negative are the others; of values that were seen, where there are several, all that
 * may come. */
static json_t *label_json(proposal *p, const label_values *label) {
  size_t negatives = 0, count = json_array_size(label->categories);
  for (size_t i = 0; i < count; i++) {
    negatives += !label->chosen[i];
  }
  bool given = label->positive && (label->counts || !label->categories);
  bool rest = !label->several && (label->counts ? negatives > 1 : !label->categories);
  json_t *sides[] = {json_array(), json_array()};
  for (size_t t = 0; given && t < label->positive_count; t++) {
    json_append(&sides[1], json_string(label->positive[t]));
  }
  for (size_t i = 0; i < count; i++) {
    const json_t *texts = json_array_get(label->categories, i);
    bool side = label->chosen[i], taken = !(side ? given : rest);
    for (size_t t = 0; taken && t < json_array_size(texts); t++) {
      json_append(&sides[side], json_incref(json_array_get(texts, t)));
    }
  }
  if (label->several) {
    json_decref(sides[1]);
    return json_pack("{s:s, s:o}", "column", label->name, "classes", sides[0]);
  }
  if (rest) {
    json_decref(sides[0]);
    sides[0] = json_string("*");
    proposal_remark(p, label->name,
                    "the label; all values but the positive ones are negative (\"*\"), new and "
                    "misspelt ones too");
  }
  return json_pack("{s:s, s:o, s:o}", "column", label->name, "positive", sides[1], "negative",
                   sides[0]);
}

dperm_status proposal_add_label(proposal *p, label_values *label, dperm_error *err) {
  size_t count = json_array_size(label->categories);
  if (label->positive) {
    TRY(choose_given(p, label, err));
  } else if (count > MOST) {
    char shown[512] = "";
    list_values(label, shown, sizeof shown);
    return fail_label(
        label, DPERM_INVALID_DATA, err,
        "the label in column \"%.64s\" has %zu values: %s; more than %d are not taken "
        "for classes: name the positive values, and the rest becomes negative, or "
        "another column for the label",
        label->name, count, shown, MOST);
  } else if (count == 2) {
    choose_of_two(p, label);
  } else {
    label->several = true;
    proposal_remark(p, label->name,
                    "the label; its %zu values are classes, a fit of epsilon/%zu each; naming "
                    "positive ones makes two classes of them",
                    count, count);
  }
  return json_made(label_json(p, label), &p->label, err);
}
