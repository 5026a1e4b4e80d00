/* A first schema from public records: the scan counts, the rules judge, and here the judgements are
 * proposed, with a remark wherever a person should look. */
#include <stdio.h>

#include "base/file_read.h"
#include "base/memory.h"
#include "base/options_defaults.h"
#include "draft/draft_scan.h"

enum {
  FEW_ROWS = 100,       /* a draft from fewer is a guess from a guess */
  CHANCE_ROWS = 20,     /* in fewer rows a column decides the label, or another one, by chance */
  CHANCE_PER_VALUE = 5, /* and with fewer rows a value too */
  WHOLE_FEW = 12        /* so few whole numbers may be codes */
};

/* A column that is wrong about the label no more often alone, and no more often than this share of
 * what naming the most frequent class is, may be made from it. */
static const double leak_wrong = 0.02, leak_ratio = 0.1;

/* Which labels, as bits of a draft_tally, are of which class; the last bit may be of both. */
typedef struct label_sides {
  uint64_t bits[2]; /* negative, positive */
  bool several;     /* more classes than two: each bit is one of its own, but the last */
  bool number;      /* no classes: nothing is said of what decides it */
  bool *positive;   /* by a label's place in its tallies, where there are two classes */
  double rarer;     /* the share of records that are not of the most frequent class */
} label_sides;

typedef struct draft {
  draft_scan scan;
  label_sides sides;
  draft_kind *kinds;
  proposal p;
} draft;

static void draft_clear(draft *d) {
  draft_scan_clear(&d->scan);
  free(d->kinds);
  free(d->sides.positive);
  proposal_clear(&d->p);
}

/* ---- the label */

static dperm_status find_sides(label_sides *sides, const json_t *positive,
                               const draft_value *values, size_t count, dperm_error *err) {
  uint64_t most = 0, all = 0, positives = 0;
  sides->several = !positive;
  TRY(positive ? memory_new(count, sizeof *sides->positive, &sides->positive, err) : DPERM_OK);
  for (size_t i = 0; i < count; i++) {
    const bool side = json_holds_text(positive, values[i].text);
    sides->bits[side] |= draft_label_bit(values[i].code);
    all += values[i].count;
    positives += side ? values[i].count : 0;
    most = values[i].count > most ? values[i].count : most;
    if (positive) {
      sides->positive[values[i].code] = side;
    }
  }
  most = sides->several ? most : positives > all - positives ? positives : all - positives;
  sides->rarer = 1 - (double)most / (double)all;
  return DPERM_OK;
}

/* Numbers of which there are too many to be classes. */
static bool is_amount(const draft_column *column, size_t count, const label_values *label) {
  const bool few = count <= FEW_CLASSES || label->records >= RECORDS_PER_CLASS * count;
  return label->numbers && !label->positive && column->filled > 0 && (column->uncounted || !few);
}

static dperm_status add_label(draft *d, const dperm_draft_options *options, dperm_error *err) {
  const draft_column *column = &d->scan.columns[d->scan.label];
  const size_t count = column->values.count;
  OWNED_MEMORY draft_value *values = NULL;
  json_auto_t *categories = NULL;
  label_values label = {.path = path_for_people(d->scan.path),
                        .name = d->scan.names[d->scan.label],
                        .seen = true,
                        .records = d->scan.rows,
                        .numbers = column->numbers.count == column->filled,
                        .positive = options->positive,
                        .positive_count = options->positive_count};
  draft_range range;
  if (is_amount(column, count, &label) && draft_range_of(&column->numbers, &range)) {
    d->sides.number = true;
    return proposal_add_target(&d->p, label.name, range.min, range.max, err);
  }
  FAIL_IF(column->uncounted || count < 2, err, DPERM_INVALID_DATA,
          "%s: column \"%.64s\" has %s for a label; name the label's column, and give it few "
          "values, but more than one",
          label.path, label.name, count == 1 ? "one value only" : "too many different values");
  TRY(draft_column_sorted(column, &values, err));
  TRY(json_made(json_object(), &categories, err));
  for (size_t i = 0; i < count; i++) {
    json_set(&categories, values[i].text, json_pack("[s]", values[i].text));
  }
  TRY(json_made(categories, &categories, err));
  label.categories = categories;
  label.first_rarer = values[0].count <= values[1].count;
  TRY(proposal_add_label(&d->p, &label, err));
  const json_t *positive = json_object_get(d->p.label, "positive");
  return find_sides(&d->sides, positive, values, count, err);
}

/* Whether records with these labels are all of one class. */
static bool one_sided(uint64_t labels, const label_sides *sides) {
  return sides->several ? (labels & (labels - 1)) == 0 && labels >> 63 == 0
                        : (labels & sides->bits[0]) == 0 || (labels & sides->bits[1]) == 0;
}

/* ---- columns that say nothing new */

/* Every value stands beside one class only: the label itself under another name, more often than
 * not, and not known when a prediction is wanted. */
