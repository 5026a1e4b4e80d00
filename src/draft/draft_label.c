/* Classes from the label's values: two by --positive, by custom (no/yes, 0/1), or the rarer value
 * is positive, as what one looks for usually is; a few more than two are a class each. */
#include "draft/draft_label.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_read.h"
#include "draft/draft_rules.h"

enum {
  SHOWN = 8, /* values in a message */
  MOST = 20  /* values that are classes each without anybody asking: each is a fit */
};

typedef struct label_choice {
  const char *path; /* of the file, for messages */
  const char *name; /* of the column */
  draft_value *values;
  size_t count;
  bool *positive; /* one per value */
  size_t positives;
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

static dperm_status choose_listed(label_choice *choice, const dperm_draft_options *options,
                                  draft_remarks *remarks, dperm_error *err) {
  char shown[512];
  list_values(choice, shown, sizeof shown);
  for (size_t i = 0; i < choice->count; i++) {
    choice->positive[i] = is_listed(choice->values[i].text, options);
    choice->positives += choice->positive[i];
  }
  if (choice->positives == 0 || choice->positives == choice->count) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%s: %s of the labels in column \"%.64s\" is positive; it holds %s: name some of them "
         "as positive",
         choice->path, choice->positives ? "every one" : "none", choice->name, shown);
  }
  return choice->positives < options->positive_count
             ? draft_remark(remarks, err,
                            "column \"%.64s\": not all of the positive labels given occur in these "
                            "records: check their spelling",
                            choice->name)
             : DPERM_OK;
}

static dperm_status choose_of_two(label_choice *choice, draft_remarks *remarks, dperm_error *err) {
  const draft_value *values = choice->values;
  int custom = draft_custom_label(values[0].text, values[1].text);
  size_t chosen = custom ? custom > 0 : values[1].tally.count < values[0].tally.count;
  choice->positive[chosen] = true;
  choice->positives = 1;
  return draft_remark(remarks, err,
                      "column \"%.64s\": the label; \"%.64s\" is positive (%s) unless you "
                      "say otherwise",
                      choice->name, values[chosen].text.start,
                      custom ? "by custom" : "the rarer value");
}

static dperm_status choose(label_choice *choice, const dperm_draft_options *options,
                           draft_remarks *remarks, dperm_error *err) {
  if (choice->count < 2) {
    FAIL(err, DPERM_INVALID_DATA,
         "%s: all labels in column \"%.64s\" are the same; name another column for it, or give "
         "records of both classes",
         choice->path, choice->name);
  }
  if (options->positive) {
    return choose_listed(choice, options, remarks, err);
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
  if (choice->count > 2) {
    choice->several = true;
    return draft_remark(remarks, err,
                        "column \"%.64s\": the label; its %zu values are classes, a fit of "
                        "epsilon/%zu each; naming positive ones makes two classes of them",
                        choice->name, choice->count, choice->count);
  }
  return choose_of_two(choice, remarks, err);
}

/* ---- as JSON */

static dperm_status no_memory(dperm_error *err) {
  FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while drafting a schema");
}

/* The given texts, or the chosen values, of one side. */
static dperm_status append_text(json_t *list, slice text, const label_choice *choice,
                                dperm_error *err) {
  json_t *value = json_stringn(text.start, text.length);
  if (!value) { /* as jansson says that it is not UTF-8 */
    FAIL(err, DPERM_INVALID_DATA,
         "%s: a label in column \"%.64s\" is not UTF-8, as a schema is; convert the file (iconv -f "
         "latin1 -t utf-8)",
         choice->path, choice->name);
  }
  return json_array_append_new(list, value) == 0 ? DPERM_OK : no_memory(err);
}

static dperm_status list_side(const label_choice *choice, bool positive,
                              const dperm_draft_options *options, json_t *list, dperm_error *err) {
  if (positive && options->positive) { /* also those that do not occur here */
    for (size_t i = 0; i < options->positive_count; i++) {
      TRY(append_text(list, slice_of(options->positive[i]), choice, err));
    }
    return DPERM_OK;
  }
  for (size_t i = 0; i < choice->count; i++) {
    if (choice->positive[i] == positive) {
      TRY(append_text(list, choice->values[i].text, choice, err));
    }
  }
  return DPERM_OK;
}

/* Every value a class. */
static dperm_status classes_json(const label_choice *choice, json_t **out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  json_t *list = json_array();
  for (size_t i = 0; i < choice->count; i++) {
    TRY_OR_DONE(append_text(list, choice->values[i].text, choice, err));
  }
  *out = json_pack("{s:s, s:O}", "column", choice->name, "classes", list);
  status = *out ? DPERM_OK : no_memory(err);
done:
  json_decref(list);
  return status;
}

static dperm_status label_json(const label_choice *choice, const dperm_draft_options *options,
                               draft_remarks *remarks, json_t **out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  bool rest = choice->count - choice->positives > 1;
  json_t *positive = json_array(), *negative = rest ? json_string("*") : json_array();
  TRY_OR_DONE(list_side(choice, true, options, positive, err));
  if (rest) {
    TRY_OR_DONE(draft_remark(remarks, err,
                             "column \"%.64s\": the label; all values but the positive ones are "
                             "negative (\"*\"), new and misspelt ones too",
                             choice->name));
  } else {
    TRY_OR_DONE(list_side(choice, false, options, negative, err));
  }
  *out = json_pack("{s:s, s:O, s:O}", "column", choice->name, "positive", positive, "negative",
                   negative);
  status = *out ? DPERM_OK : no_memory(err);
done:
  json_decref(positive);
  json_decref(negative);
  return status;
}

static draft_sides sides_of(const label_choice *choice) {
  draft_sides sides = {.several = choice->several};
  for (size_t i = 0; i < choice->count; i++) {
    size_t code = choice->values[i].code;
    uint64_t bit = UINT64_C(1) << (code < 63 ? code : 63);
    *(choice->positive[i] ? &sides.positive : &sides.negative) |= bit;
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
                         draft_remarks *remarks, draft_sides *sides, json_t **out,
                         dperm_error *err) {
  dperm_status status = DPERM_OK;
  const draft_column *column = &scan->columns[scan->label];
  label_choice choice = {.path = path_for_people(scan->path),
                         .name = scan->names[scan->label],
                         .count = column->values.count};
  if (column->uncounted) {
    FAIL(err, DPERM_INVALID_DATA,
         "%s: column \"%.64s\" has too many different values for a label; name the label's column, "
         "and give it few values",
         choice.path, choice.name);
  }
  TRY_OR_DONE(draft_column_sorted(column, &choice.values, err));
  choice.positive = calloc(choice.count + 1, sizeof *choice.positive);
  if (!choice.positive) {
    TRY_OR_DONE(no_memory(err));
  }
  TRY_OR_DONE(choose(&choice, options, remarks, err));
  TRY_OR_DONE(choice.several ? classes_json(&choice, out, err)
                             : label_json(&choice, options, remarks, out, err));
  *sides = sides_of(&choice);
done:
  free(choice.values);
  free(choice.positive);
  return status;
}
