/* The figures of an evaluation, derived again from the counts with noise that the file carries, and
 * the finding from the figures (docs/proofs/evaluation.md 3, docs/formats.md). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/functions.h"
#include "dperm.h"
#include "verify/checks.h"
#include "verify/derived_figure.h"

enum { REACH = 8, BINS = 10 };

/* ---- what is stated */

typedef struct stated {
  verifier *v;
  const json_t *evaluation;
  size_t classes, cells, zero, baseline; /* the first cell above 0; the class of most records */
  bool two, odds;
  double counts[COUNTS_OF_FIGURE],
      edges[COUNTS_OF_FIGURE + 1];         /* the latter: from edges[i] to edges[i + 1] */
  double variance, grouped_variance, rows; /* the last: 0 where nobody knows */
  const char *wrong;                       /* what does not follow, the first of it */
  estimate now;
} stated;

static void expect(stated *s, bool follows, const char *what) {
  s->wrong = s->wrong || follows ? s->wrong : what;
}

/* Up to rounding; null where there is none. */
static bool same(const json_t *value, double derived) {
  return isnan(derived) ? json_is_null(value)
                        : json_is_number(value) && fabs(json_number_value(value) - derived) <=
                                                       1e-6 * fmax(1, fabs(derived));
}

static void expect_figure(stated *s, const json_t *object, const char *value, const char *what) {
  const estimate *e = &s->now;
  expect(s,
         same(json_object_get(object, value), e->value) &&
             same(json_object_get(object, "low"), e->low) &&
             same(json_object_get(object, "high"), e->high),
         what);
}

static bool read_counts(const json_t *rows, size_t classes, size_t cells, double *out) {
  for (size_t i = 0; i < classes * cells; i++) {
    const json_t *row = json_array_get(rows, i / cells), *count = json_array_get(row, i % cells);
    out[i] = (double)json_integer_value(count);
    if (json_array_size(row) != cells || !json_is_integer(count)) {
      return false;
    }
  }
  return json_array_size(rows) == classes;
}

/* Steps of 1/64 that rise, with 0 among them. */
static bool read_ends(stated *s, const json_t *ends) {
  s->edges[0] = -REACH;
  s->edges[s->cells] = REACH;
  for (size_t c = 1; c < s->cells; c++) {
    const double end = json_number_value(json_array_get(ends, c - 1));
    s->edges[c] = end;
    s->zero = end == 0 ? c : s->zero;
    if (!(end > s->edges[c - 1] && end < REACH && end * 64 == floor(end * 64))) {
      return false;
    }
  }
  return s->zero > 0 && json_array_size(ends) == s->cells - 1;
}

static bool read_cells(stated *s) {
  const json_t *cells = json_object_get(s->evaluation, "cells"), *root = s->v->root;
  const double deviation = json_number_value(json_object_get(cells, "noise_sd"));
  const json_t *names = json_object_get(root, "classes"),
               *counts = json_object_get(cells, "counts");
  s->classes = json_array_size(names);
  s->cells = json_array_size(json_array_get(counts, 0));
  s->two = s->classes == 2;
  s->odds = field_is(cells, "by", "log-odds");
  s->rows = json_number_value(json_object_get(s->evaluation, "rows"));
  s->variance = deviation * deviation;
  /* v = 1/(2 sinh²(rate/2)); groups have 4 parts of 16, cells what they and steps of scores leave
   */
  const double z = 1 / (deviation * sqrt(2));
  const double rate = 2 * math_log1p(z + z * z / (1 + sqrt(z * z + 1))) * 4 / (s->two ? 10 : 12);
  s->grouped_variance = 1 / (2 * math_sinh(rate / 2) * math_sinh(rate / 2));
  const bool named = s->cells == s->classes && field_is(cells, "by", "class named"),
             right = s->cells == 2 && field_is(cells, "by", "named right or wrong");
  return deviation > 0 && json_equal(json_object_get(cells, "classes"), names) &&
         s->classes * s->cells <= COUNTS_OF_FIGURE && s->cells > 0 &&
         read_counts(counts, s->classes, s->cells, s->counts) &&
         (s->two ? (s->odds || field_is(cells, "by", "score")) &&
                       read_ends(s, json_object_get(cells, "ends"))
                 : named || right);
}

/* ---- figures of cells */

typedef enum what { WRONG, OTHER, DIFFERENCE, LOSS, SECOND, ABOVE } what;
enum { ANY = COUNTS_OF_FIGURE };

static size_t first_of(size_t class) {
  return class == ANY ? 0 : class;
}
static size_t end_of(const stated *s, size_t class) {
  return class == ANY ? s->classes : class + 1;
}

