/* Output perturbation (CMS Algorithm 1): minimize, then add noise to the minimizer. One record
 * moves the minimizer by at most 2LR/(nΛ) (privacy.md 3), whatever the others are. */
#include <stdlib.h>

#include "base/memory.h"
#include "mechanism/mechanism.h"

static dperm_status run_output(const privacy_plan *plan, const problem *base,
                               const solver_options *how, random_source *source, double *weights,
                               solver_report *report, dperm_error *err) {
  dperm_status status = DPERM_OK;
  double *b = NULL;
  const problem_model model = {.lambda = plan->lambda};
  TRY_OR_DONE(memory_new(plan->noise.dims, sizeof *b, &b, err));
  TRY_OR_DONE(mechanism_solve(base, &model, how, weights, report, err));
  noise_draw(&plan->noise, source, b);
  for (size_t j = 0; j < plan->noise.dims; j++) {
    weights[j] += b[j];
  }
done:
  free(b);
  return status;
}

const mechanism mechanism_output = {"output", run_output};
