/* A sweep from beginning to end: check and plan every cell, split the rows, open the journal, run
 * what is not done, and only then tell the results, which are made of counts of errors alone: how
 * often it was interrupted on the way does not show. */
#include <math.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/sized.h"
#include "base/threads.h"
#include "data/class_weights.h"
#include "data/identity.h"
#include "dperm/sweep.h"
#include "mechanism/given_options.h"
#include "pipeline/options.h"
#include "pipeline/sweep_journal.h"
#include "pipeline/sweep_parts.h"
#include "random/noise.h"

enum { MOST_CELLS = 100000, MOST_FOLDS = 100000, MOST_DRAWS = 10000000, MOST_PARTS = 1000 };

typedef struct sweep {
  const dperm_data *data;
  const dperm_sweep_options *how;
  size_t count;
  sweep_cell *cells;
  sweep_split split;
  feature_map *map; /* or NULL */
  sweep_rows rows, test;
  sweep_journal *journal;
  size_t fold;      /* at hand */
  uint64_t *errors; /* of each cell, fold, draw and part */
  size_t parts;     /* of the rows to test on, counted by themselves; 1 with folds */
  bool *done;       /* of each cell and fold */
  uint64_t models, models_done;
  dperm_progress progress; /* the caller's, with the models done */
  cancel_token stop;
} sweep;

static const sized_struct how_struct = SIZED_STRUCT(dperm_sweep_options, progress);
static const dperm_sweep_options how_defaults = {.folds = 10, .draws = 10, .seed = 1};

void dperm_sweep_options_init_sized(dperm_sweep_options *options, size_t size) {
  sized_init(&how_struct, &how_defaults, options, size);
}

/* ---- what is asked for */

static dperm_status take_request(const dperm_options *cells, size_t count,
                                 const dperm_sweep_options *how, dperm_options **taken_cells,
                                 dperm_sweep_options *taken_how, dperm_error *err) {
  *taken_how = how_defaults;
  TRY(sized_take(&how_struct, how, taken_how, err));
  if (count == 0 || count > MOST_CELLS) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%zu cells; give from 1 to %d", count, MOST_CELLS);
  }
  return given_options_all(cells, count, taken_cells, err);
}

static dperm_status check_request(const dperm_data *data, const dperm_options *cells, size_t count,
                                  const dperm_sweep_options *how, dperm_error *err) {
  if (how->draws == 0 || how->draws > MOST_DRAWS) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%zu draws; give from 1 to %d", how->draws, MOST_DRAWS);
  }
  size_t rows = rows_in_all(data->x);
  if (!how->test_data && (how->folds < 2 || how->folds > rows || how->folds > MOST_FOLDS)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%zu folds of %zu rows; give at least 2, at most one a row and at most %d", how->folds,
         rows, MOST_FOLDS);
  }
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
  if (how->threads < 0 || how->threads > 4096) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%d threads; give 1 to 4096, or 0 for all cores",
         how->threads);
  }
  for (size_t c = 0; c < count; c++) {
    const dperm_kernel *kernel = &cells[c].kernel, *first = &cells[0].kernel;
    TRY(options_validate(&cells[c], err));
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
    dperm_status status = DPERM_OK;
    cell->options = options_per_row(&cells[c]);
    cell->models = cells[c].mechanism == DPERM_MECHANISM_NONE ? 1 : s->how->draws;
    for (size_t v = 0; v < 2 && status == DPERM_OK; v++) {
      status = fit_check_public(s->data, split_train_rows(&s->split, rows, v), &cell->options,
                                &cell->plan[v], &why);
    }
    if (status == DPERM_OK) {
      TRY(class_weights_of_data(s->data, cells[c].class_weights, cells[c].class_weight_count,
                                &cell->class_weights, err));
    }
    if (status != DPERM_OK) {
      TRY(memory_copy_text(why.message, strlen(why.message), &cell->impossible, err));
      first = possible == 0 && first.status == DPERM_OK ? why : first;
      cell->models = 0;
    }
    possible += status == DPERM_OK;
    s->models += cell->models * s->split.folds;
  }
  if (possible == 0) {
    FAIL(err, first.status, "%s", first.message);
  }
  return DPERM_OK;
}

/* ---- rows as models see them */

