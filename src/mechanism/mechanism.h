/* The contract of a mechanism: a plan, a problem and a random source in, weights out. A mechanism
 * draws its noise, solves, and knows nothing of files, models or budgets. */
#ifndef DPERM_MECHANISM_MECHANISM_H
#define DPERM_MECHANISM_MECHANISM_H

#include "mechanism/calibrate.h"
#include "solve/newton.h"

typedef struct mechanism {
  const char *name; /* as a model file says it */
  /* `base` describes the rows, the loss and the regularizer; the mechanism sets its models.
   * `weights` (dims numbers) are written on success. `source` is not used by "none". */
  dperm_status (*run)(const privacy_plan *plan, const problem *base, const solver_options *how,
                      random_source *source, double *weights, solver_report *report,
                      dperm_error *err);
} mechanism;

const mechanism *mechanism_of(dperm_mechanism kind);

/* "tight" and "paper", by dperm_analysis. */
extern const char *const analysis_names[2];

/* The mechanisms, one file each. */
extern const mechanism mechanism_none, mechanism_output, mechanism_objective;

/* Minimizes `base` with one model, from zero; an unreached minimum is an error. */
dperm_status mechanism_solve(const problem *base, const problem_model *model,
                             const solver_options *how, double *weights, solver_report *report,
                             dperm_error *err);

#endif
