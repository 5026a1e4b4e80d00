/* A sweep from beginning to end: check and plan every cell, split the rows, open the journal, run
 * what is not done, and only then report the results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/threads.h"
#include "data/class_weights.h"
#include "mechanism/given_options.h"
#include "pipeline/fit_share.h"
#include "pipeline/options.h"
#include "pipeline/sweep_run.h"

enum { MOST_CELLS = 100000, MOST_FOLDS = 100000, MOST_DRAWS = 10000000, MOST_PARTS = 1000 };

static const sized_struct how_struct = SIZED_STRUCT(dperm_sweep_options, progress);
static const dperm_sweep_options how_defaults = {.folds = 10, .draws = 10, .seed = 1};

void dperm_sweep_options_init_sized(dperm_sweep_options *options, size_t size) {
  sized_init(&how_struct, &how_defaults, options, size);
}

/* ---- what is asked for */

static dperm_status check_folds(const dperm_sweep_options *how, size_t rows, dperm_error *err) {
  if (!how->test_data && (how->folds < 2 || how->folds > rows || how->folds > MOST_FOLDS)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%zu folds of %zu rows; give at least 2, at most one a row and at most %d", how->folds,
         rows, MOST_FOLDS);
  }
  return DPERM_OK;
}

/* The options of the sweep and of its cells, which the caller frees, also after a failure. */
static dperm_status take_request(const dperm_data *data, const dperm_options *given, size_t count,
                                 const dperm_sweep_options *given_how, dperm_options **cells,
                                 dperm_sweep_options *how, dperm_error *err) {
  TRY(sized_take(&how_struct, given_how, how, err));
  if (count == 0 || count > MOST_CELLS) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%zu cells; give from 1 to %d", count, MOST_CELLS);
  }
  TRY(given_options_all(given, count, cells, err));
  if (how->draws == 0 || how->draws > MOST_DRAWS) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%zu draws; give from 1 to %d", how->draws, MOST_DRAWS);
  }
  TRY(data_check_any(data, err));
  TRY(check_folds(how, rows_in_all(data->x), err));
  if (how->test_data && how->test_data->x->cols != data->x->cols) {
    FAIL(err, DPERM_INVALID_DATA, "the rows to test on have %zu columns, the others %zu",
         how->test_data->x->cols, data->x->cols);
  }
  if (how->test_data && how->test_data->x->spread != data->x->spread) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "the rows to test on are not among the processes that have the others; read both alike");
  }
  if (how->test_parts > 1 && (!how->test_data || how->test_parts > rows_in_all(how->test_data->x) ||
                              how->test_parts > MOST_PARTS)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%zu parts of the rows to test on; there must be such rows, and at most %d parts",
         how->test_parts, MOST_PARTS);
  }
  TRY(data_check_labels(data, 0, err));
  if (how->test_data) {
    TRY(data_check_labels(how->test_data, data_class_count(data), err));
  }
  TRY(check_threads(how->threads, err));
  for (size_t c = 0; c < count; c++) {
    const dperm_kernel *kernel = &(*cells)[c].kernel, *first = &(*cells)[0].kernel;
    TRY(options_validate(&(*cells)[c], err));
    TRY(check_calibrate_none(&(*cells)[c], "sweep", err));
    if (kernel->name != first->name || kernel->gamma != first->gamma ||
        kernel->features != first->features || kernel->independent != first->independent ||
        kernel->seed != first->seed) {
      FAIL(err, DPERM_INVALID_ARGUMENT, "cells have different kernels; sweep them one by one");
    }
  }
  return DPERM_OK;
}

/* ---- plans */

/* Cells without a plan are part of the result; only if there are no others is that a failure. */
static dperm_status plan_cells(sweep *s, const dperm_options *cells, dperm_error *err) {
  size_t possible = 0, rows = rows_in_all(s->data->x);
  dperm_error first = {0};
  for (size_t c = 0; c < s->count; c++) {
    sweep_cell *cell = &s->cells[c];
    dperm_error why = {0};
    dperm_status status = check_refined_unit(&cells[c], s->data->schema, &why);
    cell->options = options_per_row(&cells[c]);
    for (size_t v = 0; v < 2 && status == DPERM_OK; v++) {
      const dperm_options *o = &cell->options;
      bool about = o->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE; /* of the rows trained on */
      size_t trained = about ? o->rows_about : split_train_rows(&s->split, rows, v);
      status = fit_check_public(s->data, trained, o, &cell->plan[v], &why);
    }
    if (status != DPERM_OK) {
      TRY(memory_copy_text(why.message, strlen(why.message), &cell->impossible, err));
      first = first.status == DPERM_OK ? why : first;
      continue;
    }
    TRY(class_weights_of_data(s->data, cells[c].class_weights, cells[c].class_weight_count,
                              &cell->class_weights, err));
    cell->models = cells[c].mechanism == DPERM_MECHANISM_NONE ? 1 : s->how->draws;
    possible++;
    s->models += cell->models * s->split.folds;
  }
  if (possible == 0 && !s->how->all_impossible) {
    FAIL(err, first.status, "%s", first.message);
  }
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
    out->x = out->kept ? out->kept : out->made;
  }
  return DPERM_OK;
}

static int tick(void *context, const char *stage, uint64_t done, uint64_t total) {
  const sweep *s = context;
  (void)stage;
  (void)done;
  (void)total;
  const dperm_progress *progress = &s->how->progress;
  return progress->tick ? progress->tick(progress->context, "sweeping", s->models_done, s->models)
                        : 0;
}

/* A kernel's directions are drawn once for all cells, from the sweep's seed unless they have one.
 */
