/* Objective, training error, iterations, time. */
#include "pipeline/unsafe_report.h"
#include "dperm/score.h"

#include <math.h>
#include <time.h>

double unsafe_seconds_now(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

dperm_status unsafe_add_fit(const problem *base, double lambda, const double *weights,
                            const solver_report *solved, dperm_unsafe_diagnostics *out,
                            dperm_error *err) {
  problem p = *base;
  double objective = 0;
  p.model = (problem_model){.lambda = lambda};
  TRY(problem_objective(&p, weights, &objective, err));
  out->iterations += solved->iterations;
  out->objective += objective;
  out->gradient_norm = fmax(out->gradient_norm, solved->gradient_norm);
  return DPERM_OK;
}

dperm_status unsafe_finish(const dperm_model *model, const dperm_data *data, double seconds,
                           dperm_unsafe_diagnostics *out, dperm_error *err) {
  dperm_metrics metrics;
  TRY(dperm_model_score(model, data, &metrics, err));
  out->training_error = metrics.error_rate;
  out->solve_seconds = seconds;
  return DPERM_OK;
}
