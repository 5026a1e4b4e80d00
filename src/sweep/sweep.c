/* A sweep from beginning to end: check and plan every cell, split the rows, open the journal, run
 * what is not done, and only then report the results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "base/functions.h"
#include "base/options_defaults.h"
#include "base/thread_pool.h"
#include "base/vector.h"
#include "data/dataset.h"
#include "run/run.h"
#include "sweep/sweep_run.h"

enum { MOST_CELLS = 100000, MOST_FOLDS = 100000, MOST_DRAWS = 10000000, MOST_PARTS = 1000 };

/* ---- what is asked for */

static dperm_status check_test_data(const dperm_data *data, const dperm_data *test,
                                    dperm_error *err) {
  FAIL_IF(!test->table != !data->table || test->x->spread != data->x->spread ||
              test->x->cols != data->x->cols,
          err, DPERM_INVALID_DATA,
          "the rows to test on have %zu columns, the others %zu; read both alike, by the same "
          "processes and under a schema or without one",
          test->x->cols, data->x->cols);
  return data_check_labels(test, data_class_count(data), err);
}

/* The options of the sweep and of its cells, which the caller frees, also after a failure. */
static dperm_status take_request(const dperm_data *data, const dperm_options *given, size_t count,
                                 const dperm_sweep_options *given_how, dperm_options **cells,
                                 dperm_sweep_options *how, dperm_error *err) {
  size_t rows = 0;
  TRY(options_take(DPERM_OPTIONS_SWEEP, given_how, how, err));
  FAIL_IF(count == 0 || count > MOST_CELLS, err, DPERM_INVALID_ARGUMENT,
          "%zu cells; give from 1 to %d", count, MOST_CELLS);
  TRY(options_take_all(given, count, cells, err));
  FAIL_IF(how->draws == 0 || how->draws > MOST_DRAWS, err, DPERM_INVALID_ARGUMENT,
          "%zu draws; give from 1 to %d", how->draws, MOST_DRAWS);
  TRY(data_check_any(data, err));
  rows = rows_in_all(data->x);
  FAIL_IF(!how->test_data && (how->folds < 2 || how->folds > rows || how->folds > MOST_FOLDS), err,
          DPERM_INVALID_ARGUMENT,
          "folds = %zu, of %zu rows; give at least 2, at most one a row and at most %d", how->folds,
          rows, MOST_FOLDS);
  TRY(data_check_labelled(data, err));
  FAIL_IF(data_class_count(data) == 0 && data->x->spread, err, DPERM_UNSUPPORTED,
          "regressions are swept by one process; sweep outside of the job");
  if (how->test_data) {
    TRY(check_test_data(data, how->test_data, err));
  }
  FAIL_IF(how->test_parts > 1 &&
              (!how->test_data || how->test_parts > rows_in_all(how->test_data->x) ||
               how->test_parts > MOST_PARTS),
          err, DPERM_INVALID_ARGUMENT,
          "%zu parts of the rows to test on; there must be such rows, and at most %d parts",
          how->test_parts, MOST_PARTS);
  TRY(check_threads(how->threads, err));
  for (size_t c = 0; c < count; c++) {
    const dperm_kernel *kernel = &(*cells)[c].kernel, *first = &(*cells)[0].kernel;
    TRY(options_validate(&(*cells)[c], data_class_count(data), data_label_range(data), err));
    TRY(check_shares_none(&(*cells)[c], "sweep", err));
    FAIL_IF((*cells)[c].evaluate != 0, err, DPERM_INVALID_ARGUMENT,
            "a sweep has records of its own to test on; leave evaluate out");
    FAIL_IF(kernel->kind != first->kind || kernel->gamma != first->gamma ||
                kernel->features != first->features || kernel->independent != first->independent ||
                kernel->seed != first->seed,
            err, DPERM_INVALID_ARGUMENT, "cells have different kernels; sweep them one by one");
  }
  return DPERM_OK;
}

/* ---- groups */