static dperm_status open_all_rows(sweep *s, dperm_error *err) {
  dperm_kernel kernel = s->cells[0].options.kernel;
  if (kernel.name != DPERM_KERNEL_NONE) {
    random_source source;
    TRY(random_public(s->how->seed, "sweep kernel", &source, err));
    kernel.seed = kernel.seed ? kernel.seed : 1 + random_bits(&source) % ((UINT64_C(1) << 53) - 1);
    TRY(feature_map_new(&kernel, s->data->x->cols, &s->progress, &s->map, err));
  }
  TRY(open_rows(s->data, s->map, s->split.part != NULL, &s->rows, err));
  return s->how->test_data ? open_rows(s->how->test_data, s->map, false, &s->test, err) : DPERM_OK;
}

/* ---- running */

static bool same_loss(const dperm_options *a, const dperm_options *b) {
  const dperm_loss *l = &a->loss, *m = &b->loss;
  bool same_parameter =
      l->parameter == m->parameter || (isnan(l->parameter) && isnan(m->parameter));
  const dperm_regularizer *r = &a->regularizer, *q = &b->regularizer;
  return l->eval == m->eval && l->context == m->context && same_parameter && r->eval == q->eval &&
         r->context == q->context && r->weights == q->weights && r->prior == q->prior &&
         r->most_curvature == q->most_curvature && r->slope_error == q->slope_error;
}

/* The cells of this fold that are not done and have the loss of the first of them. */
static size_t choose_cells(const sweep *s, size_t fold, size_t *chosen) {
  size_t count = 0;
  for (size_t c = 0; c < s->count; c++) {
    const sweep_cell *cell = &s->cells[c];
    if (!cell->impossible && !results_done(s, c, fold) &&
        (count == 0 || same_loss(&s->cells[chosen[0]].options, &cell->options))) {
      chosen[count++] = c;
    }
  }
  return count;
}

static dperm_status run_fold(sweep *s, size_t number, size_t *chosen, dperm_error *err) {
  OWNED(fold_close) sweep_fold fold = {0};
  size_t count = choose_cells(s, number, chosen);
  if (count > 0) {
    TRY(fold_open(&s->split, &s->rows, s->how->test_data ? &s->test : NULL, number, &fold, err));
  }
  for (; count > 0; count = choose_cells(s, number, chosen)) {
    TRY(sweep_fit(s, &fold, chosen, count, err));
    TRY(arithmetic_check(err));
  }
  return DPERM_OK;
}

/* ---- all of it */

static dperm_status run_cells(sweep *s, const dperm_options *cells, dperm_error *err) {
  OWNED(threads_leave_at) thread_scope threads = threads_enter(s->how->threads);
  size_t *chosen = NULL;
  s->split.folds = s->how->test_data ? 1 : s->how->folds;
  s->parts = s->how->test_parts > 1 ? s->how->test_parts : 1;
  TRY(scratch_take(&s->work, s->count, sizeof *s->cells, &s->cells, err));
  TRY(scratch_take(&s->work, s->count, sizeof *chosen, &chosen, err));
  if (!s->how->test_data) {
    TRY(split_draw(rows_in_all(s->data->x), s->how->folds, s->how->seed, &s->split, err));
  }
  TRY(plan_cells(s, cells, err));
  TRY(results_open(s, err));
  TRY(arithmetic_check(err));
  TRY(open_all_rows(s, err));
  for (size_t fold = 0; fold < s->split.folds; fold++) {
    TRY(run_fold(s, fold, chosen, err));
  }
  return DPERM_OK;
}

static void close_sweep(sweep *s) {
  for (size_t c = 0; s->cells && c < s->count; c++) {
    free(s->cells[c].impossible);
    free(s->cells[c].class_weights);
  }
  journal_close(s->journal);
  sweep_rows_free(&s->rows);
  sweep_rows_free(&s->test);
  feature_map_free(s->map);
  free(s->split.part);
  scratch_free(&s->work);
}

dperm_status dperm_sweep(const dperm_data *data, const dperm_options *given, size_t count,
                         const dperm_sweep_options *given_how, dperm_sweep_visitor *visit,
                         void *context, dperm_error *err) {
  OWNED_MEMORY dperm_options *cells = NULL;
  dperm_sweep_options how = how_defaults;
  dperm_status status = take_request(data, given, count, given_how, &cells, &how, err);
  TRY(ranks_agree(data->x->spread, status, err));
  OWNED(close_sweep)
  sweep s = {.data = data, .how = &how, .count = count, .progress = {tick, &s}};
  OWNED(cancel_end) cancel_token stop;
  cancel_begin(&stop, &s.progress, "sweeping");
  status = run_cells(&s, cells, err);
  if (status == DPERM_OK && ranks_lead(data->x->spread)) {
    status = results_visit(&s, visit, context, err);
  }
  status = ranks_agree(data->x->spread, status, err);
  if (status == DPERM_CANCELLED && s.journal) {
    (void)error_set(err, status,
                    "stopped on request; %s has what is done, and the same call goes on from there",
                    how.journal);
  }
  return status;
}

dperm_status dperm_sweep_share(size_t rows, size_t classes, const dperm_options *cell,
                               const dperm_sweep_options *given_how, size_t *fit_rows,
                               double *fit_epsilon, dperm_error *err) {
  dperm_options options;
  dperm_sweep_options how = how_defaults;
  TRY(sized_take(&how_struct, given_how, &how, err));
  TRY(given_options(cell, &options, err));
  TRY(check_folds(&how, rows, err));
  TRY(fit_share_epsilon(&options, classes, ROUNDS_NONE, fit_epsilon, err));
  *fit_rows = options.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? options.rows_about
              : how.test_data                                   ? rows
                              : rows - (rows + how.folds - 1) / how.folds;
  return DPERM_OK;
}
