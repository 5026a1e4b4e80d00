/* A first schema from public records: the scan counts, the rules judge, and here the judgements
 * become JSON with a remark wherever a person should look. What comes out went through the parser
 * like any other schema, so it is sound. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_read.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/options_defaults.h"
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
  draft_sides sides;
  draft_kind *kinds;
  json_t *remarks;
} draft;

static void draft_clear(draft *d) {
  draft_scan_clear(&d->scan);
  free(d->kinds);
  json_decref(d->remarks);
}

static dperm_status no_memory(dperm_error *err) {
  FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while drafting a schema");
}

/* A piece of JSON goes to the caller; without it memory ran out while it was made. */
static dperm_status give(json_t *made, json_t **out, dperm_error *err) {
  *out = made;
  return made ? DPERM_OK : no_memory(err);
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

/* Why a column is ignored; NULL for kinds that are used. */
static const char *const why_ignored[] = {
    [DRAFT_EMPTY] = "no value at all: ignored",
    [DRAFT_CONSTANT] = "one value only: ignored",
    [DRAFT_IDENTIFIER] = "nearly every value is different, as identifiers are: ignored",
    [DRAFT_DATE] =
        "dates or times: ignored; a number made from them, such as an age, could be used",
    [DRAFT_AMOUNT] =
        "numbers with commas, signs or units: ignored; written plainly (1234.5) they could be used",
    [DRAFT_EXTREME] = "numbers too large, too small or too close together for bounds: ignored",
    [DRAFT_MANY] =
        ("too many different values (free text, names, postal codes?): ignored; put into "
         "a few public groups they could be used"),
    [DRAFT_LEAK] = ("decides the label alone, so it may be known only after it: ignored; use it if "
                    "it is known before")};

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
    if (i != d->scan.label && !why_ignored[d->kinds[i]] && better &&
        agree(&d->scan.columns[i], &d->scan.columns[at])) {
      return i;
    }
  }
  return at;
}

/* ---- numeric columns */

static void remark_number(draft *d, size_t at, const draft_range *range) {
  const draft_column *column = &d->scan.columns[at];
  const draft_numbers *n = &column->numbers;
  size_t distinct = column->uncounted ? SIZE_MAX : column->values.count;
  const double numbers[] = {n->min, n->max, range->min, range->max};
  char shown[4][DOUBLE_TEXT_SIZE], codes[96] = "";
  for (size_t i = 0; i < 4; i++) {
    (void)format_double(numbers[i], false, shown[i]);
  }
  if (n->whole && distinct <= WHOLE_FEW) {
    (void)snprintf(codes, sizeof codes,
                   "; %zu different numbers: if they are codes without an order, make it "
                   "categorical",
                   distinct);
  }
  bool identifier = n->whole && column->different && column->filled >= CHANCE_ROWS;
  if (range->min == n->min && range->max == n->max && !range->log1p && !codes[0] && !identifier) {
    return; /* from 0 to 1, 10 or 100: there is little to check */
  }
  draft_remark(
      &d->remarks, "column \"%.64s\": %s to %s seen, bounds %s to %s%s%s%s", name_of(d, at),
      shown[0], shown[1], shown[2], shown[3], range->log1p ? "; a long tail, so log1p" : "",
      identifier ? "; no number comes twice: if it is an identifier, ignore it" : "", codes);
}

