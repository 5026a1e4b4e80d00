/* A first schema from public records: the scan counts, the rules judge, and here the judgements
 * become JSON with a remark wherever a person should look. What comes out went through the parser
 * like any other schema, so it is sound. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_read.h"
#include "base/memory.h"
#include "base/sized.h"
#include "draft/draft_label.h"
#include "draft/draft_rules.h"
#include "schema/schema.h"

enum {
  FEW_ROWS = 100,       /* a draft from fewer is a guess from a guess */
  CHANCE_ROWS = 20,     /* in fewer rows a column decides the label, or another one, by chance */
  CHANCE_PER_VALUE = 5, /* and with fewer rows a value too */
  WHOLE_FEW = 12        /* so few whole numbers may be codes */
};

typedef struct draft {
  draft_scan scan;
  draft_remarks remarks;
  draft_sides sides;
  draft_kind *kinds;
  json_t *root, *columns;
} draft;

static dperm_status no_memory(dperm_error *err) {
  FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while drafting a schema");
}

/* Takes the value over, NULL too: then memory ran out while it was made. */
static dperm_status set(json_t *object, const char *key, json_t *value, dperm_error *err) {
  return json_object_set_new(object, key, value) == 0 ? DPERM_OK : no_memory(err);
}

static json_t *json_of_number(double x) {
  return x == floor(x) && fabs(x) <= 1e15 ? json_integer((json_int_t)x) : json_real(x);
}

static bool is_utf8(const char *text) {
  json_t *value = json_string(text);
  json_decref(value);
  return value != NULL;
}

static const char *name_of(const draft *d, size_t at) {
  return d->scan.names[at];
}

/* ---- columns that say nothing new */

/* Every value stands beside one class only: the label itself under another name, more often than
 * not, and not known when a prediction is wanted. */
static bool decides_label(const draft *d, const draft_column *column) {
  size_t distinct = column->values.count;
  if (column->uncounted || distinct < 2 || column->filled < CHANCE_ROWS ||
      column->filled < CHANCE_PER_VALUE * distinct ||
      !draft_one_sided(column->missing_labels, &d->sides)) {
    return false;
  }
  for (size_t i = 0; i < distinct; i++) {
    if (!draft_one_sided(column->tallies[i].labels, &d->sides)) {
      return false;
    }
  }
  return true;
}

static bool is_used(draft_kind kind) {
  return kind == DRAFT_FLAG || kind == DRAFT_NUMBER || kind == DRAFT_CATEGORIES ||
         kind == DRAFT_GROUPS;
}

/* The same values row by row, or values that go one to one and come back often enough for that not
 * to be chance: two columns without repetitions always do. */
static bool agree(const draft_column *a, const draft_column *b) {
  bool repeated = !a->uncounted && !b->uncounted && a->filled >= CHANCE_PER_VALUE * a->values.count;
  return a->filled >= CHANCE_ROWS &&
         (a->text_hash == b->text_hash || (repeated && a->code_hash == b->code_hash));
}

static bool is_number(draft_kind kind) {
  return kind == DRAFT_FLAG || kind == DRAFT_NUMBER;
}

/* The column to use instead of this one, or `at` itself. A number goes before categories: it needs
 * one weight, they need one each, and noise grows with the number of weights. Else the first goes
 * before the second. */
static size_t twin_of(const draft *d, size_t at) {
  bool number = is_number(d->kinds[at]);
  for (size_t i = 0; i < d->scan.column_count; i++) {
    bool better = is_number(d->kinds[i]) == number ? i < at : !number;
    if (i != d->scan.label && is_used(d->kinds[i]) && better &&
        agree(&d->scan.columns[i], &d->scan.columns[at])) {
      return i;
    }
  }
  return at;
}

/* ---- numeric columns */

