/* Output perturbation (CMS Algorithm 1): minimize, then add noise to the minimizer. One record
 * moves the minimizer by at most 2LR/(nΛ) (privacy.md 3), whatever the others are. */
#include "base/double_double.h"
#include "base/scratch.h"
#include "mechanism/mechanism.h"

static dperm_status run_output(const privacy_plan *plan, const problem *base,
                               const solver_options *how, const promise *promised,
                               random_source *source, solution *out, solver_report *report,
                               dperm_error *err) {
  dperm_status status = DPERM_OK;
  double *b = NULL, norm = 0;
  const problem_model model = {.lambda = plan->lambda};
  scratch work;
  scratch_init(&work);
  TRY_OR_DONE(scratch_take(&work, plan->noise.dims, sizeof *b, &b, err));
  TRY_OR_DONE(mechanism_noise(plan, promised, base->x, source, b, &norm, err));
  /* The noise's own error moves the sum; as a gradient it counts Λ times. */
  double drift = plan->lambda * noise_relative_error(&plan->noise) * norm * (1 + 1e-9);
  TRY_OR_DONE(mechanism_solve(base, &model, how, promised->gradient - drift, out, report, err));
  for (size_t j = 0; j < plan->noise.dims; j++) {
    double_double sum = dd_add((double_double){out->f[j], out->rest[j]}, (double_double){b[j], 0});
    out->f[j] = sum.hi;
    out->rest[j] = sum.lo;
  }
done:
  scratch_free(&work);
  return status;
}

const mechanism mechanism_output = {"output", run_output};
