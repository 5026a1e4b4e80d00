/* An evaluation as JSON, and its first line in words (docs/formats.md). Curves are columns, so that
 * they can be drawn as they are. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/functions.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "evaluate/evaluation.h"
#include "evaluate/evaluation_figures.h"
#include "evaluate/regression.h"
#include "privacy/guarantee.h"

static json_t *figure_json(figure f) {
  return isnan(f.value) && isnan(f.low)
             ? json_null()
             : json_pack("{s:o, s:o, s:o}", "value", json_figure(f.value), "low",
                         json_figure(f.low), "high", json_figure(f.high));
}

/* What all functions here have: the evaluation, and space for weights of its counts. */
typedef struct writer {
  const model_evaluation *e;
  double *work;
} writer;

/* ---- columns of figures */

enum { COLUMNS_MOST = 6 };

typedef struct column_set {
  const char *const *names; /* NULL at the end */
  json_t *columns[COLUMNS_MOST];
} column_set;

static void columns_begin(column_set *set, const char *const *names) {
  set->names = names;
  for (size_t i = 0; names[i]; i++) {
    set->columns[i] = json_array();
  }
}

static void columns_add(column_set *set, const double *values) {
  for (size_t i = 0; set->names[i]; i++) {
    json_append(&set->columns[i], json_figure(values[i]));
  }
}

static json_t *columns_end(column_set *set) {
  json_t *object = json_object();
  for (size_t i = 0; set->names[i]; i++) {
    json_set(&object, set->names[i], set->columns[i]);
  }
  return object;
}

/* ---- the ROC curve: each cell's end as a threshold */

static json_t *roc_json(const writer *w) {
  static const char *const names[] = {
      "threshold", "false_positive_rate", "true_positive_rate", "low", "high", "precision", NULL};
  const count_table *t = &w->e->table;
  const size_t step = w->e->exact ? (t->cells + 127) / 128 : 1; /* fewer of very many */
  column_set set;
  columns_begin(&set, names);
  for (size_t c = 1; c < t->cells; c++) {
    if (c % step != 0 && c != w->e->zero) {
      continue;
    }
    const cell_range all[2] = {{0, 0, t->cells}, {1, 0, t->cells}};
    const figure hits = share_figure(t, (cell_range){1, c, t->cells}, all[1], w->work),
                 misses = share_figure(t, (cell_range){0, c, t->cells}, all[0], w->work),
                 right = share_figure(t, (cell_range){1, c, t->cells},
                                      (cell_range){ANY_CLASS, c, t->cells}, w->work);
    const double at = w->e->edges[c - 1];
    columns_add(&set, (double[]){w->e->log_odds ? 1 / (1 + math_exp(-at)) : at, misses.value,
                                 hits.value, hits.low, hits.high, right.value});
  }
  return columns_end(&set);
}

/* ---- calibration */

/* The mean probability of the records of some cells: cells where noise takes all are left out. */
static double predicted_in(const model_evaluation *e, size_t from, size_t to) {
  double sum = 0, records = 0, length = 0;
  for (size_t c = from; c < to; c++) {
    const double own = fmax(records_in(&e->table, c, c + 1), 0);
    records += own;
    sum += own / (1 + math_exp(-cell_middle(e, c, &length)));
  }
  return sum / records;
}

static json_t *calibration_json(const writer *w) {
  static const char *const names[] = {"predicted", "observed", "low", "high", "records", NULL};
  const count_table *t = &w->e->table;
  column_set set;
  columns_begin(&set, names);
  for (size_t from = 0, to = 0; from < t->cells; from = to) {
    to = calibration_end(w->e, from);
    const figure f =
        share_figure(t, (cell_range){1, from, to}, (cell_range){ANY_CLASS, from, to}, w->work);
    columns_add(&set, (double[]){predicted_in(w->e, from, to), f.value, f.low, f.high,
                                 records_in(t, from, to)});
  }
  return columns_end(&set);
}

/* ---- classes and groups */

static json_t *baseline_json(const model_evaluation *e) {
  return json_pack("{s:s, s:o, s:o, s:o}", "class", e->classes.names[e->baseline_class],
                   "error_rate", json_figure(e->baseline.value), "low",
                   json_figure(e->baseline.low), "high", json_figure(e->baseline.high));
}