static dperm_status remark_number(draft *d, size_t at, const draft_range *range, dperm_error *err) {
  const draft_column *column = &d->scan.columns[at];
  const draft_numbers *n = &column->numbers;
  size_t distinct = column->uncounted ? SIZE_MAX : column->values.count;
  char low[DOUBLE_TEXT_SIZE], high[DOUBLE_TEXT_SIZE], min[DOUBLE_TEXT_SIZE], max[DOUBLE_TEXT_SIZE];
  char codes[96] = "";
  (void)format_double(n->min, false, low);
  (void)format_double(n->max, false, high);
  (void)format_double(range->min, false, min);
  (void)format_double(range->max, false, max);
  if (n->whole && distinct <= WHOLE_FEW) {
    (void)snprintf(codes, sizeof codes,
                   "; %zu different numbers: if they are codes without an order, make it "
                   "categorical",
                   distinct);
  }
  bool identifier = n->whole && column->different && column->filled >= CHANCE_ROWS;
  if (range->min == n->min && range->max == n->max && !range->log1p && !codes[0] && !identifier) {
    return DPERM_OK; /* from 0 to 1, 10 or 100: there is little to check */
  }
  return draft_remark(
      &d->remarks, err, "column \"%.64s\": %s to %s seen, bounds %s to %s%s%s%s", name_of(d, at),
      low, high, min, max, range->log1p ? "; a long tail, so log1p" : "",
      identifier ? "; no number comes twice: if it is an identifier, ignore it" : "", codes);
}

static dperm_status put_number(draft *d, size_t at, json_t *object, dperm_error *err) {
  const draft_numbers *n = &d->scan.columns[at].numbers;
  draft_range range = {n->min, n->max, false, false};
  if (d->kinds[at] == DRAFT_NUMBER) {
    (void)draft_range_of(n, &range);
    TRY(remark_number(d, at, &range, err));
  }
  TRY(set(object, "type", json_string("numeric"), err));
  TRY(set(object, "min", json_of_number(range.min), err));
  TRY(set(object, "max", json_of_number(range.max), err));
  if (range.log1p) {
    TRY(set(object, "transform", json_string("log1p"), err));
  }
  return range.center ? set(object, "scale", json_string("center"), err) : DPERM_OK;
}

/* ---- categorical columns */

/* A name for the group of all others that no value has. */
static const char *name_of_others(const draft_column *column) {
  static const char *const names[] = {"other", "(other)", "all other values", "*"};
  size_t i = 0;
  while (i < 3 && lookup_find(&column->values, slice_of(names[i])) != LOOKUP_NONE) {
    i++;
  }
  return names[i];
}

static dperm_status put_category(json_t *into, slice text, bool group, dperm_error *err) {
  json_t *value = json_stringn(text.start, text.length);
  if (value && group) {
    value = json_pack("[o]", value);
  }
  if (!value || (group ? json_object_set_new(into, text.start, value)
                       : json_array_append_new(into, value)) != 0) {
    return no_memory(err);
  }
  return DPERM_OK;
}

typedef struct category_counts {
  size_t rare, strange; /* below the share; not UTF-8, so that JSON cannot hold them */
} category_counts;

static dperm_status put_values(const draft_column *column, const draft_value *values, bool group,
                               json_t *into, category_counts *counts, dperm_error *err) {
  uint64_t below = draft_rare_below(column);
  for (size_t i = 0; i < column->values.count; i++) {
    bool rare = values[i].tally.count < below, strange = !is_utf8(values[i].text.start);
    counts->rare += rare;
    counts->strange += strange;
    if (!strange && !(rare && group)) {
      TRY(put_category(into, values[i].text, group, err));
    }
  }
  return group ? set(into, name_of_others(column), json_string("*"), err) : DPERM_OK;
}

