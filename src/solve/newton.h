/* The solver: from a problem and a start to the minimizers of its k models. It reports what it
 * reached; others judge. */
#pragma once

#include "solve/problem.h"
#include "solve/solver_options.h"

/* `weights` (wide) is the start and becomes the minimizer. `report` has one place per model.
 * Succeeds also where a model did not converge; the report says so. */
dperm_status solve(const problem *p, const solver_options *options, double *weights,
                   solver_report *report, dperm_error *err);
