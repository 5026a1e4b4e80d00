/* Objective, training error, iterations, time. */
#include "pipeline/unsafe_report.h"

#include <time.h>

double unsafe_seconds_now(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

dperm_status unsafe_report(const problem *base, const dperm_model *model, const dperm_data *data,
                           const solver_report *solved, double seconds,
                           dperm_unsafe_diagnostics *out, dperm_error *err) {
  const problem_model plain = {.lambda = model->plan.lambda};
  problem p = *base;
  dperm_metrics metrics;
  double objective = 0;
  p.models = 1;
  p.model = &plain;
  TRY(problem_objective(&p, model->weights, &objective, err));
  TRY(dperm_model_score(model, data, &metrics, err));
  *out = (dperm_unsafe_diagnostics){.iterations = solved->iterations,
                                    .objective = objective,
                                    .gradient_norm = solved->gradient_norm,
                                    .training_error = metrics.error_rate,
                                    .solve_seconds = seconds};
  return DPERM_OK;
}