static dperm_status remark_categories(draft *d, size_t at, const category_counts *counts,
                                      dperm_error *err) {
  const draft_column *column = &d->scan.columns[at];
  const char *name = name_of(d, at);
  size_t distinct = column->values.count;
  if (counts->strange) {
    TRY(draft_remark(
        &d->remarks, err,
        "column \"%.64s\": values that are not UTF-8 (%zu) are not listed; convert the "
        "file (iconv -f latin1 -t utf-8)",
        name, counts->strange));
  }
  if (d->kinds[at] == DRAFT_GROUPS) {
    return draft_remark(&d->remarks, err,
                        "column \"%.64s\": %zu of %zu values are rare (below 0.5 percent) and "
                        "stand together as \"%s\"",
                        name, counts->rare, distinct, name_of_others(column));
  }
  if (column->numbers.count == column->filled) {
    TRY(draft_remark(&d->remarks, err, "column \"%.64s\": %s, taken as categories", name,
                     column->numbers.padded ? "numbers with leading zeros" : "two numbers"));
  }
  return counts->rare ? draft_remark(&d->remarks, err,
                                     "column \"%.64s\": %zu of %zu values are rare (below 0.5 "
                                     "percent): consider \"groups\"",
                                     name, counts->rare, distinct)
                      : DPERM_OK;
}

static dperm_status put_categories(draft *d, size_t at, json_t *object, dperm_error *err) {
  dperm_status status = DPERM_OK;
  const draft_column *column = &d->scan.columns[at];
  bool group = d->kinds[at] == DRAFT_GROUPS;
  draft_value *values = NULL;
  json_t *into = group ? json_object() : json_array();
  category_counts counts = {0, 0};
  if (!into) {
    TRY_OR_DONE(no_memory(err));
  }
  TRY_OR_DONE(draft_column_sorted(column, &values, err));
  TRY_OR_DONE(put_values(column, values, group, into, &counts, err));
  TRY_OR_DONE(remark_categories(d, at, &counts, err));
  if (!group && json_array_size(into) == 0) {
    TRY_OR_DONE(set(object, "type", json_string("ignore"), err));
    goto done;
  }
  TRY_OR_DONE(set(object, "type", json_string("categorical"), err));
  TRY_OR_DONE(set(object, group ? "groups" : "values", json_incref(into), err));
done:
  json_decref(into);
  free(values);
  return status;
}

/* ---- any column */

static const char *why_ignored(draft_kind kind) {
  switch (kind) {
  case DRAFT_EMPTY:
    return "no value at all: ignored";
  case DRAFT_CONSTANT:
    return "one value only: ignored";
  case DRAFT_IDENTIFIER:
    return "nearly every value is different, as identifiers are: ignored";
  case DRAFT_DATE:
    return "dates or times: ignored; a number made from them, such as an age, could be used";
  case DRAFT_AMOUNT:
    return "numbers with commas, signs or units: ignored; written plainly (1234.5) they could be "
           "used";
  case DRAFT_EXTREME:
    return "numbers too large, too small or too close together for bounds: ignored";
  case DRAFT_MANY:
    return "too many different values (free text, names, postal codes?): ignored; put into a few "
           "public groups they could be used";
  case DRAFT_LEAK:
    return "decides the label alone, so it may be known only after it: ignored; use it if it is "
           "known before";
  case DRAFT_FLAG:
  case DRAFT_NUMBER:
  case DRAFT_CATEGORIES:
  case DRAFT_GROUPS:
    break;
  }
  return NULL;
}

static dperm_status remark_gaps(draft *d, size_t at, dperm_error *err) {
  const draft_column *column = &d->scan.columns[at];
  uint64_t texts = column->filled - column->numbers.count;
  if (column->filled > 0 && column->missing > column->filled) {
    TRY(draft_remark(&d->remarks, err, "column \"%.64s\": missing in %.0f percent of the records",
                     name_of(d, at),
                     100.0 * (double)column->missing / (double)(column->missing + column->filled)));
  }
  return texts > 0 && column->numbers.count >= 4 * texts
             ? draft_remark(&d->remarks, err,
                            "column \"%.64s\": mostly numbers, but also texts such as \"%s\": if "
                            "they mean that there is none, list them as missing",
                            name_of(d, at), column->odd)
             : DPERM_OK;
}

static dperm_status remark_twin(draft *d, size_t at, size_t twin, dperm_error *err) {
  bool cheaper = is_number(d->kinds[twin]) && !is_number(d->kinds[at]);
  return draft_remark(
      &d->remarks, err, "column \"%.64s\": goes one to one with column \"%.64s\": ignored%s",
      name_of(d, at), name_of(d, twin),
      cheaper ? "; if the numbers there have no order, ignore that one instead" : "");
}

