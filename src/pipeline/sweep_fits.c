/* The fits of one fold. A draw has a stream of its own, the same for all cells: cells are compared
 * under the same randomness, and none depends on which others there are or in which order they
 * run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "mechanism/many_draws.h"
#include "pipeline/sweep_parts.h"
#include "release/lattice.h"

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

/* ---- fits */

/* Room for one cell at a time, its draws side by side. */
typedef struct fits {
  const sweep_work *work;
  problem base;
  random_source *sources;
  many_solutions found;
  double *weights;
  uint64_t *errors;
} fits;

static dperm_status open_fits(const sweep_work *w, fits *out, dperm_error *err) {
  size_t dims = w->fold->train->cols, most = 1;
  const dperm_options *options = &w->cells[w->chosen[0]].options;
  for (size_t c = 0; c < w->count; c++) {
    size_t models = w->cells[w->chosen[c]].models;
    most = models > most ? models : most;
  }
  out->work = w;
  out->base = (problem){.x = w->fold->train,
                        .labels = w->fold->train_labels,
                        .norm_bound = w->norm,
                        .loss = &options->loss,
                        .regularizer = &options->regularizer};
  TRY(memory_new(most, sizeof *out->sources, &out->sources, err));
  TRY(memory_new(most, sizeof *out->errors, &out->errors, err));
  TRY(memory_new(most, dims * sizeof *out->weights, &out->weights, err));
  TRY(memory_new(most, dims * sizeof *out->found.f, &out->found.f, err));
  return memory_new(most, dims * sizeof *out->found.rest, &out->found.rest, err);
}

static void close_fits(fits *f) {
  free(f->sources);
  free(f->errors);
  free(f->weights);
  free(f->found.f);
  free(f->found.rest);
}

static dperm_status fit_plain(fits *f, const sweep_cell *cell, const solver_options *how,
                              dperm_error *err) {
  solver_report report;
  solution found = {f->found.f, f->found.rest};
  return fit_run(&cell->plan[f->work->fold->variant], &f->base, how, f->sources, &found, f->weights,
                 &report, err);
}

static dperm_status fit_draws(fits *f, const sweep_cell *cell, const solver_options *how,
                              dperm_error *err) {
  const sweep_work *w = f->work;
  const fit_plan *plan = &cell->plan[w->fold->variant];
  bool objective = plan->privacy.mechanism == DPERM_MECHANISM_OBJECTIVE;
  size_t dims = w->fold->train->cols;
  for (size_t m = 0; m < cell->models; m++) {
    TRY(draw_source(w, m, &f->sources[m], err));
  }
  TRY((objective ? many_objective : many_output)(&plan->privacy, &f->base, how,
                                                 &plan->release.promised, f->sources, cell->models,
                                                 &f->found, err));
  for (size_t m = 0; m < cell->models; m++) {
    const solution found = {f->found.f + m * dims, f->found.rest + m * dims};
    TRY(release_weights(&plan->release, &found, dims, &f->sources[m], f->weights + m * dims, err));
    TRY(random_check(&f->sources[m], err));
  }
  return DPERM_OK;
}

dperm_status sweep_fit(const sweep_work *w, dperm_error *err) {
  dperm_status status = DPERM_OK;
  fits f = {0};
  TRY_OR_DONE(open_fits(w, &f, err));
  for (size_t c = 0; c < w->count; c++) {
    const sweep_cell *cell = &w->cells[w->chosen[c]];
    const solver_options how = {.tolerance = cell->options.gradient_tolerance,
                                .progress = w->progress};
    TRY_OR_DONE(cell->options.mechanism == DPERM_MECHANISM_NONE ? fit_plain(&f, cell, &how, err)
                                                                : fit_draws(&f, cell, &how, err));
    TRY_OR_DONE(count_errors(w, f.weights, cell->models, f.errors, err));
    TRY_OR_DONE(w->done(w->context, w->chosen[c], f.errors, err));
  }
done:
  close_fits(&f);
  return status;
}