static dperm_status open_rows(const dperm_data *data, const feature_map *map, bool cut,
                              cancel_token *stop, sweep_rows *out, dperm_error *err) {
  *out = (sweep_rows){.x = data->x, .labels = data->labels};
  if (map) {
    TRY(features_new(map, data->x, &out->made, err));
    out->made->cancel = stop;
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
  TRY(open_rows(s->data, s->map, s->split.part != NULL, &s->stop, &s->rows, err));
  return s->how->test_data ? open_rows(s->how->test_data, s->map, false, &s->stop, &s->test, err)
                           : DPERM_OK;
}

static void close_rows(sweep_rows *rows) {
  matrix_free(rows->kept);
  matrix_free(rows->made);
}

/* ---- the journal */

/* The rows as they are encoded, not the file that they came from: a schema changes them. */
static dperm_status digest_rows(crypto_generichash_state *state, const dperm_data *data,
                                dperm_error *err) {
  unsigned char identity[IDENTITY_SIZE];
  TRY(identity_of_stripes(data, identity, err));
  (void)crypto_generichash_update(state, identity, sizeof identity);
  return DPERM_OK;
}

static dperm_status digest_sweep(const sweep *s, unsigned char out[SWEEP_DIGEST_SIZE],
                                 dperm_error *err) {
  crypto_generichash_state state;
  const uint64_t sizes[] = {
      s->split.folds, s->how->draws, s->how->seed, s->count, s->how->test_data != NULL, s->parts};
  if (sodium_init() < 0) {
    FAIL(err, DPERM_UNSUPPORTED, "libsodium could not start; check the installation");
  }
  (void)crypto_generichash_init(&state, NULL, 0, SWEEP_DIGEST_SIZE);
  sweep_digest_text(&state, "dperm sweep 1");
  sweep_digest_text(&state, dperm_version());
  (void)crypto_generichash_update(&state, (const unsigned char *)sizes, sizeof sizes);
  TRY(digest_rows(&state, s->data, err));
  if (s->how->test_data) {
    TRY(digest_rows(&state, s->how->test_data, err));
  }
  for (size_t c = 0; c < s->count; c++) {
    sweep_digest_cell(&state, &s->cells[c], data_class_count(s->data));
  }
  (void)crypto_generichash_final(&state, out, SWEEP_DIGEST_SIZE);
  return DPERM_OK;
}

static uint64_t *errors_of(const sweep *s, size_t cell, size_t fold) {
  return s->errors + (cell * s->split.folds + fold) * s->how->draws * s->parts;
}

/* Counts of a cell in one fold: of each model, in each part of the rows that judge it. */
static size_t counts_of(const sweep *s, size_t cell) {
  return s->cells[cell].models * s->parts;
}

static bool *done_of(const sweep *s, size_t cell, size_t fold) {
  return &s->done[cell * s->split.folds + fold];
}

static void keep_part(sweep *s, size_t cell, size_t fold, const uint64_t *errors) {
  memcpy(errors_of(s, cell, fold), errors, counts_of(s, cell) * sizeof *errors);
  *done_of(s, cell, fold) = true;
  s->models_done += s->cells[cell].models;
}

static dperm_status read_part(void *context, size_t cell, size_t fold, const uint64_t *errors,
                              size_t count, dperm_error *err) {
  sweep *s = context;
  if (cell >= s->count || fold >= s->split.folds || count != counts_of(s, cell) || count == 0) {
    FAIL(err, DPERM_INVALID_DATA, "%s: a part that this sweep does not have; delete the journal",
         s->how->journal);
  }
  if (!*done_of(s, cell, fold)) { /* twice is once */
    keep_part(s, cell, fold, errors);
  }
  return DPERM_OK;
}

/* The leader reads and writes the journal; what it found done is so for all. */
static dperm_status open_journal(sweep *s, dperm_error *err) {
  unsigned char digest[SWEEP_DIGEST_SIZE];
  ranks *spread = s->data->x->spread;
  dperm_status status = DPERM_OK;
  size_t parts = s->count * s->split.folds, counts = parts * s->how->draws * s->parts;
  TRY(digest_sweep(s, digest, err));
  if (ranks_lead(spread)) {
    status = journal_open(s->how->journal, digest, read_part, s, &s->journal, err);
  }
  TRY(ranks_share(spread, status, s->done, parts * sizeof *s->done, err));
  TRY(ranks_share(spread, DPERM_OK, s->errors, counts * sizeof *s->errors, err));
  return ranks_share(spread, DPERM_OK, &s->models_done, sizeof s->models_done, err);
}

/* ---- running */

static dperm_status finish_part(void *context, size_t cell, const uint64_t *errors,
                                dperm_error *err) {
  sweep *s = context;
  size_t fold = s->fold;
  if (s->journal) { /* the leader's */
    TRY(journal_add(s->journal, cell, fold, errors, counts_of(s, cell), err));
  }
  keep_part(s, cell, fold, errors);
  return progress_tick(&s->progress, "sweeping", 0, 0, err);
}

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
    if (!cell->impossible && !*done_of(s, c, fold) &&
        (count == 0 || same_loss(&s->cells[chosen[0]].options, &cell->options))) {
      chosen[count++] = c;
    }
  }
  return count;
}