static dperm_status fill_column(draft *d, size_t at, json_t *object, dperm_error *err) {
  TRY(set(object, "name", json_string(name_of(d, at)), err));
  if (at == d->scan.label) {
    return set(object, "type", json_string("label"), err);
  }
  const char *why = why_ignored(d->kinds[at]);
  size_t twin = why ? at : twin_of(d, at);
  TRY(remark_gaps(d, at, err));
  if (why) {
    TRY(draft_remark(&d->remarks, err, "column \"%.64s\": %s", name_of(d, at), why));
  } else if (twin != at) {
    TRY(remark_twin(d, at, twin, err));
  }
  if (why || twin != at) {
    return set(object, "type", json_string("ignore"), err);
  }
  return is_number(d->kinds[at]) ? put_number(d, at, object, err)
                                 : put_categories(d, at, object, err);
}

static void judge_columns(draft *d) {
  for (size_t i = 0; i < d->scan.column_count; i++) {
    const draft_column *column = &d->scan.columns[i];
    /* a column that cannot be listed must not stand in for another */
    d->kinds[i] = is_utf8(name_of(d, i)) ? draft_judge(column, name_of(d, i)) : DRAFT_EMPTY;
    if (is_used(d->kinds[i]) && decides_label(d, column)) {
      d->kinds[i] = DRAFT_LEAK;
    }
  }
}

static dperm_status put_columns(draft *d, dperm_error *err) {
  judge_columns(d);
  for (size_t i = 0; i < d->scan.column_count; i++) {
    if (!is_utf8(
            name_of(d, i))) { /* only a header can have such a name: then it need not be listed */
      TRY(draft_remark(&d->remarks, err,
                       "column %zu: its name is not UTF-8, so it is left out; convert the file "
                       "(iconv -f latin1 -t utf-8)",
                       i + 1));
      continue;
    }
    json_t *object = json_object();
    if (json_array_append_new(d->columns, object) != 0) {
      return no_memory(err);
    }
    TRY(fill_column(d, i, object, err));
  }
  return DPERM_OK;
}

/* ---- the whole */

static dperm_status put_missing(draft *d, const dperm_draft_options *options, dperm_error *err) {
  const char *const *markers = options->missing ? options->missing : draft_markers;
  json_t *list = json_array();
  TRY(set(d->root, "missing", list, err));
  for (size_t i = 0; options->missing ? i < options->missing_count : markers[i] != NULL; i++) {
    uint64_t count = d->scan.marker_counts[i];
    bool usual = options->missing || markers[i][0] == '\0'; /* the schema's own default */
    if (!usual && !count) {
      continue;
    }
    json_t *text = json_string(markers[i]);
    if (!text) {
      FAIL(err, DPERM_INVALID_ARGUMENT, "a missing text is not UTF-8; give one that is");
    }
    if (json_array_append_new(list, text) != 0) {
      return no_memory(err);
    }
    if (!usual) {
      TRY(draft_remark(&d->remarks, err,
                       "\"%s\" is taken for a missing value (%llu times); a list of missing texts "
                       "says otherwise",
                       markers[i], (unsigned long long)count));
    }
  }
  return DPERM_OK;
}

static dperm_status remark_file(draft *d, dperm_error *err) {
  TRY(draft_remark(&d->remarks, err,
                   "the draft looked at the records: use it only if they are public; bounds and "
                   "categories must come from what is known about the population"));
  if (d->scan.rows < FEW_ROWS) {
    TRY(draft_remark(&d->remarks, err, "%zu records are few to guess from", d->scan.rows));
  }
  if (d->scan.separator_guessed) {
    TRY(draft_remark(&d->remarks, err, "the separator is taken to be %s",
                     d->scan.separator == '\t'  ? "a tab"
                     : d->scan.separator == ';' ? "a semicolon"
                                                : "a vertical bar"));
  }
  return d->scan.header_guessed
             ? draft_remark(&d->remarks, err,
                            "the first line is taken for %s unless you say otherwise",
                            d->scan.header ? "a header" : "a record")
             : DPERM_OK;
}

