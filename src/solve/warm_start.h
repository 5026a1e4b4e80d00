/* The cheap part of a fit: from a sample's minimizer to near that of all rows, or all the way. */
#pragma once

#include "solve/problem.h"
#include "solve/solver_options.h"

/* Starts at here->f, the minimizer of `sample` (row_sample.h), and leaves in `here` a point with
 * all that problem_evaluate sets; `there` is space for another. Newton's iteration goes on from
 * there: nothing rests on how far this got. */
dperm_status warm_start(const problem *p, const problem *sample, const solver_options *options,
                        point *here, point *there, dperm_error *err);
