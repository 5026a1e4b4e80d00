/* The solver: from a problem and a start to its minimizer. It reports what it reached; others
 * judge.
 */
#pragma once

#include "solve/problem.h"
#include "solve/solver_options.h"

/* `weights` is the start and becomes the minimizer. Succeeds also without convergence; the report
 * says so. */
dperm_status solve(const problem *p, const solver_options *options, double *weights,
                   solver_report *report, dperm_error *err);