static dperm_status put_everything(draft *d, const dperm_draft_options *options, dperm_error *err) {
  json_t *label = NULL;
  const char separator[2] = {d->scan.separator, '\0'};
  if (!is_utf8(name_of(d, d->scan.label))) {
    FAIL(err, DPERM_INVALID_DATA,
         "%s: the name of the label's column is not UTF-8, as a schema is; convert the file (iconv "
         "-f latin1 -t utf-8)",
         path_for_people(d->scan.path));
  }
  TRY(remark_file(d, err));
  TRY(set(d->root, "header", json_boolean(d->scan.header), err));
  if (d->scan.separator != ',') {
    TRY(set(d->root, "separator", json_string(separator), err));
  }
  TRY(put_missing(d, options, err));
  TRY(set(d->root, "on_missing", json_string("zero"), err));
  TRY(set(d->root, "intercept", json_true(), err));
  TRY(set(d->root, "rows", json_string("clip"), err));
  TRY(draft_label(&d->scan, options, &d->remarks, &d->sides, &label, err));
  TRY(set(d->root, "label", label, err));
  TRY(set(d->root, "columns", json_incref(d->columns), err));
  return put_columns(d, err);
}

static dperm_status check_options(const char *path, const dperm_draft_options *options,
                                  dperm_error *err) {
  unsigned char separator = (unsigned char)options->separator;
  if (!path) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "the draft has no path; name a file");
  }
  if (separator && (separator > 0x7f || strchr("\"\r\n ", separator))) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "the separator must be one byte, such as a comma, a semicolon or a tab");
  }
  if (options->positive && options->positive_count == 0) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "the list of positive labels is empty; name at least one");
  }
  for (size_t i = 0; options->positive && i < options->positive_count; i++) {
    for (size_t j = 0; j < i; j++) {
      if (strcmp(options->positive[i], options->positive[j]) == 0) {
        FAIL(err, DPERM_INVALID_ARGUMENT, "positive label \"%.64s\" is given twice; keep one",
             options->positive[i]);
      }
    }
  }
  return DPERM_OK;
}

static const sized_struct options_struct = SIZED_STRUCT(dperm_draft_options, missing_count);
static const dperm_draft_options usual = {.header = -1};

void dperm_draft_options_init_sized(dperm_draft_options *options, size_t size) {
  sized_init(&options_struct, &usual, options, size);
}

dperm_status dperm_schema_draft(const char *path, const dperm_draft_options *given,
                                const dperm_progress *progress, dperm_remark *remark, void *context,
                                dperm_schema **out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  dperm_schema *schema = NULL;
  dperm_draft_options taken = usual, *options = &taken;
  TRY(sized_take(&options_struct, given, options, err));
  TRY(check_options(path, options, err));
  draft d = {.root = json_object(), .columns = json_array()};
  if (!d.root || !d.columns) {
    TRY_OR_DONE(no_memory(err));
  }
  TRY_OR_DONE(draft_scan_file(path, options, progress, &d.scan, err));
  TRY_OR_DONE(memory_new(d.scan.column_count, sizeof *d.kinds, &d.kinds, err));
  TRY_OR_DONE(put_everything(&d, options, err));
  TRY_OR_DONE(schema_from_json(d.root, "the draft", &schema, err));
  if (dperm_schema_dims(schema) == 1) {
    TRY_OR_DONE(
        draft_remark(&d.remarks, err, "no column is left to learn from: see why each is ignored"));
  }
  for (size_t i = 0; remark && i < d.remarks.count; i++) {
    remark(context, d.remarks.lines[i]);
  }
  *out = schema;
  schema = NULL;
done:
  dperm_schema_free(schema);
  json_decref(d.root);
  json_decref(d.columns);
  free(d.kinds);
  draft_remarks_clear(&d.remarks);
  draft_scan_clear(&d.scan);
  return status;
}