/* Of records in these classes of the table by groups, the share that is named wrong; or that are in
 * a class, of two. */
static figure group_share(const writer *w, size_t from, size_t to, bool wrong_only, size_t of_from,
                          size_t of_to) {
  const count_table *t = &w->e->grouped;
  const size_t size = t->classes * t->cells;
  for (size_t i = 0; i < size; i++) {
    const size_t class = i / t->cells;
    w->work[i] = class >= from && class < to && (!wrong_only || i % t->cells == 1);
    w->work[size + i] = class >= of_from && class < of_to;
  }
  return ratio_figure(&(count_ratio){t, w->work, w->work + size, true, 0, 1});
}

/* Right and wrong of each class. */
static json_t *group_counts(const model_evaluation *e, size_t g) {
  const int64_t *own = e->grouped.counts + g * e->classes.count * e->grouped.cells;
  json_t *rows = json_array();
  for (size_t y = 0; y < e->classes.count; y++, own += e->grouped.cells) {
    json_append(&rows, json_pack("[I, I]", (json_int_t)own[0], (json_int_t)own[1]));
  }
  return rows;
}

static json_t *group_json(const writer *w, size_t g) {
  const model_evaluation *e = w->e;
  const size_t classes = e->classes.count, from = g * classes, to = from + classes;
  const count_table *t = &e->grouped;
  int64_t records = 0;
  for (size_t i = from * t->cells; i < to * t->cells; i++) {
    records += t->counts[i];
  }
  json_t *object =
      json_pack("{s:s, s:I, s:o}", "name", e->groups.names[g], "records", (json_int_t)records,
                "error_rate", figure_json(group_share(w, from, to, true, from, to)));
  if (classes == 2) {
    json_set(&object, "positive_rate", figure_json(group_share(w, from + 1, to, false, from, to)));
    json_set(&object, "false_positive_rate",
             figure_json(group_share(w, from, from + 1, true, from, from + 1)));
    json_set(&object, "false_negative_rate",
             figure_json(group_share(w, from + 1, to, true, from + 1, to)));
  }
  json_set(&object, "counts", group_counts(e, g));
  return object;
}

static json_t *groups_json(const writer *w) {
  json_t *list = json_array();
  for (size_t g = 0; g < w->e->groups.count; g++) {
    json_append(&list, group_json(w, g));
  }
  return json_pack("{s:s, s:o}", "column", w->e->group_column, "rates", list);
}

/* ---- the counts themselves: all of it can be computed again */

static json_t *counts_json(const count_table *t) {
  json_t *rows = json_array();
  for (size_t y = 0; y < t->classes; y++) {
    json_t *row = json_array();
    for (size_t c = 0; c < t->cells; c++) {
      json_append(&row, json_integer((json_int_t)t->counts[y * t->cells + c]));
    }
    json_append(&rows, row);
  }
  return rows;
}

static json_t *cells_json(const model_evaluation *e) {
  json_t *ends = e->edges ? json_array() : NULL, *names = json_array();
  for (size_t c = 0; e->edges && c + 1 < e->table.cells; c++) {
    json_append(&ends, json_figure(e->edges[c]));
  }
  for (size_t y = 0; y < e->classes.count; y++) {
    json_append(&names, json_string(e->classes.names[y]));
  }
  return json_pack("{s:o, s:o*, s:s, s:o, s:o}", "classes", names, "ends", ends, "by",
                   e->log_odds                          ? "log-odds"
                   : e->edges                           ? "score"
                   : e->table.cells == e->classes.count ? "class named"
                                                        : "named right or wrong",
                   "counts", counts_json(&e->table), "noise_sd",
                   json_figure(sqrt(e->table.variance)));
}

/* How many were named wrong: all, or those of one class. */
static json_int_t wrong_in(const model_evaluation *e, size_t class) {
  int64_t sum = 0;
  for (size_t i = 0; i < e->table.classes * e->table.cells; i++) {
    const size_t own = i / e->table.cells, cell = i % e->table.cells;
    sum += (class == ANY_CLASS || class == own) && cell_is_wrong(e, own, cell) ? e->table.counts[i]
                                                                               : 0;
  }
  return (json_int_t)sum;
}