static bool decides_label(const draft *d, const draft_column *column) {
  size_t distinct = column->values.count;
  if (d->sides.number || column->uncounted || distinct < 2 || column->filled < CHANCE_ROWS ||
      column->filled < CHANCE_PER_VALUE * distinct ||
      !one_sided(column->missing.labels, &d->sides)) {
    return false;
  }
  for (size_t i = 0; i < distinct; i++) {
    if (!one_sided(column->tallies[i].labels, &d->sides)) {
      return false;
    }
  }
  return true;
}

/* Values that go one to one and come back often enough for that not to be chance: two columns
 * without repetitions always do. */
static bool agree(const draft_column *a, const draft_column *b) {
  bool repeated = !a->uncounted && !b->uncounted && a->filled >= CHANCE_PER_VALUE * a->values.count;
  return a->filled >= CHANCE_ROWS && repeated && a->code_hash == b->code_hash;
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
    if (i != d->scan.label && draft_is_used(d->kinds[i]) && better &&
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
    (void)snprintf(
        codes, sizeof codes,
        "; %zu different numbers: if they are codes without an order, make it categorical",
        distinct);
  }
  bool identifier = n->whole && column->different && column->filled >= CHANCE_ROWS;
  if (range->min == n->min && range->max == n->max && !range->log1p && !codes[0] && !identifier) {
    return; /* from 0 to 1, 10 or 100: there is little to check */
  }
  proposal_remark(&d->p, d->scan.names[at], "%s to %s seen, bounds %s to %s%s%s%s", shown[0],
                  shown[1], shown[2], shown[3], range->log1p ? "; a long tail, so log1p" : "",
                  identifier ? "; no number comes twice: if it is an identifier, ignore it" : "",
                  codes);
}

static void add_number(draft *d, size_t at) {
  const draft_numbers *n = &d->scan.columns[at].numbers;
  draft_range range = {n->min, n->max, false, false};
  if (d->kinds[at] == DRAFT_NUMBER) { /* a flag has its bounds */
    (void)draft_range_of(n, &range);
    remark_number(d, at, &range);
  }
  proposal_add_number(&d->p, d->scan.names[at], &range);
}

/* ---- categorical columns */

/* `others` is the name of the group of rare values. */
static void remark_categories(draft *d, size_t at, size_t rare, const char *others) {
  const draft_column *column = &d->scan.columns[at];
  const char *name = d->scan.names[at];
  size_t distinct = column->values.count;
  if (d->kinds[at] == DRAFT_GROUPS) {
    proposal_remark(&d->p, name,
                    "%zu of %zu values are rare (below 0.5 percent) and stand together as \"%s\"",
                    rare, distinct, others);
    return;
  }
  if (column->numbers.count == column->filled) {
    proposal_remark(&d->p, name, "%s, taken as categories",
                    column->numbers.padded ? "numbers with leading zeros"
                    : distinct == 2        ? "two numbers"
                                           : "numbers called like identifiers, but few");
  }
  if (rare) {
    proposal_remark(&d->p, name,
                    "%zu of %zu values are rare (below 0.5 percent): consider \"groups\"", rare,
                    distinct);
  }
}

/* Of groups only the frequent values. */
static dperm_status add_categories(draft *d, size_t at, dperm_error *err) {
  const draft_column *column = &d->scan.columns[at];
  const bool group = d->kinds[at] == DRAFT_GROUPS;
  size_t rare = 0;
  char others[32] = "other";
  OWNED_MEMORY draft_value *values = NULL;
  TRY(draft_column_sorted(column, &values, err));
  json_t *groups = json_object();
  for (size_t i = 0; i < column->values.count; i++) {
    const char *text = values[i].text;
    bool is_rare = values[i].count < draft_rare_below(column);
    rare += is_rare;
    if (!is_rare || !group) {
      json_set(&groups, text, json_pack("[s]", text));
    }
  }
  for (int i = 2; json_object_get(groups, others); i++) {
    (void)snprintf(others, sizeof others, "other %d", i);
  }
  remark_categories(d, at, rare, others);
  if (group) {
    json_set(&groups, others, json_string("*"));
  }
  proposal_add_categories(&d->p, d->scan.names[at], groups);
  return DPERM_OK;
}

/* ---- any column */

static void remark_gaps(draft *d, size_t at) {
  const draft_column *column = &d->scan.columns[at];
  uint64_t texts = column->filled - column->numbers.count;
  if (texts > 0 && column->numbers.count >= 4 * texts) {
    proposal_remark(&d->p, d->scan.names[at],
                    "mostly numbers, but also texts such as \"%s\": if they mean that there is "
                    "none, list them as missing",
                    column->odd);
  }
}

