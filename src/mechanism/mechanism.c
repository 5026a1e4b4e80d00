/* The mechanisms, and what they share. */
#include "mechanism/mechanism.h"

#include <math.h>

#include "base/double_double.h"
#include "base/memory.h"
#include "loss/loss.h"
#include "solve/certify.h"
#include "solve/direction.h"

static dperm_status fail_unreached(dperm_error *err) {
  FAIL(err, DPERM_NUMERIC_ERROR,
       "the minimum was not reached; raise lambda, or check a custom loss with dperm_loss_check");
}

dperm_status mechanism_solve(const problem *p, const solver_options *how, double gradient,
                             solution *out, solver_report *report, dperm_error *err) {
  solver_options first = *how;
  first.tolerance = gradient / 2; /* the rest is for rounding */
  size_t size = problem_size(p) * sizeof *out->f;
  memset(out->f, 0, size);
  memset(out->rest, 0, size);
  *report = (solver_report){0};
  dperm_status status = solve(p, &first, out->f, report, err);
  if (status == DPERM_OK ? report->certified <= gradient : status != DPERM_NUMERIC_ERROR) {
    return status;
  }
  /* Nothing is known of an undeclared loss, nothing is claimed, and nothing will help. */
  if (!evaluation_declared(p->loss, p->regularizer)) {
    return status == DPERM_OK ? fail_unreached(err) : status;
  }
  return polish(p, gradient, how, out->f, out->rest, report, err);
}

/* Draws the plan's noise into b; *norm is at least ‖b‖₂. Where the rows of x are spread over
 * processes, the leader draws and the others are told. */
static dperm_status draw_noise(const privacy_plan *plan, const promise *promised, const matrix *x,
                               random_source *source, double *b, double *norm, dperm_error *err) {
  if (ranks_lead(x->spread)) {
    noise_draw(&plan->noise, source, b);
  }
  size_t size = noise_size(&plan->noise);
  TRY(ranks_share(x->spread, DPERM_OK, b, size * sizeof *b, err));
  *norm = norm_above(b, size);
  FAIL_IF(!(*norm <= promised->noise_norm), err, DPERM_NUMERIC_ERROR,
          "the noise came out longer than it does once in e^100 times; nothing is released");
  return DPERM_OK;
}

/* ---- no perturbation */

static dperm_status run_none(const privacy_plan *plan, const problem *base,
                             const solver_options *how, const promise *promised,
                             random_source *sources, size_t count, solution *out,
                             solver_report *report, dperm_error *err) {
  problem p = *base;
  p.model = (problem_model){.lambda = plan->lambda};
  memset(out->f, 0, problem_size(base) * sizeof *out->f);
  TRY(solve(&p, how, out->f, report, err));
  return report->converged ? DPERM_OK : fail_unreached(err);
}

/* ---- Output perturbation (CMS Algorithm 1): minimize, then add noise to the minimizer. One record
 * moves the minimizer by at most 2LR/(nΛ) (privacy.md 3), whatever the others are. Many draws need
 * one minimum, as precise as the most demanding of them. */

static dperm_status output_perturbation(const privacy_plan *plan, const problem *base,
                                        const solver_options *how, const promise *promised,
                                        random_source *sources, size_t count, solution *out,
                                        solver_report *report, dperm_error *err) {
  size_t dims = problem_size(base);
  double *minimum = NULL, longest = 0;
  OWNED(scratch_free) scratch work = {0};
  TRY(scratch_take(&work, 2 * dims, sizeof *minimum, &minimum, err));
  for (size_t m = 0; m < count; m++) {
    double norm = 0;
    TRY(draw_noise(plan, promised, base->x, &sources[m], out->f + m * dims, &norm, err));
    longest = fmax(longest, norm);
  }
  problem p = *base;
  p.model = (problem_model){.lambda = plan->lambda};
  solution found = {minimum, minimum + dims};
  /* The noise's own error moves the sum; as a gradient it counts Λ times. */
  double drift = plan->lambda * noise_relative_error(&plan->noise) * longest * (1 + 1e-9);
  TRY(mechanism_solve(&p, how, promised->gradient - drift, &found, report, err));
  for (size_t i = 0; i < count * dims; i++) {
    double_double sum = dd_add((double_double){found.f[i % dims], found.rest[i % dims]},
                               (double_double){out->f[i], 0});
    out->f[i] = sum.hi;
    out->rest[i] = sum.lo;
  }
  return DPERM_OK;
}