static void set_terms(const evaluation_terms *terms, json_t **object) {
  json_set(object, "epsilon", json_real(terms->epsilon));
  json_set(object, "rows_per_person", json_count(terms->rows_per_person));
  json_set(object, "neighbours", json_string(dperm_neighbours_name(terms->neighbours)));
}

static dperm_status set_classes(const model_evaluation *e, json_t **made, dperm_error *err) {
  const size_t first = e->table.classes * e->table.cells,
               second = e->grouped.classes * e->grouped.cells;
  const bool two = e->classes.count == 2;
  OWNED_MEMORY double *work = NULL;
  TRY(memory_new(2 * (first > second ? first : second), sizeof *work, &work, err));
  const writer w = {e, work};
  json_t *object = *made;
  json_set(&object, "rows",
           e->table.rows > 0 || e->exact ? json_count(e->table.rows) : json_null());
  json_set(&object, "errors", json_integer(wrong_in(e, ANY_CLASS)));
  json_set(&object, "false_positives", two ? json_integer(wrong_in(e, 0)) : json_null());
  json_set(&object, "false_negatives", two ? json_integer(wrong_in(e, 1)) : json_null());
  json_set(&object, "error_rate", figure_json(e->error));
  json_set(&object, "baseline", baseline_json(e));
  json_set(&object, "difference", figure_json(e->difference));
  json_set(&object, "auc", figure_json(e->auc));
  json_set(&object, "log_loss", figure_json(e->log_loss));
  json_set(&object, "precision", figure_json(e->precision));
  json_set(&object, "recall", figure_json(e->recall));
  json_set(&object, "roc", e->edges ? roc_json(&w) : json_null());
  json_set(&object, "calibration", e->log_odds ? calibration_json(&w) : json_null());
  json_set(&object, "groups", e->groups.count > 0 ? groups_json(&w) : json_null());
  json_set(&object, "cells", e->exact && e->edges ? json_null() : cells_json(e));
  *made = object;
  return DPERM_OK;
}

dperm_status evaluation_json(const model_evaluation *e, json_t **out, dperm_error *err) {
  OWNED_MEMORY char *finding = NULL;
  TRY(evaluation_finding(e, &finding, err));
  json_t *object = json_object();
  json_set(&object, "finding", json_string(finding)); /* what all else has to be read with */
  if (!e->exact) {
    set_terms(&e->terms, &object);
  }
  json_set(&object, "intervals", json_string(e->exact ? "sampling" : "noise and sampling"));
  json_set(&object, "confidence", json_real(0.95));
  dperm_status status = DPERM_OK;
  if (e->numbers) {
    number_json(e->numbers, e->exact, &object);
  } else {
    status = set_classes(e, &object, err);
  }
  return status == DPERM_OK ? json_made(object, out, err) : (json_decref(object), status);
}

/* ---- in words */

dperm_status evaluation_finding(const model_evaluation *e, char **out, dperm_error *err) {
  if (e->numbers) {
    return number_finding(e->numbers, e->exact, out, err);
  }
  char text[512], name[200], area[128] = "";
  const figure *d = &e->difference;
  const bool better = e->exact ? d->value < 0 : d->high < 0, no_better = e->exact || d->low >= 0;
  dperm_text_visible(e->classes.names[e->baseline_class], name, sizeof name);
  if (!isnan(e->auc.value)) {
    (void)snprintf(area, sizeof area, "; AUC %.3f (%.3f to %.3f)", e->auc.value, e->auc.low,
                   e->auc.high);
  }
  if (!better && !no_better && d->high - d->low > 0.5) { /* figures would only mislead */
    (void)snprintf(
        text, sizeof text,
        "the noise hides how good the model is: too few records for this epsilon to tell "
        "whether it is better than always saying \"%s\" (a difference of %.4g to %.4g)",
        name, d->low, d->high);
    return memory_copy_text(text, strlen(text), out, err);
  }
  (void)snprintf(text, sizeof text,
                 "the model %s always saying \"%s\": error %.4g, against %.4g; the difference is "
                 "%.4g (%.4g to %.4g)%s",
                 better      ? "errs less than"
                 : no_better ? "is no better than"
                             : "is not shown to be better than",
                 name, e->error.value, e->baseline.value, d->value, d->low, d->high, area);
  return memory_copy_text(text, strlen(text), out, err);
}
