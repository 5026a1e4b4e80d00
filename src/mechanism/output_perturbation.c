/* Output perturbation (CMS Algorithm 1): minimize, then add noise to the minimizer. One record
 * moves the minimizer by at most 2LR/(nΛ) (privacy.md 3), whatever the others are. Many draws need
 * one minimum, as precise as the most demanding of them. */
#include <math.h>

#include "base/double_double.h"
#include "base/memory.h"
#include "base/owned.h"
#include "mechanism/mechanism.h"

dperm_status output_perturbation(const privacy_plan *plan, const problem *base,
                                 const solver_options *how, const promise *promised,
                                 random_source *sources, size_t count, solution *out,
                                 solver_report *report, dperm_error *err) {
  size_t dims = problem_size(base);
  double *minimum = NULL, longest = 0;
  OWNED(scratch_free) scratch work = {0};
  TRY(scratch_take(&work, 2 * dims, sizeof *minimum, &minimum, err));
  for (size_t m = 0; m < count; m++) {
    double norm = 0;
    TRY(mechanism_noise(plan, promised, base->x, &sources[m], out->f + m * dims, &norm, err));
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