static void group_close(sweep_group *g, const sweep *s) {
  sweep_rows_free(&g->rows);
  sweep_rows_free(&g->test);
  feature_map_free(g->map);
  if (g->data.x != s->data->x) {
    data_view_close(&g->data);
  }
  if (s->how->test_data && g->test_data.x != s->how->test_data->x) {
    data_view_close(&g->test_data);
  }
}

/* The group of the cell's rows, a new one perhaps: its schema follows from what a fit has. */
static dperm_status find_group(sweep *s, sweep_cell *cell, const run *r, dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  if (s->data->table) {
    TRY(representation_given(r, s->data->schema, &schema, err));
  }
  for (size_t g = 0; g < s->group_count; g++) {
    const dperm_schema *own = s->groups[g].data.schema;
    if (!schema || own == schema || json_equal(own->json, schema->json)) {
      cell->group = g;
      return DPERM_OK;
    }
  }
  cell->group = s->group_count++;
  sweep_group *new = &s->groups[cell->group];
  new->data = *s->data;
  new->test_data = s->how->test_data ? *s->how->test_data : (dperm_data){0};
  if (schema && schema != s->data->schema) {
    TRY(data_view_open(s->data, schema, &new->data, err));
    TRY(s->how->test_data ? data_view_open(s->how->test_data, schema, &new->test_data, err)
                          : DPERM_OK);
  }
  return DPERM_OK;
}

/* ---- plans */

static size_t rows_trained(const sweep *s, const dperm_options *o, size_t variant) {
  bool about = o->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE; /* of the rows trained on */
  return about ? o->rows_about : split_train_rows(&s->split, rows_in_all(s->data->x), variant);
}

/* A cell without a plan is part of the result, and says why. */
static dperm_status plan_cell(sweep *s, sweep_cell *cell, dperm_error *why, dperm_error *err) {
  const dperm_options *o = &cell->options;
  const run_terms terms = {.schema = s->data->schema,
                           .chooses = true,
                           .columns = s->data->table ? s->data->schema : NULL,
                           .rows = rows_trained(s, o, 0),
                           .classes = data_class_count(s->data),
                           .reasons = options_reasons(o, s->data)};
  run r;
  dperm_status status = run_make(o, &terms, &r, why);
  TRY(find_group(s, cell, &r, err));
  cell->asked = r.how.way != SCHEMA_GIVEN;
  s->groups[cell->group].used = s->groups[cell->group].used || !cell->asked;
  const dperm_data *data = &s->groups[cell->group].data;
  for (size_t v = 0; v < 2 && status == DPERM_OK; v++) {
    status = fit_plan_check_public(data, rows_trained(s, o, v), o, &r.claim, &cell->plan[v], why);
  }
  if (status != DPERM_OK) {
    return memory_copy_text(why->message, strlen(why->message), &cell->impossible, err);
  }
  cell->models = o->mechanism == DPERM_MECHANISM_NONE ? 1 : s->how->draws;
  s->models += cell->models * s->split.folds;
  return class_weights_of_data(s->data, o->class_weights, o->class_weight_count,
                               &cell->class_weights, err);
}

/* That no cell has a plan is a failure, for the reason of the first, unless the caller says not. */
static dperm_status plan_cells(sweep *s, const dperm_options *cells, dperm_error *err) {
  dperm_error first = {0};
  for (size_t c = 0; c < s->count; c++) {
    dperm_error why = {0};
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    s->cells[c].options = cells[c];
    TRY(plan_cell(s, &s->cells[c], &why, err));
    first = first.status == DPERM_OK ? why : first;
  }
  FAIL_IF(s->models == 0 && !s->how->all_impossible, err, first.status, "%s", first.message);
  return DPERM_OK;
}

/* ---- rows as models see them */

static dperm_status open_rows(const dperm_data *data, const feature_map *map, bool cut,
                              sweep_rows *out, dperm_error *err) {
  *out = (sweep_rows){.x = data->x, .labels = data->labels};
  if (map) {
    TRY(features_new(map, data->x, &out->made, err));
    if (!(cut && data->x->spread)) {
      TRY(features_keep(out->made, &out->kept, err));
    }
  } else if (fit_memory_keeps(data->x)) {
    TRY(matrix_keep(data->x, &out->kept, err));
  }
  out->x = out->kept ? out->kept : out->made ? out->made : data->x;
  return DPERM_OK;
}

