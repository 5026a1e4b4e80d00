/* The mechanisms for many draws of the noise on the same rows: what a mechanism's run gives, again
 * and again, with the work that the draws share done once (solve/batch_solve.h). Each draw has its
 * own random source, and uses it as a run alone would. */
#pragma once

#include "mechanism/mechanism.h"

/* Of many draws: dims numbers for each, one after the other. */
typedef struct batch_solutions {
  double *f, *rest;
} batch_solutions;

/* One draw from each of `count` sources. What a draw gives does not depend on the others. */
dperm_status batch_output(const privacy_plan *plan, const problem *base, const solver_options *how,
                          const promise *promised, random_source *sources, size_t count,
                          batch_solutions *out, dperm_error *err);
dperm_status batch_objective(const privacy_plan *plan, const problem *base,
                             const solver_options *how, const promise *promised,
                             random_source *sources, size_t count, batch_solutions *out,
                             dperm_error *err);
