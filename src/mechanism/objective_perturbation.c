/* Objective perturbation (CMS Algorithm 2): add a random linear term bᵀf/n to the objective, then
 * minimize. The noise depends on public numbers only; calibrate.c derives it, privacy.md 4 says
 * why it suffices. */
#include "base/scratch.h"
#include "mechanism/mechanism.h"

static dperm_status run_objective(const privacy_plan *plan, const problem *base,
                                  const solver_options *how, const promise *promised,
                                  random_source *source, solution *out, solver_report *report,
                                  dperm_error *err) {
  dperm_status status = DPERM_OK;
  double *linear = NULL, norm = 0, n = (double)rows_in_all(base->x);
  scratch work;
  scratch_init(&work);
  TRY_OR_DONE(scratch_take(&work, plan->noise.dims, sizeof *linear, &linear, err));
  TRY_OR_DONE(mechanism_noise(plan, promised, base->x, source, linear, &norm, err));
  for (size_t j = 0; j < plan->noise.dims; j++) {
    linear[j] /= n;
  }
  const problem_model model = {.lambda = plan->lambda, .ridge = plan->delta_reg, .linear = linear};
  double drift = noise_relative_error(&plan->noise) * norm / n * (1 + 1e-9);
  TRY_OR_DONE(mechanism_solve(base, &model, how, promised->gradient - drift, out, report, err));
done:
  scratch_free(&work);
  return status;
}

const mechanism mechanism_objective = {"objective", run_objective};