static bool tick(void *context, const char *stage, uint64_t done, uint64_t total) {
  const sweep *s = context;
  const dperm_progress *progress = &s->how->progress;
  return progress->tick ? progress->tick(progress->context, "sweeping", s->models_done, s->models)
                        : false;
}

/* A kernel's directions are drawn once for a group of cells, by their own or the sweep's seed. */
static dperm_status open_all_rows(sweep *s, dperm_error *err) {
  dperm_kernel kernel = s->cells[0].options.kernel;
  if (kernel.kind != DPERM_KERNEL_NONE) {
    random_source source;
    TRY(random_public(s->how->seed, "sweep kernel", &source, err));
    kernel.seed = kernel.seed ? kernel.seed : 1 + random_bits(&source) % ((UINT64_C(1) << 53) - 1);
  }
  for (size_t g = 0; g < s->group_count; g++) {
    sweep_group *group = &s->groups[g];
    if (!group->used) {
      continue;
    }
    if (kernel.kind != DPERM_KERNEL_NONE) {
      TRY(feature_map_new(&kernel, group->data.x->cols, &s->progress, &group->map, err));
    }
    TRY(open_rows(&group->data, group->map, s->split.part != NULL, &group->rows, err));
    if (s->how->test_data) {
      TRY(open_rows(&group->test_data, group->map, false, &group->test, err));
    }
  }
  return DPERM_OK;
}

static dperm_status find_baseline_numbers(sweep *s, const dperm_data *judges, dperm_error *err) {
  OWNED_MEMORY double *same = NULL, *sorted = NULL;
  sweep_judged by_mean, by_median;
  const size_t rows = judges->x->rows;
  TRY(memory_new(rows, sizeof *same, &same, err));
  TRY(memory_new(rows, sizeof *sorted, &sorted, err));
  memcpy(sorted, judges->labels, rows * sizeof *sorted);
  vector_sort(sorted, rows);
  double mean = 0;
  for (size_t i = 0; i < rows; i++) {
    mean += sorted[i] / (double)rows;
  }
  for (size_t i = 0; i < rows; i++) {
    same[i] = mean;
  }
  sweep_judge_numbers(s, same, judges->labels, rows, &by_mean);
  for (size_t i = 0; i < rows; i++) {
    same[i] = sorted[(rows - 1) / 2];
  }
  sweep_judge_numbers(s, same, judges->labels, rows, &by_median);
  s->baseline_numbers = (sweep_judged){.auc_or_rmse = by_mean.auc_or_rmse,
                                       .log_loss_or_mae = by_median.log_loss_or_mae};
  return DPERM_OK;
}

/* How often the rows that judge are of another class than their most frequent one, and the log loss
 * of saying how frequent each is. */
static dperm_status find_baseline(sweep *s, dperm_error *err) {
  const dperm_data *judges = s->how->test_data ? s->how->test_data : s->data;
  const size_t classes = data_class_count(s->data);
  if (classes == 0) {
    s->baseline = s->baseline_log_loss = (double)NAN;
    return find_baseline_numbers(s, judges, err);
  }
  s->baseline_numbers = (sweep_judged){.auc_or_rmse = (double)NAN, .log_loss_or_mae = (double)NAN};
  uint64_t counts[CLASSES_MOST] = {0}, most = 0;
  for (size_t i = 0; i < judges->x->rows; i++) {
    counts[class_of_label(classes, judges->labels[i])]++;
  }
  TRY(ranks_add(judges->x->spread, DPERM_OK, counts, classes, err));
  for (size_t c = 0; c < classes; c++) {
    most = counts[c] > most ? counts[c] : most;
  }
  const double rows = (double)rows_in_all(judges->x);
  s->baseline = (rows - (double)most) / rows;
  for (size_t c = 0; c < classes; c++) {
    const double share = (double)counts[c] / rows;
    s->baseline_log_loss -= share > 0 ? share * math_log(share) : 0;
  }
  return DPERM_OK;
}

