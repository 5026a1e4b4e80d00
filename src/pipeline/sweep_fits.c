/* The fits of one fold. A draw has a stream of its own, the same for all cells: cells are compared
 * under the same randomness, and none depends on which others there are or in which order they
 * run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "data/class_weights.h"
#include "mechanism/batch_draws.h"
#include "pipeline/sweep_parts.h"

/* Weight vectors that rows are multiplied by at once: X F in blocks. */
enum { JUDGED_TOGETHER = 32 };

static dperm_status draw_source(const sweep_work *w, size_t draw, random_source *out,
                                dperm_error *err) {
  char purpose[25];
  (void)snprintf(purpose, sizeof purpose, "%zx draw %zx", w->fold->number, draw);
  return random_public(w->seed, purpose, out, err);
}

/* Wrong predictions of `count` models, `weights` one after the other, each with one vector for each
 * of its fits, in each part of the rows: of the rows here. */
static dperm_status count_here(const sweep_work *w, const double *weights, size_t count,
                               uint64_t *errors, dperm_error *err) {
  dperm_status status = DPERM_OK;
  const matrix *x = w->fold->test;
  size_t fits = class_fits(w->classes), together = JUDGED_TOGETHER / fits;
  size_t rows = rows_in_all(x), first = x->spread ? x->first : 0;
  double *f = NULL, *z = NULL;
  together = together > 0 ? together : 1;
  TRY_OR_DONE(memory_new(x->cols * together * fits, sizeof *f, &f, err));
  TRY_OR_DONE(memory_new(x->rows * together * fits, sizeof *z, &z, err));
  for (size_t from = 0; from < count; from += together) {
    size_t models = count - from < together ? count - from : together, k = models * fits;
    for (size_t m = 0; m < k; m++) {
      for (size_t j = 0; j < x->cols; j++) {
        f[j * k + m] = weights[(from * fits + m) * x->cols + j];
      }
    }
    TRY_OR_DONE(x->kind->apply(x, f, k, z, err));
    for (size_t m = 0; m < models * w->parts; m++) {
      errors[from * w->parts + m] = 0;
    }
    for (size_t i = 0; i < x->rows; i++) {
      double actual = w->fold->test_labels[i];
      size_t part = (first + i) * w->parts / rows;
      for (size_t m = 0; m < models; m++) {
        size_t winner = model_winner(w->classes, z + i * k + m * fits);
        errors[(from + m) * w->parts + part] += class_label(w->classes, winner) != actual;
      }
    }
  }
done:
  free(f);
  free(z);
  return status;
}

static dperm_status count_errors(const sweep_work *w, const double *weights, size_t count,
                                 uint64_t *errors, dperm_error *err) {
  dperm_status status = count_here(w, weights, count, errors, err);
  return ranks_add(w->fold->test->spread, status, errors, count * w->parts, err);
}

/* ---- fits */

/* Space for one cell at a time, its draws side by side. */
typedef struct fits {
  const sweep_work *work;
  problem base;
  random_source *sources;
  batch_solutions found;
  double *weights; /* of each model, for each class if there are more than two */
  double *sides;   /* labels of one class against the others; NULL for two classes */
  double *shares;  /* the weight of each row's class, where a cell weighs them */
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
  TRY(memory_new(most * w->parts, sizeof *out->errors, &out->errors, err));
  TRY(memory_new(most * class_fits(w->classes), dims * sizeof *out->weights, &out->weights, err));
  if (w->classes > 2) {
    TRY(memory_new(w->fold->train->rows, sizeof *out->sides, &out->sides, err));
    out->base.labels = out->sides;
  }
  for (size_t c = 0; c < w->count && !out->shares; c++) {
    if (w->cells[w->chosen[c]].class_weights) {
      TRY(memory_new(w->fold->train->rows, sizeof *out->shares, &out->shares, err));
    }
  }
  TRY(memory_new(most, dims * sizeof *out->found.f, &out->found.f, err));
  return memory_new(most, dims * sizeof *out->found.rest, &out->found.rest, err);
}

static void close_fits(fits *f) {
  free(f->sources);
  free(f->errors);
  free(f->weights);
  free(f->sides);
  free(f->shares);
  free(f->found.f);
  free(f->found.rest);
}

/* Where the weights of one model's fit go. */
static double *weights_of(const fits *f, size_t model, size_t fit) {
  return f->weights + (model * class_fits(f->work->classes) + fit) * f->base.x->cols;
}

static dperm_status fit_plain(fits *f, const sweep_cell *cell, size_t fit,
                              const solver_options *how, dperm_error *err) {
  solver_report report;
  solution found = {f->found.f, f->found.rest};
  return fit_run(&cell->plan[f->work->fold->variant], &f->base, how, f->sources, &found,
                 weights_of(f, 0, fit), &report, err);
}

/* A model's fits draw from one source, one after the other, as training does. */
static dperm_status fit_draws(fits *f, const sweep_cell *cell, size_t fit,
                              const solver_options *how, dperm_error *err) {
  const sweep_work *w = f->work;
  const fit_plan *plan = &cell->plan[w->fold->variant];
  bool objective = plan->privacy.mechanism == DPERM_MECHANISM_OBJECTIVE;
  size_t dims = w->fold->train->cols;
  for (size_t m = 0; fit == 0 && m < cell->models; m++) {
    TRY(draw_source(w, m, &f->sources[m], err));
  }
  TRY((objective ? batch_objective : batch_output)(&plan->privacy, &f->base, how,
                                                   &plan->release.promised, f->sources,
                                                   cell->models, &f->found, err));
  for (size_t m = 0; m < cell->models; m++) {
    const solution found = {f->found.f + m * dims, f->found.rest + m * dims};
    TRY(fit_release(plan, f->base.x->spread, &found, dims, &f->sources[m], weights_of(f, m, fit),
                    err));
  }
  return DPERM_OK;
}

static dperm_status fit_cell(fits *f, const sweep_cell *cell, dperm_error *err) {
  const sweep_work *w = f->work;
  const solver_options how = {.tolerance = cell->options.gradient_tolerance,
                              .progress = w->progress};
  f->base.shares = cell->class_weights ? f->shares : NULL;
  if (cell->class_weights) {
    class_weights_of_rows(cell->class_weights, w->classes, w->fold->train_labels,
                          w->fold->train->rows, f->shares);
  }
  for (size_t fit = 0; fit < class_fits(w->classes); fit++) {
    for (size_t i = 0; f->sides && i < w->fold->train->rows; i++) {
      f->sides[i] = w->fold->train_labels[i] == (double)fit ? 1.0 : -1.0;
    }
    TRY(cell->options.mechanism == DPERM_MECHANISM_NONE ? fit_plain(f, cell, fit, &how, err)
                                                        : fit_draws(f, cell, fit, &how, err));
  }
  return DPERM_OK;
}

dperm_status sweep_fit(const sweep_work *w, dperm_error *err) {
  dperm_status status = DPERM_OK;
  fits f = {0};
  TRY_OR_DONE(open_fits(w, &f, err));
  for (size_t c = 0; c < w->count; c++) {
    const sweep_cell *cell = &w->cells[w->chosen[c]];
    TRY_OR_DONE(fit_cell(&f, cell, err));
    TRY_OR_DONE(count_errors(w, f.weights, cell->models, f.errors, err));
    TRY_OR_DONE(w->done(w->context, w->chosen[c], f.errors, err));
  }
done:
  close_fits(&f);
  return status;
}
