/* Objective perturbation (CMS Algorithm 2): add a random linear term bᵀf/n to the objective, then
 * minimize. The noise depends on public numbers only; calibrate.c derives it, privacy.md 4 says
 * why it suffices. */
#include <stdlib.h>

#include "base/memory.h"
#include "mechanism/mechanism.h"

static dperm_status run_objective(const privacy_plan *plan, const problem *base,
                                  const solver_options *how, random_source *source, double *weights,
                                  solver_report *report, dperm_error *err) {
  dperm_status status = DPERM_OK;
  double *linear = NULL;
  TRY_OR_DONE(memory_new(plan->noise.dims, sizeof *linear, &linear, err));
  noise_draw(&plan->noise, source, linear);
  for (size_t j = 0; j < plan->noise.dims; j++) {
    linear[j] /= (double)base->x->rows;
  }
  const problem_model model = {.lambda = plan->lambda, .ridge = plan->delta_reg, .linear = linear};
  TRY_OR_DONE(mechanism_solve(base, &model, how, weights, report, err));
done:
  free(linear);
  return status;
}

const mechanism mechanism_objective = {"objective", run_objective};