/* Of a class, or ANY. */
static double records_in(const stated *s, size_t class, size_t from, size_t to) {
  double sum = 0;
  for (size_t y = first_of(class); y < end_of(s, class); y++) {
    for (size_t c = from; c < to; c++) {
      sum += s->counts[y * s->cells + c];
    }
  }
  return sum;
}

static bool is_wrong(const stated *s, size_t class, size_t cell) {
  return s->two ? (cell >= s->zero) != (class == 1) : s->cells == s->classes ? cell != class : cell;
}

/* At the middle, less what the loss's curvature adds to that over the cell. */
static double loss_in(const stated *s, size_t class, size_t cell) {
  const double from = s->edges[cell], to = s->edges[cell + 1], length = to - from;
  const double margin = (class == 1 ? 1 : -1) * (from + to) / 2, miss = 1 / (1 + math_exp(margin));
  return fmax(-margin, 0) + math_log1p(math_exp(-fabs(margin))) -
         miss * (1 - miss) * length * length / 24;
}

static double weight_of(const stated *s, what kind, size_t class, size_t cell, size_t at) {
  const bool other = class != s->baseline;
  switch (kind) {
  case WRONG:
    return is_wrong(s, class, cell);
  case OTHER:
    return other;
  case DIFFERENCE:
    return (double)is_wrong(s, class, cell) - other;
  case LOSS:
    return loss_in(s, class, cell);
  case SECOND:
    return class == 1;
  case ABOVE:
    break;
  }
  return cell >= at;
}

/* Of the records of a class, or ANY, in some cells: how many are of the kind. */
static void derive(stated *s, what kind, size_t class, size_t from, size_t to, size_t at) {
  estimate *e = &s->now;
  const bool whole = kind <= LOSS && s->rows > 0;
  e->count = 0;
  e->over = e->paired = 0;
  e->known = whole;
  e->under = whole ? s->rows : 0;
  e->share = kind != DIFFERENCE && kind != LOSS;
  e->variance = s->variance;
  e->least = kind == DIFFERENCE ? -1 : 0;
  e->most = kind == LOSS ? REACH + 1 : 1;
  for (size_t y = first_of(class); y < end_of(s, class); y++) {
    for (size_t c = from; c < to; c++) {
      estimate_take(e, weight_of(s, kind, y, c, at), s->counts[y * s->cells + c]);
    }
  }
  estimate_solve(e);
}

/* Pairs of one record of each class: those in which the second has the higher score, and half of
 * those of one cell. */
static void derive_area(stated *s) {
  estimate *e = &s->now;
  double below[2] = {0, 0};
  const double totals[2] = {records_in(s, 0, 0, s->cells), records_in(s, 1, 0, s->cells)};
  *e = (estimate){.variance = s->variance,
                  .paired = (double)s->cells,
                  .most = 1,
                  .under = totals[0] * totals[1]};
  for (size_t c = 0; c < s->cells; c++) {
    const double own[2] = {s->counts[c], s->counts[s->cells + c]};
    e->terms[e->count++] = (figure_term){totals[1] - below[1] - own[1] / 2, totals[1], own[0]};
    e->terms[e->count++] = (figure_term){below[0] + own[0] / 2, totals[0], own[1]};
    e->over += own[1] * (below[0] + own[0] / 2);
    below[0] += own[0];
    below[1] += own[1];
  }
  if (totals[0] > 0 && totals[1] > 0) {
    estimate_solve(e);
  } else {
    *e = (estimate){.value = (double)NAN, .high = 1};
  }
}

static void find_baseline(stated *s) {
  double most = -INFINITY;
  for (size_t y = 0; y < s->classes; y++) {
    const double count = records_in(s, y, 0, s->cells);
    s->baseline = count > most ? y : s->baseline;
    most = fmax(most, count);
  }
}

static void check_wrong(stated *s, const char *key, size_t class) {
  const json_t *value = json_object_get(s->evaluation, key);
  double sum = 0;
  for (size_t y = first_of(class); y < end_of(s, class); y++) {
    for (size_t c = 0; c < s->cells; c++) {
      sum += is_wrong(s, y, c) ? s->counts[y * s->cells + c] : 0;
    }
  }
  expect(s,
         class == ANY || s->two ? json_is_integer(value) && json_number_value(value) == sum
                                : json_is_null(value),
         key);
}

static void check_one(stated *s, const char *key, bool there) {
  const json_t *figure = json_object_get(s->evaluation, key);
  there ? expect_figure(s, figure, "value", key) : expect(s, json_is_null(figure), key);
}

