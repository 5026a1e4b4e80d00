/* dperm_plan_make: what a fit would do, told from public numbers. */
#include <math.h>

#include "loss/regularizer.h"
#include "pipeline/options.h"
#include "release/numerics.h"

dperm_status dperm_plan_make(size_t rows, size_t dims, double norm, const dperm_options *options,
                             dperm_plan *out, dperm_error *err) {
  if (rows == 0 || dims == 0 || dims > INT32_MAX || !(norm >= 1e-100 && norm <= 1e100)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%zu rows of %zu columns and norm %g; give at least one of each, at most 2^31 "
         "columns, and a positive norm",
         rows, dims, norm);
  }
  TRY(options_validate(options, err));
  const dperm_options row = options_per_row(options);
  TRY(regularizer_validate(&options->regularizer, dims, err));
  const public_numbers given = options_public(&row, rows, dims, norm);
  privacy_plan plan;
  TRY(calibrate(&given, &plan, err));
  const double none = (double)NAN;
  dperm_plan made = {.rows = rows,
                     .dims = dims,
                     .norm = norm,
                     .mechanism = plan.mechanism,
                     .analysis = plan.analysis,
                     .rows_per_person = options->rows_per_person,
                     .epsilon = options->epsilon,
                     .epsilon_row = row.epsilon,
                     .delta = none,
                     .lambda = plan.lambda,
                     .delta_reg = plan.delta_reg,
                     .beta = none,
                     .expected_noise_norm = none,
                     .rms_noise_norm = none,
                     .noise_norm_q50 = none,
                     .noise_norm_q95 = none,
                     .shift_rms = none,
                     .epsilon_core = none,
                     .solution_error = none,
                     .lattice_noise_rms = none,
                     .solution_norm_bound = solution_norm_bound(&given, plan.lambda),
                     .excess_objective_q50 = none,
                     .excess_objective_q95 = none};
  if (plan.mechanism == DPERM_MECHANISM_NONE) {
    *out = made;
    return DPERM_OK;
  }
  release_plan release;
  TRY(release_plan_make(&given, &plan, &release, err));
  made.noise = plan.noise.kind;
  made.delta = group_delta(release.delta, row.epsilon, options->rows_per_person);
  made.beta = plan.noise.beta;
  made.expected_noise_norm = noise_mean_norm(&plan.noise);
  made.rms_noise_norm = noise_rms_norm(&plan.noise);
  made.noise_norm_q50 = noise_norm_quantile(&plan.noise, 0.5);
  made.noise_norm_q95 = noise_norm_quantile(&plan.noise, 0.95);
  made.shift_rms = plan.mechanism == DPERM_MECHANISM_OUTPUT
                       ? made.rms_noise_norm
                       : made.rms_noise_norm / ((double)rows * (plan.lambda + plan.delta_reg));
  made.epsilon_core = plan.epsilon;
  made.solution_error = release.solution_error;
  made.lattice_noise_rms = sqrt(2.0 * (double)dims) * (double)release.sensitivity /
                           ratio_value(release.epsilon.num) * ldexp(1, release.step_exponent);
  made.excess_objective_q50 = excess_objective_quantile(&given, &plan, 0.5);
  made.excess_objective_q95 = excess_objective_quantile(&given, &plan, 0.95);
  *out = made;
  return DPERM_OK;
}