static dperm_status run_fold(sweep *s, size_t number, size_t *chosen, dperm_error *err) {
  dperm_status status = DPERM_OK;
  sweep_fold fold = {0};
  sweep_work work = {.fold = &fold,
                     .classes = data_class_count(s->data),
                     .norm = s->map ? FEATURES_NORM : s->data->bounds.norm2,
                     .cells = s->cells,
                     .chosen = chosen,
                     .seed = s->how->seed,
                     .parts = s->parts,
                     .progress = &s->progress,
                     .done = finish_part,
                     .context = s};
  s->fold = number;
  work.count = choose_cells(s, number, chosen);
  if (work.count == 0) {
    return DPERM_OK;
  }
  TRY_OR_DONE(
      fold_open(&s->split, &s->rows, s->how->test_data ? &s->test : NULL, number, &fold, err));
  for (; work.count > 0; work.count = choose_cells(s, number, chosen)) {
    TRY_OR_DONE(sweep_fit(&work, err));
    TRY_OR_DONE(arithmetic_check(err));
  }
done:
  fold_close(&fold);
  return status;
}

static dperm_status run_folds(sweep *s, dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t *chosen = NULL;
  TRY(memory_new(s->count, sizeof *chosen, &chosen, err));
  TRY_OR_DONE(arithmetic_check(err));
  TRY_OR_DONE(open_all_rows(s, err));
  for (size_t fold = 0; fold < s->split.folds; fold++) {
    TRY_OR_DONE(run_fold(s, fold, chosen, err));
  }
done:
  free(chosen);
  return status;
}

/* ---- results */

/* Mean and standard error of the mean of `count` numbers; NaN for one. */
static double standard_error(const double *values, size_t count, double mean) {
  double squares = 0;
  for (size_t i = 0; i < count; i++) {
    squares += (values[i] - mean) * (values[i] - mean);
  }
  return count > 1 ? sqrt(squares / (double)(count - 1) / (double)count) : (double)NAN;
}

/* Models of one fold share the rows that judge them: what is independent is a fold's mean. With
 * rows to test on there is one fold, and the draws are what varies. */
static void summarize(const sweep *s, size_t c, double *work, dperm_sweep_cell *out) {
  const sweep_cell *cell = &s->cells[c];
  size_t models = cell->models, folds = s->split.folds, rows = rows_in_all(s->data->x), parts = 0;
  double sum = 0;
  for (size_t fold = 0; fold < folds; fold++) {
    size_t held = s->how->test_data ? rows_in_all(s->how->test_data->x)
                                    : rows - split_train_rows(&s->split, rows,
                                                              split_variant(&s->split, rows, fold));
    double in_fold = 0;
    for (size_t m = 0; m < models; m++) {
      uint64_t wrong = 0;
      for (size_t part = 0; part < s->parts; part++) {
        wrong += errors_of(s, c, fold)[m * s->parts + part];
      }
      double error = (double)wrong / (double)held;
      in_fold += error;
      if (folds == 1) {
        work[parts++] = error;
      }
    }
    if (folds > 1) {
      work[parts++] = in_fold / (double)models;
    }
    sum += in_fold / (double)models;
  }
  out->runs = models * folds;
  out->error_mean = sum / (double)folds;
  out->error_se = standard_error(work, parts, out->error_mean);
}

/* The counts of one cell's runs, fold by fold. */
static void gather_errors(const sweep *s, size_t c, uint64_t *out) {
  size_t count = counts_of(s, c);
  for (size_t fold = 0; fold < s->split.folds; fold++) {
    memcpy(out + fold * count, errors_of(s, c, fold), count * sizeof *out);
  }
}

