/* Output perturbation needs one minimum for all draws, as precise as the most demanding of them.
 * Objective perturbation starts every draw at the minimum without noise, with the Hessian's factor
 * there; a draw that is not certified in the batch is solved alone. */
#include "mechanism/batch_draws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/double_double.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "solve/batch_solve.h"
#include "solve/direction.h"

static solution solution_at(const batch_solutions *all, size_t m, size_t dims) {
  return (solution){all->f + m * dims, all->rest + m * dims};
}

/* ---- output */

dperm_status batch_output(const privacy_plan *plan, const problem *base, const solver_options *how,
                          const promise *promised, random_source *sources, size_t count,
                          batch_solutions *out, dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t dims = base->x->cols;
  const problem_model model = {.lambda = plan->lambda};
  double *work = NULL, longest = 0;
  solver_report report;
  TRY_OR_DONE(memory_new(2 * dims, sizeof *work, &work, err));
  for (size_t m = 0; m < count; m++) {
    double norm = 0;
    TRY_OR_DONE(
        mechanism_noise(plan, promised, base->x, &sources[m], out->f + m * dims, &norm, err));
    longest = fmax(longest, norm);
  }
  solution minimum = {work, work + dims};
  double drift = plan->lambda * noise_relative_error(&plan->noise) * longest * (1 + 1e-9);
  TRY_OR_DONE(
      mechanism_solve(base, &model, how, promised->gradient - drift, &minimum, &report, err));
  for (size_t i = 0; i < count * dims; i++) {
    size_t j = i % dims;
    double_double sum =
        dd_add((double_double){minimum.f[j], minimum.rest[j]}, (double_double){out->f[i], 0});
    out->f[i] = sum.hi;
    out->rest[i] = sum.lo;
  }
done:
  free(work);
  return status;
}

/* ---- objective */

typedef struct draws {
  double *linear;             /* b/n of each draw */
  double *target, *certified; /* per draw, for the gradient */
  problem_model *models;
  double *factor;
} draws;

static void free_draws(draws *d) {
  free(d->linear);
  free(d->target);
  free(d->certified);
  free(d->models);
  free(d->factor);
}

static dperm_status draw_all(const privacy_plan *plan, const promise *promised, const matrix *x,
                             random_source *sources, size_t count, draws *d, dperm_error *err) {
  size_t dims = plan->noise.dims;
  double rows = (double)rows_in_all(x);
  TRY(memory_new(count * dims, sizeof *d->linear, &d->linear, err));
  TRY(memory_new(count, sizeof *d->target, &d->target, err));
  TRY(memory_new(count, sizeof *d->certified, &d->certified, err));
  TRY(memory_new(count, sizeof *d->models, &d->models, err));
  for (size_t m = 0; m < count; m++) {
    double *linear = d->linear + m * dims, norm = 0;
    TRY(mechanism_noise(plan, promised, x, &sources[m], linear, &norm, err));
    for (size_t j = 0; j < dims; j++) {
      linear[j] /= rows;
    }
    double drift = noise_relative_error(&plan->noise) * norm / rows * (1 + 1e-9);
    d->target[m] = promised->gradient - drift;
    d->certified[m] = INFINITY;
    d->models[m] =
        (problem_model){.lambda = plan->lambda, .ridge = plan->delta_reg, .linear = linear};
  }
  return DPERM_OK;
}

/* All draws at the minimum without noise: f of the first is where it is found. */
static dperm_status start_draws(const problem *base, const privacy_plan *plan,
                                const solver_options *how, size_t count, draws *d,
                                batch_solutions *out, dperm_error *err) {
  size_t dims = base->x->cols;
  problem p = *base;
  solver_options roughly = *how;
  solver_report report;
  p.model = (problem_model){.lambda = plan->lambda, .ridge = plan->delta_reg};
  roughly.tolerance = 1e-4; /* a place to start from */
  memset(out->f, 0, dims * sizeof *out->f);
  TRY(memory_new(dims * dims, sizeof *d->factor, &d->factor, err));
  TRY(solve(&p, &roughly, out->f, &report, err));
  TRY(hessian_factor(&p, out->f, d->factor, err));
  for (size_t m = 1; m < count; m++) {
    memcpy(out->f + m * dims, out->f, dims * sizeof *out->f);
  }
  return DPERM_OK;
}

dperm_status batch_objective(const privacy_plan *plan, const problem *base,
                             const solver_options *how, const promise *promised,
                             random_source *sources, size_t count, batch_solutions *out,
                             dperm_error *err) {
  dperm_status status = DPERM_OK;
  size_t dims = base->x->cols;
  draws d = {0};
  solver_report report;
  TRY_OR_DONE(draw_all(plan, promised, base->x, sources, count, &d, err));
  if (batch_possible(base)) {
    TRY_OR_DONE(start_draws(base, plan, how, count, &d, out, err));
    TRY_OR_DONE(batch_solve(base, d.models, count, d.factor, d.target, how->progress, out->f,
                            d.certified, err));
  }
  memset(out->rest, 0, count * dims * sizeof *out->rest);
  for (size_t m = 0; m < count; m++) {
    if (!(d.certified[m] <= d.target[m])) {
      solution alone = solution_at(out, m, dims);
      TRY_OR_DONE(mechanism_solve(base, &d.models[m], how, d.target[m], &alone, &report, err));
    }
  }
done:
  free_draws(&d);
  return status;
}
