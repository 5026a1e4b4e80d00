/* The fits of one fold. A draw has a stream of its own, the same for all cells: cells are compared
 * under the same randomness, and none depends on which others there are or in which order they
 * run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/progress.h"
#include "mechanism/mechanism.h"
#include "pipeline/sweep_parts.h"

/* Models whose errors are counted at once: X F in blocks. */
enum { JUDGED_TOGETHER = 32 };

static dperm_status draw_source(const sweep_work *w, size_t draw, random_source *out,
                                dperm_error *err) {
  char purpose[25];
  (void)snprintf(purpose, sizeof purpose, "%zx draw %zx", w->fold->number, draw);
  return random_public(w->seed, purpose, out, err);
}

/* Wrong predictions of `count` models, `weights` one after the other. */
static dperm_status count_errors(const sweep_work *w, const double *weights, size_t count,
                                 uint64_t *errors, dperm_error *err) {
  dperm_status status = DPERM_OK;
  const matrix *x = w->fold->test;
  double *f = NULL, *z = NULL;
  TRY_OR_DONE(memory_new(x->cols * JUDGED_TOGETHER, sizeof *f, &f, err));
  TRY_OR_DONE(memory_new(x->rows * JUDGED_TOGETHER, sizeof *z, &z, err));
  for (size_t from = 0; from < count; from += JUDGED_TOGETHER) {
    size_t k = count - from < JUDGED_TOGETHER ? count - from : JUDGED_TOGETHER;
    for (size_t m = 0; m < k; m++) {
      for (size_t j = 0; j < x->cols; j++) {
        f[j * k + m] = weights[(from + m) * x->cols + j];
      }
    }
    TRY_OR_DONE(x->kind->apply(x, f, k, z, err));
    for (size_t m = 0; m < k; m++) {
      errors[from + m] = 0;
    }
    for (size_t i = 0; i < x->rows; i++) {
      bool actual = w->fold->test_labels[i] > 0;
      for (size_t m = 0; m < k; m++) {
        errors[from + m] += (z[i * k + m] > 0) != actual;
      }
    }
  }
done:
  free(f);
  free(z);
  return status;
}

static dperm_status fit_cell(const sweep_work *w, const sweep_cell *cell, double *weights,
                             dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t dims = w->fold->train->cols;
  const problem base = {.x = w->fold->train,
                        .labels = w->fold->train_labels,
                        .norm_bound = w->norm,
                        .loss = &cell->options.loss,
                        .regularizer = &cell->options.regularizer};
  const solver_options how = {.tolerance = cell->options.gradient_tolerance,
                              .progress = w->progress};
  solution found = {NULL, NULL};
  solver_report report;
  random_source source;
  TRY_OR_DONE(memory_new(dims, sizeof *found.f, &found.f, err));
  TRY_OR_DONE(memory_new(dims, sizeof *found.rest, &found.rest, err));
  for (size_t draw = 0; draw < cell->models; draw++) {
    TRY_OR_DONE(draw_source(w, draw, &source, err));
    TRY_OR_DONE(fit_run(&cell->plan[w->fold->variant], &base, &how, &source, &found,
                        weights + draw * dims, &report, err));
  }
done:
  free(found.f);
  free(found.rest);
  return status;
}

dperm_status sweep_fit(const sweep_work *w, dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t dims = w->fold->train->cols, most = 0;
  double *weights = NULL;
  uint64_t *errors = NULL;
  for (size_t c = 0; c < w->count; c++) {
    size_t models = w->cells[w->chosen[c]].models;
    most = models > most ? models : most;
  }
  TRY_OR_DONE(memory_new(most, sizeof *errors, &errors, err));
  TRY_OR_DONE(memory_new(most, dims * sizeof *weights, &weights, err));
  for (size_t c = 0; c < w->count; c++) {
    const sweep_cell *cell = &w->cells[w->chosen[c]];
    TRY_OR_DONE(fit_cell(w, cell, weights, err));
    TRY_OR_DONE(count_errors(w, weights, cell->models, errors, err));
    TRY_OR_DONE(w->done(w->context, w->chosen[c], errors, err));
  }
done:
  free(weights);
  free(errors);
  return status;
}