/* The label itself, nearly: more often than not it is made from what the label says. */
static dperm_status remark_leak(draft *d, size_t at, dperm_error *err) {
  double wrong = 0;
  const size_t labels = d->scan.columns[d->scan.label].values.count;
  if (d->sides.number) {
    return DPERM_OK;
  }
  TRY(draft_wrong_alone(&d->scan.columns[at], labels, d->sides.positive, &wrong, err));
  if (wrong <= leak_wrong && wrong <= leak_ratio * d->sides.rarer) {
    proposal_remark(&d->p, d->scan.names[at],
                    "tells the label by itself in %.4g percent of these records (always naming the "
                    "most frequent class: %.4g): if it is known only after the label, ignore it",
                    100 * (1 - wrong), 100 * (1 - d->sides.rarer));
  }
  return DPERM_OK;
}

static dperm_status add_column(draft *d, size_t at, dperm_error *err) {
  const char *name = d->scan.names[at];
  if (at == d->scan.label) {
    proposal_add_plain(&d->p, name, "label");
    return DPERM_OK;
  }
  remark_gaps(d, at);
  if (!draft_is_used(d->kinds[at])) {
    proposal_add_ignored(&d->p, name, d->kinds[at]);
    return DPERM_OK;
  }
  size_t twin = twin_of(d, at);
  if (twin != at) {
    proposal_remark(&d->p, name,
                    "goes one to one with column \"%.64s\": ignored, or ignore that one instead",
                    d->scan.names[twin]);
    proposal_add_plain(&d->p, name, "ignore");
    return DPERM_OK;
  }
  TRY(remark_leak(d, at, err));
  if (!is_number(d->kinds[at])) {
    return add_categories(d, at, err);
  }
  add_number(d, at);
  return DPERM_OK;
}

static dperm_status add_columns(draft *d, dperm_error *err) {
  TRY(memory_new(d->scan.column_count, sizeof *d->kinds, &d->kinds, err));
  for (size_t i = 0; i < d->scan.column_count; i++) {
    const draft_column *column = &d->scan.columns[i];
    d->kinds[i] = draft_judge(column, d->scan.names[i]);
    if (draft_is_used(d->kinds[i]) && decides_label(d, column)) {
      d->kinds[i] = DRAFT_LEAK;
    }
  }
  for (size_t i = 0; i < d->scan.column_count; i++) {
    TRY(add_column(d, i, err));
  }
  return DPERM_OK;
}

/* ---- the whole */

/* All given texts; of the usual ones those that occur, and "", the schema's own default. */
static void add_missing(draft *d, bool given) {
  for (size_t i = 0; i < d->scan.marker_count; i++) {
    const char *marker = d->scan.markers[i];
    uint64_t count = d->scan.marker_counts[i];
    bool usual = given || marker[0] == '\0';
    if (!usual && !count) {
      continue;
    }
    json_append(&d->p.missing, json_string(marker));
    if (!usual) {
      proposal_remark(&d->p, NULL,
                      "\"%s\" is taken for a missing value (%llu times); a list of missing texts "
                      "says otherwise",
                      marker, (unsigned long long)count);
    }
  }
}

static void remark_file(draft *d) {
  proposal_remark(&d->p, NULL,
                  "the draft looked at the records: use it only if they are public; bounds and "
                  "categories must come from what is known about the population");
  if (d->scan.rows < FEW_ROWS) {
    proposal_remark(&d->p, NULL, "%zu records are few to guess from", d->scan.rows);
  }
  if (d->scan.separator_guessed) {
    proposal_remark(&d->p, NULL, "the separator is taken to be \"%c\"", d->scan.csv.separator);
  }
  if (d->scan.header_guessed) {
    proposal_remark(&d->p, NULL, "the first line is taken for %s unless you say otherwise",
                    d->scan.header ? "a header" : "a record");
  }
}

static dperm_status check_options(const char *name, const dperm_draft_options *options,
                                  dperm_error *err) {
  unsigned char separator = (unsigned char)options->separator;
  FAIL_IF(!name, err, DPERM_INVALID_ARGUMENT, "the draft has no name; name a file");
  FAIL_IF(separator && (separator > 0x7f || strchr("\"\r\n ", separator)), err,
          DPERM_INVALID_ARGUMENT,
          "the separator must be one byte, such as a comma, a semicolon or a tab");
  return DPERM_OK;
}

dperm_status dperm_schema_draft(const char *name, const char *text, size_t length,
                                const dperm_draft_options *given, const dperm_progress *progress,
                                dperm_remark *remark, void *context, dperm_schema **out,
                                dperm_error *err) {
  dperm_draft_options options;
  TRY(options_take(DPERM_OPTIONS_DRAFT, given, &options, err));
  TRY(check_options(name, &options, err));
  OWNED(draft_clear) draft d = {.p = proposal_new()};
  TRY(draft_scan_records(name, text, length, &options, progress, &d.scan, err));
  const char separator[2] = {d.scan.csv.separator};
  d.p.header = d.scan.header;
  d.p.separator = *separator == ',' ? NULL : separator;
  remark_file(&d);
  add_missing(&d, options.missing != NULL);
  TRY(add_label(&d, &options, err));
  TRY(add_columns(&d, err));
  return proposal_finish(&d.p, "the draft", remark, context, out, err);
}