static void check_all_cells(stated *s) {
  const json_t *baseline = json_object_get(s->evaluation, "baseline");
  const json_t *names = json_object_get(s->v->root, "classes");
  find_baseline(s);
  check_wrong(s, "errors", ANY);
  check_wrong(s, "false_positives", 0);
  check_wrong(s, "false_negatives", 1);
  derive(s, WRONG, ANY, 0, s->cells, 0);
  check_one(s, "error_rate", true);
  derive(s, OTHER, ANY, 0, s->cells, 0);
  expect_figure(s, baseline, "error_rate", "baseline");
  expect(s, json_equal(json_object_get(baseline, "class"), json_array_get(names, s->baseline)),
         "baseline");
  derive(s, DIFFERENCE, ANY, 0, s->cells, 0);
  check_one(s, "difference", true);
  derive(s, LOSS, ANY, 0, s->odds ? s->cells : 0, 0);
  check_one(s, "log_loss", s->odds);
  derive_area(s);
  check_one(s, "auc", s->two);
  derive(s, SECOND, ANY, s->zero, s->cells, 0);
  check_one(s, "precision", s->two);
  derive(s, ABOVE, 1, 0, s->cells, s->zero);
  check_one(s, "recall", s->two);
}

/* ---- curves, which are columns of numbers */

static void expect_column(stated *s, const char *curve, const char *key, size_t i, double derived) {
  const json_t *columns = json_object_get(s->evaluation, curve);
  expect(s, same(json_array_get(json_object_get(columns, key), i), derived), curve);
}

static void expect_length(stated *s, const char *curve, size_t rows) {
  const json_t *columns = json_object_get(s->evaluation, curve), *column;
  const char *key;
  json_object_foreach((json_t *)columns, key, column) {
    expect(s, json_array_size(column) == rows, curve);
  }
}

static void check_roc(stated *s) {
  for (size_t c = 1; c < s->cells; c++) {
    const double at = s->edges[c];
    expect_column(s, "roc", "threshold", c - 1, s->odds ? 1 / (1 + math_exp(-at)) : at);
    derive(s, ABOVE, 0, 0, s->cells, c);
    expect_column(s, "roc", "false_positive_rate", c - 1, s->now.value);
    derive(s, SECOND, ANY, c, s->cells, 0);
    expect_column(s, "roc", "precision", c - 1, s->now.value);
    derive(s, ABOVE, 1, 0, s->cells, c);
    expect_column(s, "roc", "true_positive_rate", c - 1, s->now.value);
    expect_column(s, "roc", "low", c - 1, s->now.low);
    expect_column(s, "roc", "high", c - 1, s->now.high);
  }
  expect_length(s, "roc", s->cells - 1);
}

/* The mean probability; cells that noise takes away have none. */
static double predicted_in(const stated *s, size_t from, size_t to) {
  double sum = 0, records = 0;
  for (size_t c = from; c < to; c++) {
    const double own = fmax(records_in(s, ANY, c, c + 1), 0);
    records += own;
    sum += own / (1 + math_exp(-(s->edges[c] + s->edges[c + 1]) / 2));
  }
  return sum / records;
}

/* Cells are joined until they have a tenth of the records, and four deviations of noise; so do
 * those that are left then. */
static void check_calibration(stated *s) {
  const double all = records_in(s, ANY, 0, s->cells);
  size_t from = 0, bins = 0;
  for (size_t to = 1; to <= s->cells; to++) {
    const double records = records_in(s, ANY, from, to);
    const double least = fmax(all / BINS, 4 * sqrt(2 * s->variance * (double)(to - from)));
    if (to < s->cells && (records < least || all - records_in(s, ANY, 0, to) < least)) {
      continue;
    }
    derive(s, SECOND, ANY, from, to, 0);
    expect_column(s, "calibration", "predicted", bins, predicted_in(s, from, to));
    expect_column(s, "calibration", "observed", bins, s->now.value);
    expect_column(s, "calibration", "low", bins, s->now.low);
    expect_column(s, "calibration", "high", bins, s->now.high);
    expect_column(s, "calibration", "records", bins, records);
    bins++;
    from = to;
  }
  expect_length(s, "calibration", bins);
}

/* ---- groups */

/* Of the group's records in classes from, …, to − 1: those that are named wrong, or are of the
 * second class. */
static void check_rate(stated *s, const json_t *group, const char *key, size_t from, size_t to,
                       bool wrong) {
  const json_t *rows = json_object_get(group, "counts");
  estimate *e = &s->now;
  *e = (estimate){.share = true, .variance = s->grouped_variance, .most = 1};
  for (size_t y = from; y < to; y++) {
    for (size_t c = 0; c < 2; c++) {
      estimate_take(e, wrong ? (double)c : y == 1,
                    json_number_value(json_array_get(json_array_get(rows, y), c)));
    }
  }
  estimate_solve(e);
  expect_figure(s, json_object_get(group, key), "value", "groups");
}