/* ---- Objective perturbation (CMS Algorithm 2): add a random linear term bᵀf/n to the objective,
 * then minimize, n the problem's divisor. The noise depends on public numbers only; privacy_plan.c
 * derives it, privacy.md 4 says why it suffices. Many draws start at the minimum without noise,
 * with the Hessian's factor there; one that is not certified in the batch is solved alone. */

/* Draws b/n; what the noise's own error leaves of the promised gradient is the target. */
static dperm_status draw_term(const privacy_plan *plan, const promise *promised, const problem *p,
                              random_source *source, double *linear, double *target,
                              dperm_error *err) {
  double norm = 0, rows = problem_divisor(p);
  TRY(draw_noise(plan, promised, p->x, source, linear, &norm, err));
  for (size_t j = 0; j < noise_size(&plan->noise); j++) {
    linear[j] /= rows;
  }
  *target = promised->gradient - noise_relative_error(&plan->noise) * norm / rows * (1 + 1e-9);
  return DPERM_OK;
}

/* All draws from the minimum without noise, which is found where the first one starts. */
static dperm_status solve_batch(batch *b, const solver_options *how, scratch *work,
                                dperm_error *err) {
  size_t dims = problem_size(b->p);
  solver_options roughly = *how;
  solver_report report;
  double *factor = NULL, *f = b->weights;
  roughly.tolerance = 1e-4; /* a place to start from */
  memset(f, 0, dims * sizeof *f);
  TRY(scratch_take(work, dims * dims, sizeof *factor, &factor, err));
  TRY(solve(b->p, &roughly, f, &report, err));
  TRY(hessian_factor(b->p, f, factor, err));
  for (size_t m = 1; m < b->count; m++) {
    memcpy(f + m * dims, f, dims * sizeof *f);
  }
  b->factor = factor;
  return batch_solve(b, err);
}

static dperm_status objective_perturbation(const privacy_plan *plan, const problem *base,
                                           const solver_options *how, const promise *promised,
                                           random_source *sources, size_t count, solution *out,
                                           solver_report *report, dperm_error *err) {
  size_t dims = problem_size(base);
  double *linear = NULL, *target = NULL, *certified = NULL;
  problem p = *base;
  p.model = (problem_model){.lambda = plan->lambda, .ridge = plan->delta_reg};
  OWNED(scratch_free) scratch work = {0};
  TRY(scratch_take(&work, count * dims, sizeof *linear, &linear, err));
  TRY(scratch_take(&work, count, sizeof *target, &target, err));
  TRY(scratch_take(&work, count, sizeof *certified, &certified, err));
  for (size_t m = 0; m < count; m++) {
    TRY(draw_term(plan, promised, base, &sources[m], linear + m * dims, &target[m], err));
    certified[m] = INFINITY;
  }
  if (count > 1 && !p.x->spread && dims == p.x->cols) { /* rows of one score */
    batch all = {.p = &p,
                 .linear = linear,
                 .count = count,
                 .target = target,
                 .weights = out->f,
                 .certified = certified};
    TRY(solve_batch(&all, how, &work, err));
    memset(out->rest, 0, count * dims * sizeof *out->rest);
  }
  for (size_t m = 0; m < count; m++) {
    if (!(certified[m] <= target[m])) {
      solution alone = {out->f + m * dims, out->rest + m * dims};
      p.model.linear = linear + m * dims;
      TRY(mechanism_solve(&p, how, target[m], &alone, report, err));
    }
  }
  return DPERM_OK;
}

mechanism *mechanism_of(dperm_mechanism kind) {
  return kind == DPERM_MECHANISM_OBJECTIVE ? objective_perturbation
         : kind == DPERM_MECHANISM_OUTPUT  ? output_perturbation
         : kind == DPERM_MECHANISM_DESCENT ? noisy_descent
                                           : run_none;
}