static dperm_status tell(const sweep *s, dperm_sweep_visitor *visit, void *context,
                         dperm_error *err) {
  dperm_status status = DPERM_OK;
  double *work = NULL;
  uint64_t *errors = NULL;
  TRY_OR_DONE(memory_new(s->split.folds + s->how->draws, sizeof *work, &work, err));
  TRY_OR_DONE(memory_new(s->split.folds * s->parts, s->how->draws * sizeof *errors, &errors, err));
  for (size_t c = 0; c < s->count; c++) {
    const sweep_cell *cell = &s->cells[c];
    const privacy_plan *plan =
        &cell->plan[split_variant(&s->split, rows_in_all(s->data->x), 0)].privacy;
    dperm_sweep_cell out = {.index = c,
                            .impossible = cell->impossible,
                            .error_mean = (double)NAN,
                            .error_se = (double)NAN,
                            .lambda = (double)NAN};
    if (!cell->impossible) {
      out.lambda = plan->lambda;
      out.noise = cell->options.mechanism == DPERM_MECHANISM_NONE ? NULL : plan->noise.kind->name;
      summarize(s, c, work, &out);
      gather_errors(s, c, errors);
      out.errors = errors;
    }
    visit(context, &out);
  }
done:
  free(errors);
  free(work);
  return status;
}

/* ---- all of it */

static dperm_status open_sweep(sweep *s, const dperm_options *cells, dperm_error *err) {
  s->split.folds = s->how->test_data ? 1 : s->how->folds;
  s->parts = s->how->test_parts > 1 ? s->how->test_parts : 1;
  TRY(memory_new(s->count, sizeof *s->cells, &s->cells, err));
  TRY(memory_new(s->count * s->split.folds * s->parts, s->how->draws * sizeof *s->errors,
                 &s->errors, err));
  TRY(memory_new(s->count * s->split.folds, sizeof *s->done, &s->done, err));
  if (!s->how->test_data) {
    TRY(split_draw(rows_in_all(s->data->x), s->how->folds, s->how->seed, &s->split, err));
  }
  TRY(plan_cells(s, cells, err));
  return s->how->journal ? open_journal(s, err) : DPERM_OK;
}

static void close_sweep(sweep *s) {
  for (size_t c = 0; s->cells && c < s->count; c++) {
    free(s->cells[c].impossible);
    free(s->cells[c].class_weights);
  }
  journal_close(s->journal);
  close_rows(&s->rows);
  close_rows(&s->test);
  feature_map_free(s->map);
  free(s->split.part);
  free(s->cells);
  free(s->errors);
  free(s->done);
}

static dperm_status run_sweep(const dperm_data *data, const dperm_options *cells, size_t count,
                              const dperm_sweep_options *how, dperm_sweep_visitor *visit,
                              void *context, dperm_error *err) {
  sweep s = {.data = data, .how = how, .count = count, .progress = {tick, &s}};
  cancel_begin(&s.stop, &s.progress, "sweeping");
  thread_scope threads = threads_enter(how->threads);
  dperm_status status = open_sweep(&s, cells, err);
  if (status == DPERM_OK) {
    status = run_folds(&s, err);
  }
  threads_leave(threads);
  if (status == DPERM_OK && ranks_lead(data->x->spread)) {
    status = tell(&s, visit, context, err);
  }
  status = ranks_agree(data->x->spread, status, err);
  if (status == DPERM_CANCELLED && s.journal) {
    (void)error_set(err, status,
                    "stopped on request; %s has what is done, and the same call goes on from there",
                    how->journal);
  }
  close_sweep(&s);
  return status;
}

dperm_status dperm_sweep(const dperm_data *data, const dperm_options *given, size_t count,
                         const dperm_sweep_options *given_how, dperm_sweep_visitor *visit,
                         void *context, dperm_error *err) {
  dperm_options *cells = NULL;
  dperm_sweep_options how;
  dperm_status status = take_request(given, count, given_how, &cells, &how, err);
  status = status == DPERM_OK ? check_request(data, cells, count, &how, err) : status;
  TRY_OR_DONE(ranks_agree(data->x->spread, status, err));
  status = run_sweep(data, cells, count, &how, visit, context, err);
done:
  free(cells);
  return status;
}
