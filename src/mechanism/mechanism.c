/* What the mechanisms share, and the one that adds nothing. */
#include "mechanism/mechanism.h"

#include <string.h>

dperm_status mechanism_solve(const problem *base, const problem_model *model,
                             const solver_options *how, double *weights, solver_report *report,
                             dperm_error *err) {
  problem p = *base;
  p.models = 1;
  p.model = model;
  memset(weights, 0, base->x->cols * sizeof *weights);
  TRY(solve(&p, how, weights, report, err));
  if (!report->converged) {
    FAIL(err, DPERM_NUMERIC_ERROR,
         "the minimum was not reached; raise lambda, or check a custom loss with dperm_loss_check");
  }
  return DPERM_OK;
}

static dperm_status run_none(const privacy_plan *plan, const problem *base,
                             const solver_options *how, random_source *source, double *weights,
                             solver_report *report, dperm_error *err) {
  (void)source;
  const problem_model model = {.lambda = plan->lambda};
  return mechanism_solve(base, &model, how, weights, report, err);
}

const char *const analysis_names[2] = {"tight", "paper"};

const mechanism mechanism_none = {"none", run_none};

const mechanism *mechanism_of(dperm_mechanism kind) {
  switch (kind) {
  case DPERM_MECHANISM_OBJECTIVE:
    return &mechanism_objective;
  case DPERM_MECHANISM_OUTPUT:
    return &mechanism_output;
  case DPERM_MECHANISM_NONE:
    break;
  }
  return &mechanism_none;
}