static void check_group(stated *s, const json_t *group) {
  double counts[COUNTS_OF_FIGURE], records = 0;
  if (!read_counts(json_object_get(group, "counts"), s->classes, 2, counts)) {
    expect(s, false, "groups");
    return;
  }
  for (size_t i = 0; i < 2 * s->classes; i++) {
    records += counts[i];
  }
  expect(s, same(json_object_get(group, "records"), records), "groups");
  check_rate(s, group, "error_rate", 0, s->classes, true);
  if (s->two) {
    check_rate(s, group, "positive_rate", 0, 2, false);
    check_rate(s, group, "false_positive_rate", 0, 1, true);
    check_rate(s, group, "false_negative_rate", 1, 2, true);
  }
}

/* The categories of the schema's group, and one of all other records. */
static void check_names(stated *s, const json_t *rates) {
  const json_t *schema = json_object_get(s->v->root, "schema"), *column, *value;
  const char *group = json_string_value(json_object_get(schema, "group")), *key;
  size_t i, j, found = 0;
  json_array_foreach(json_object_get(schema, "columns"), i, column) {
    if (!group || !field_is(column, "name", group)) {
      continue;
    }
    json_array_foreach(json_object_get(column, "values"), j, value) {
      const char *own = json_string_value(value);
      expect(s, own && field_is(json_array_get(rates, found++), "name", own), "groups");
    }
    json_object_foreach(json_object_get(column, "groups"), key, value) {
      expect(s, field_is(json_array_get(rates, found++), "name", key), "groups");
    }
  }
  expect(s,
         found > 0 && field_is(json_array_get(rates, found), "name", "(other)") &&
             json_array_size(rates) == found + 1,
         "groups");
}

static void check_groups(stated *s) {
  const json_t *groups = json_object_get(s->evaluation, "groups"), *group;
  const json_t *rates = json_object_get(groups, "rates");
  const json_t *column = field_at(s->v->root, "schema.group");
  size_t i;
  if (!column) {
    expect(s, json_is_null(groups), "groups");
    return;
  }
  expect(s, json_equal(json_object_get(groups, "column"), column), "groups");
  check_names(s, rates);
  json_array_foreach(rates, i, group) {
    check_group(s, group);
  }
}

/* ---- words */

static double number_at(const stated *s, const char *path) {
  const json_t *value = field_at(s->evaluation, path);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* The sentence that the figures, as they are stated, are summed up in. */
static bool words_follow(const stated *s) {
  char text[512], name[200], area[128] = "";
  const double low = number_at(s, "difference.low"), high = number_at(s, "difference.high"),
               auc = number_at(s, "auc.value");
  dperm_text_visible(json_string_value(field_at(s->evaluation, "baseline.class")), name,
                     sizeof name);
  if (!isnan(auc)) {
    (void)snprintf(area, sizeof area, "; AUC %.3f (%.3f to %.3f)", auc, number_at(s, "auc.low"),
                   number_at(s, "auc.high"));
  }
  if (high >= 0 && low < 0 && high - low > 0.5) {
    (void)snprintf(text, sizeof text,
                   "the noise hides how good the model is: too few records for this epsilon to "
                   "tell whether it is better than always saying \"%s\" (a difference of %.4g to "
                   "%.4g)",
                   name, low, high);
  } else {
    (void)snprintf(text, sizeof text,
                   "the model %s always saying \"%s\": error %.4g, against %.4g; the difference is "
                   "%.4g (%.4g to %.4g)%s",
                   high < 0   ? "errs less than"
                   : low >= 0 ? "is no better than"
                              : "is not shown to be better than",
                   name, number_at(s, "error_rate.value"), number_at(s, "baseline.error_rate"),
                   number_at(s, "difference.value"), low, high, area);
  }
  return field_is(s->evaluation, "finding", text);
}

void check_evaluation_figures(verifier *v) {
  stated s = {.v = v, .evaluation = field_at(v->root, "evaluation")};
  if (!json_is_object(s.evaluation)) {
    return;
  }
  if (field_at(v->root, "label")) {
    check_number_figures(v, s.evaluation);
    return;
  }
  if (!read_cells(&s)) {
    fails(v, "figures", "evaluation.cells has no counts that figures could follow from");
    return;
  }
  expect(&s, number_at(&s, "confidence") == 0.95, "confidence");
  expect(&s, field_is(s.evaluation, "intervals", "noise and sampling"), "intervals");
  check_all_cells(&s);
  s.two ? check_roc(&s) : expect(&s, field_is_null(v, "evaluation.roc"), "roc");
  s.odds ? check_calibration(&s)
         : expect(&s, field_is_null(v, "evaluation.calibration"), "calibration");
  check_groups(&s);
  if (s.wrong) {
    fails(v, "figures", "evaluation.%s does not follow from its counts", s.wrong);
  } else if (finding(v, true, "figures",
                     "error, curves, rates and all intervals follow from the counts")) {
    finding(v, words_follow(&s), "words", "the finding says what the figures do");
  }
}
