/* Classes from the label's values: two by --positive, by custom (no/yes, 0/1), or the rarer value
 * is positive, as what one looks for usually is; a few more than two are a class each. */
#include "draft/draft_label.h"

#include <stdio.h>

#include "base/file_read.h"
#include "base/json_text.h"
#include "draft/draft_rules.h"

enum {
  SHOWN = 8, /* values in a message */
  MOST = 20  /* values that are classes each without anybody asking: each is a fit */
};

typedef struct label_choice {
  const dperm_draft_options *options;
  json_t **remarks;
  const char *path; /* of the file, for messages */
  const char *name; /* of the column */
  draft_value *values;
  size_t count, positives;
  bool several; /* every value is a class of its own */
} label_choice;

/* "a", "b" and 3 more */
static void list_values(const label_choice *choice, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < choice->count && i < SHOWN && used < size; i++) {
    used += (size_t)snprintf(out + used, size - used, "%s\"%.24s\"", i ? ", " : "",
                             choice->values[i].text.start);
  }
  if (choice->count > SHOWN && used < size) {
    (void)snprintf(out + used, size - used, " and %zu more", choice->count - SHOWN);
  }
}

static bool is_listed(slice text, const dperm_draft_options *options) {
  for (size_t i = 0; i < options->positive_count; i++) {
    if (slice_is(text, options->positive[i])) {
      return true;
    }
  }
  return false;
}

static dperm_status choose_listed(label_choice *choice, dperm_error *err) {
  char shown[512];
  list_values(choice, shown, sizeof shown);
  for (size_t i = 0; i < choice->count; i++) {
    choice->values[i].positive = is_listed(choice->values[i].text, choice->options);
    choice->positives += choice->values[i].positive;
  }
  if (choice->positives == 0 || choice->positives == choice->count) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%s: %s of the labels in column \"%.64s\" is positive; it holds %s: name some of them "
         "as positive",
         choice->path, choice->positives ? "every one" : "none", choice->name, shown);
  }
  if (choice->positives < choice->options->positive_count) {
    draft_remark(choice->remarks,
                 "column \"%.64s\": not all of the positive labels given occur in these "
                 "records: check their spelling",
                 choice->name);
  }
  return DPERM_OK;
}

static void choose_of_two(label_choice *choice) {
  draft_value *values = choice->values;
  int custom = draft_custom_label(values[0].text, values[1].text);
  size_t chosen = custom ? custom > 0 : values[1].count < values[0].count;
  values[chosen].positive = true;
  choice->positives = 1;
  draft_remark(choice->remarks,
               "column \"%.64s\": the label; \"%.64s\" is positive (%s) unless you "
               "say otherwise",
               choice->name, values[chosen].text.start, custom ? "by custom" : "the rarer value");
}

static dperm_status choose(label_choice *choice, dperm_error *err) {
  if (choice->count < 2) {
    FAIL(err, DPERM_INVALID_DATA,
         "%s: all labels in column \"%.64s\" are the same; name another column for it, or give "
         "records of both classes",
         choice->path, choice->name);
  }
  if (choice->options->positive) {
    return choose_listed(choice, err);
  }
  if (choice->count > MOST) {
    char shown[512];
    list_values(choice, shown, sizeof shown);
    FAIL(err, DPERM_INVALID_DATA,
         "%s: the label in column \"%.64s\" has %zu values: %s; more than %d are not taken for "
         "classes: name the positive values, and the rest becomes negative "
         "(\"*\"), or another column for the label",
         choice->path, choice->name, choice->count, shown, MOST);
  }
  choice->several = choice->count > 2;
  if (choice->several) {
    draft_remark(choice->remarks,
                 "column \"%.64s\": the label; its %zu values are classes, a fit of "
                 "epsilon/%zu each; naming positive ones makes two classes of them",
                 choice->name, choice->count, choice->count);
  } else {
    choose_of_two(choice);
  }
  return DPERM_OK;
}

/* ---- as JSON */

static dperm_status append_text(json_t **list, slice text, const label_choice *choice,
                                dperm_error *err) {
  json_t *value = json_stringn(text.start, text.length);
  if (!value) { /* as jansson says that it is not UTF-8 */
    FAIL(err, DPERM_INVALID_DATA,
         "%s: a label in column \"%.64s\" is not UTF-8, as a schema is; convert the file (iconv -f "
         "latin1 -t utf-8)",
         choice->path, choice->name);
  }
  json_append(list, value);
  return DPERM_OK;
}

/* Positive are the given texts, also those that do not occur here, or the chosen values; of several
 * classes none is. */
static dperm_status label_json(const label_choice *choice, json_t **out, dperm_error *err) {
  const dperm_draft_options *options = choice->options;
  bool rest = !choice->several && choice->count - choice->positives > 1;
  json_auto_t *positive = json_array(), *negative = rest ? json_string("*") : json_array();
  for (size_t i = 0; options->positive && i < options->positive_count; i++) {
    TRY(append_text(&positive, slice_of(options->positive[i]), choice, err));
  }
  for (size_t i = 0; i < choice->count; i++) {
    const draft_value *value = &choice->values[i];
    if (value->positive ? !options->positive : !rest) {
      TRY(append_text(value->positive ? &positive : &negative, value->text, choice, err));
    }
  }
  if (rest) {
    draft_remark(choice->remarks,
                 "column \"%.64s\": the label; all values but the positive ones are "
                 "negative (\"*\"), new and misspelt ones too",
                 choice->name);
  }
  *out = choice->several ? json_pack("{s:s, s:O}", "column", choice->name, "classes", negative)
                         : json_pack("{s:s, s:O, s:O}", "column", choice->name, "positive",
                                     positive, "negative", negative);
  return DPERM_OK;
}

static draft_sides sides_of(const label_choice *choice) {
  draft_sides sides = {.several = choice->several};
  for (size_t i = 0; i < choice->count; i++) {
    const draft_value *value = &choice->values[i];
    *(value->positive ? &sides.positive : &sides.negative) |= draft_label_bit(value->code);
  }
  return sides;
}

bool draft_one_sided(uint64_t labels, const draft_sides *sides) {
  if (sides->several) {
    return (labels & (labels - 1)) == 0;
  }
  return (labels & sides->positive) == 0 || (labels & sides->negative) == 0;
}

dperm_status draft_label(const draft_scan *scan, const dperm_draft_options *options,
                         json_t **remarks, draft_sides *sides, json_t **out, dperm_error *err) {
  const draft_column *column = &scan->columns[scan->label];
  OWNED_MEMORY draft_value *values = NULL;
  label_choice choice = {.options = options,
                         .remarks = remarks,
                         .path = path_for_people(scan->path),
                         .name = scan->names[scan->label],
                         .count = column->values.count};
  if (column->uncounted) {
    FAIL(err, DPERM_INVALID_DATA,
         "%s: column \"%.64s\" has too many different values for a label; name the label's column, "
         "and give it few values",
         choice.path, choice.name);
  }
  TRY(draft_column_sorted(column, &values, err));
  choice.values = values;
  TRY(choose(&choice, err));
  *sides = sides_of(&choice);
  return label_json(&choice, out, err);
}