/* ---- running */

static dperm_status run_fold(sweep *s, size_t number, dperm_error *err) {
  for (size_t g = 0; g < s->group_count; g++) {
    const sweep_group *group = &s->groups[g];
    OWNED(fold_close) sweep_fold fold = {0};
    for (size_t c = 0; c < s->count; c++) {
      if (s->cells[c].group != g || s->cells[c].impossible || results_done(s, c, number)) {
        continue;
      }
      if (s->cells[c].asked) {
        TRY(sweep_fit_asked(s, number, c, err));
        continue;
      }
      if (!fold.train.x) {
        TRY(fold_open(&s->split, &group->rows, s->how->test_data ? &group->test : NULL, number,
                      &fold, err));
      }
      TRY(sweep_fit(s, &fold, c, err));
      TRY(arithmetic_check(err));
    }
  }
  return DPERM_OK;
}

/* ---- all of it */

static dperm_status run_cells(sweep *s, const dperm_options *cells, dperm_error *err) {
  OWNED(threads_leave) thread_scope threads = threads_enter(s->how->threads);
  s->split.folds = s->how->test_data ? 1 : s->how->folds;
  s->parts = s->how->test_parts > 1 ? s->how->test_parts : 1;
  TRY(scratch_take(&s->work, s->count, sizeof *s->cells, &s->cells, err));
  TRY(scratch_take(&s->work, s->count, sizeof *s->groups, &s->groups, err));
  if (!s->how->test_data) {
    TRY(split_draw(rows_in_all(s->data->x), s->how->folds, s->how->seed, &s->split, err));
  }
  TRY(plan_cells(s, cells, err));
  TRY(find_baseline(s, err));
  TRY(results_open(s, err));
  TRY(arithmetic_check(err));
  TRY(open_all_rows(s, err));
  for (size_t fold = 0; fold < s->split.folds; fold++) {
    TRY(run_fold(s, fold, err));
  }
  return DPERM_OK;
}

static void close_sweep(sweep *s) {
  for (size_t c = 0; s->cells && c < s->count; c++) {
    free(s->cells[c].impossible);
    free(s->cells[c].class_weights);
  }
  for (size_t g = 0; g < s->group_count; g++) {
    group_close(&s->groups[g], s);
  }
  if (s->journal >= 0) {
    (void)close(s->journal);
  }
  free(s->split.part);
  scratch_free(&s->work);
}

dperm_status dperm_sweep(const dperm_data *data, const dperm_options *given, size_t count,
                         const dperm_sweep_options *given_how, dperm_sweep_visitor *visit,
                         void *context, dperm_error *err) {
  OWNED_MEMORY dperm_options *cells = NULL;
  OWNED(dperm_data_free_at) dperm_data *own = NULL, *own_test = NULL;
  dperm_sweep_options how;
  dperm_status status = take_request(data, given, count, given_how, &cells, &how, err);
  TRY(ranks_agree(data->x->spread, status, err));
  /* One record of each person, so that none is on both sides of a fold. */
  TRY(data_once(data, &own, &data, err));
  if (how.test_data) {
    TRY(data_once(how.test_data, &own_test, &how.test_data, err));
  }
  OWNED(close_sweep)
  sweep s = {.data = data, .how = &how, .count = count, .journal = -1, .progress = {tick, &s}};
  OWNED(cancel_end) cancel_token stop;
  cancel_begin(&stop, &s.progress, "sweeping");
  status = run_cells(&s, cells, err);
  if (status == DPERM_OK && ranks_lead(data->x->spread)) {
    status = results_visit(&s, visit, context, err);
  }
  status = ranks_agree(data->x->spread, status, err);
  if (status == DPERM_CANCELLED && s.journal >= 0) {
    (void)error_set(err, status,
                    "stopped on request; %s has what is done, and the same call goes on from there",
                    how.journal);
  }
  return status;
}
