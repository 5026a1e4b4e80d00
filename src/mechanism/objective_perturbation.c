/* Objective perturbation (CMS Algorithm 2): add a random linear term bᵀf/n to the objective, then
 * minimize, n the problem's divisor. The noise depends on public numbers only; privacy_plan.c
 * derives it, privacy.md 4 says why it suffices. Many draws start at the minimum without noise,
 * with the Hessian's factor there; one that is not certified in the batch is solved alone. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "mechanism/mechanism.h"
#include "solve/batch_solve.h"
#include "solve/direction.h"

/* Draws b/n; what the noise's own error leaves of the promised gradient is the target. */
static dperm_status draw_term(const privacy_plan *plan, const promise *promised, const problem *p,
                              random_source *source, double *linear, double *target,
                              dperm_error *err) {
  double norm = 0, rows = problem_divisor(p);
  TRY(mechanism_noise(plan, promised, p->x, source, linear, &norm, err));
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

dperm_status objective_perturbation(const privacy_plan *plan, const problem *base,
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