static json_t *number_json(draft *d, size_t at) {
  const draft_numbers *n = &d->scan.columns[at].numbers;
  draft_range range = {n->min, n->max, false, false};
  if (d->kinds[at] == DRAFT_NUMBER) {
    (void)draft_range_of(n, &range);
    remark_number(d, at, &range);
  }
  return json_pack("{s:s, s:s, s:o, s:o, s:s*, s:s*, s:s*}", "name", name_of(d, at), "type",
                   "numeric", "min", json_of_number(range.min), "max", json_of_number(range.max),
                   "transform", range.log1p ? "log1p" : NULL, "scale",
                   range.center ? "center" : NULL, "bins",
                   d->kinds[at] == DRAFT_NUMBER ? "auto" : NULL); /* a flag needs none */
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

static void remark_categories(draft *d, size_t at, size_t rare, size_t strange) {
  const draft_column *column = &d->scan.columns[at];
  const char *name = name_of(d, at);
  size_t distinct = column->values.count;
  if (strange) {
    draft_remark(&d->remarks,
                 "column \"%.64s\": values that are not UTF-8 (%zu) are not listed; convert the "
                 "file (iconv -f latin1 -t utf-8)",
                 name, strange);
  }
  if (d->kinds[at] == DRAFT_GROUPS) {
    draft_remark(&d->remarks,
                 "column \"%.64s\": %zu of %zu values are rare (below 0.5 percent) and "
                 "stand together as \"%s\"",
                 name, rare, distinct, name_of_others(column));
    return;
  }
  if (column->numbers.count == column->filled) {
    draft_remark(&d->remarks, "column \"%.64s\": %s, taken as categories", name,
                 column->numbers.padded ? "numbers with leading zeros" : "two numbers");
  }
  if (rare) {
    draft_remark(&d->remarks,
                 "column \"%.64s\": %zu of %zu values are rare (below 0.5 "
                 "percent): consider \"groups\"",
                 name, rare, distinct);
  }
}

static json_t *plain_json(const char *name, const char *type) {
  return json_pack("{s:s, s:s}", "name", name, "type", type);
}

/* Of groups only the frequent values; none that is not UTF-8, as JSON cannot hold it. */
static dperm_status categories_json(draft *d, size_t at, json_t **out, dperm_error *err) {
  const draft_column *column = &d->scan.columns[at];
  bool group = d->kinds[at] == DRAFT_GROUPS;
  size_t all_rare = 0, all_strange = 0;
  OWNED_MEMORY draft_value *values = NULL;
  json_auto_t *into = group ? json_object() : json_array();
  TRY(draft_column_sorted(column, &values, err));
  for (size_t i = 0; i < column->values.count; i++) {
    const slice text = values[i].text;
    bool rare = values[i].count < draft_rare_below(column), strange = !is_utf8(text.start);
    all_rare += rare;
    all_strange += strange;
    if (!strange && !(rare && group)) {
      json_t *value = json_stringn(text.start, text.length);
      if ((group ? json_object_set_new(into, text.start, json_pack("[o]", value))
                 : json_array_append_new(into, value)) != 0) {
        return no_memory(err);
      }
    }
  }
  if (group && json_object_set_new(into, name_of_others(column), json_string("*")) != 0) {
    return no_memory(err);
  }
  remark_categories(d, at, all_rare, all_strange);
  bool none = !group && json_array_size(into) == 0;
  return give(none ? plain_json(name_of(d, at), "ignore")
                   : json_pack("{s:s, s:s, s:O}", "name", name_of(d, at), "type", "categorical",
                               group ? "groups" : "values", into),
              out, err);
}

/* ---- any column */

static void remark_gaps(draft *d, size_t at) {
  const draft_column *column = &d->scan.columns[at];
  uint64_t texts = column->filled - column->numbers.count;
  if (column->filled > 0 && column->missing > column->filled) {
    draft_remark(&d->remarks, "column \"%.64s\": missing in %.0f percent of the records",
                 name_of(d, at),
                 100.0 * (double)column->missing / (double)(column->missing + column->filled));
  }
  if (texts > 0 && column->numbers.count >= 4 * texts) {
    draft_remark(&d->remarks,
                 "column \"%.64s\": mostly numbers, but also texts such as \"%s\": if "
                 "they mean that there is none, list them as missing",
                 name_of(d, at), column->odd);
  }
}

static dperm_status column_json(draft *d, size_t at, json_t **out, dperm_error *err) {
  const char *name = name_of(d, at), *why = why_ignored[d->kinds[at]];
  if (at == d->scan.label) {
    return give(plain_json(name, "label"), out, err);
  }
  remark_gaps(d, at);
  if (why) {
    draft_remark(&d->remarks, "column \"%.64s\": %s", name, why);
    return give(plain_json(name, "ignore"), out, err);
  }
  bool number = is_number(d->kinds[at]);
  size_t twin = twin_of(d, at);
  if (twin != at) {
    draft_remark(&d->remarks, "column \"%.64s\": goes one to one with column \"%.64s\": ignored%s",
                 name, name_of(d, twin),
                 is_number(d->kinds[twin]) && !number
                     ? "; if the numbers there have no order, ignore that one instead"
                     : "");
    return give(plain_json(name, "ignore"), out, err);
  }
  return number ? give(number_json(d, at), out, err) : categories_json(d, at, out, err);
}

static void judge_columns(draft *d) {
  for (size_t i = 0; i < d->scan.column_count; i++) {
    const draft_column *column = &d->scan.columns[i];
    /* a column that cannot be listed must not stand in for another */
    d->kinds[i] = is_utf8(name_of(d, i)) ? draft_judge(column, name_of(d, i)) : DRAFT_EMPTY;
    if (!why_ignored[d->kinds[i]] && decides_label(d, column)) {
      d->kinds[i] = DRAFT_LEAK;
    }
  }
}

static dperm_status columns_json(draft *d, json_t **list, dperm_error *err) {
  judge_columns(d);
  for (size_t i = 0; i < d->scan.column_count; i++) {
    if (is_utf8(name_of(d, i))) {
      json_t *column = NULL;
      TRY(column_json(d, i, &column, err));
      json_append(list, column);
    } else { /* only a header can have such a name: then it need not be listed */
      draft_remark(&d->remarks,
                   "column %zu: its name is not UTF-8, so it is left out; convert the file "
                   "(iconv -f latin1 -t utf-8)",
                   i + 1);
    }
  }
  return DPERM_OK;
}

/* ---- the whole */

/* All given texts; of the usual ones those that occur, and "", which is the schema's own default.
 */
static dperm_status missing_json(draft *d, bool given, json_t **list, dperm_error *err) {
  for (size_t i = 0; i < d->scan.marker_count; i++) {
    const char *marker = d->scan.markers[i];
    uint64_t count = d->scan.marker_counts[i];
    bool usual = given || marker[0] == '\0';
    if (!usual && !count) {
      continue;
    }
    if (!is_utf8(marker)) {
      FAIL(err, DPERM_INVALID_ARGUMENT, "a missing text is not UTF-8; give one that is");
    }
    json_append(list, json_string(marker));
    if (!usual) {
      draft_remark(&d->remarks,
                   "\"%s\" is taken for a missing value (%llu times); a list of missing texts "
                   "says otherwise",
                   marker, (unsigned long long)count);
    }
  }
  return DPERM_OK;
}

static void remark_file(draft *d) {
  draft_remark(&d->remarks,
               "the draft looked at the records: use it only if they are public; bounds and "
               "categories must come from what is known about the population");
  if (d->scan.rows < FEW_ROWS) {
    draft_remark(&d->remarks, "%zu records are few to guess from", d->scan.rows);
  }
  if (d->scan.separator_guessed) {
    draft_remark(&d->remarks, "the separator is taken to be %s",
                 d->scan.separator == '\t'  ? "a tab"
                 : d->scan.separator == ';' ? "a semicolon"
                                            : "a vertical bar");
  }
  if (d->scan.header_guessed) {
    draft_remark(&d->remarks, "the first line is taken for %s unless you say otherwise",
                 d->scan.header ? "a header" : "a record");
  }
}

static dperm_status draft_json(draft *d, const dperm_draft_options *options, json_t **out,
                               dperm_error *err) {
  json_auto_t *missing = json_array(), *label = NULL, *columns = json_array();
  const char separator[2] = {d->scan.separator, '\0'};
  if (!is_utf8(name_of(d, d->scan.label))) {
    FAIL(err, DPERM_INVALID_DATA,
         "%s: the name of the label's column is not UTF-8, as a schema is; convert the file (iconv "
         "-f latin1 -t utf-8)",
         path_for_people(d->scan.path));
  }
  remark_file(d);
  TRY(missing_json(d, options->missing != NULL, &missing, err));
  TRY(draft_label(&d->scan, options, &d->remarks, &d->sides, &label, err));
  TRY(columns_json(d, &columns, err));
  return give(json_pack("{s:b, s:s*, s:O, s:s, s:b, s:s, s:O, s:O}", "header", d->scan.header,
                        "separator", *separator == ',' ? NULL : separator, "missing", missing,
                        "on_missing", "zero", "intercept", true, "rows", "clip", "label", label,
                        "columns", columns),
              out, err);
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

dperm_status dperm_schema_draft(const char *path, const dperm_draft_options *given,
                                const dperm_progress *progress, dperm_remark *remark, void *context,
                                dperm_schema **out, dperm_error *err) {
  dperm_draft_options options;
  TRY(options_take(DPERM_OPTIONS_DRAFT, given, &options, err));
  TRY(check_options(path, &options, err));
  OWNED(draft_clear) draft d = {.remarks = json_array()};
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  json_auto_t *json = NULL;
  TRY(draft_scan_file(path, &options, progress, &d.scan, err));
  TRY(memory_new(d.scan.column_count, sizeof *d.kinds, &d.kinds, err));
  TRY(draft_json(&d, &options, &json, err));
  TRY(schema_from_json(json, "the draft", &schema, err));
  if (dperm_schema_dims(schema) == 1) {
    draft_remark(&d.remarks, "no column is left to learn from: see why each is ignored");
  }
  if (!d.remarks) {
    return no_memory(err);
  }
  for (size_t i = 0; remark && i < json_array_size(d.remarks); i++) {
    remark(context, json_string_value(json_array_get(d.remarks, i)));
  }
  *out = schema;
  schema = NULL;
  return DPERM_OK;
}
