/* The cheap part of the way: from a start to near the minimizer, or all the way, on one model. */
#ifndef DPERM_SOLVE_WARM_START_H
#define DPERM_SOLVE_WARM_START_H

#include "solve/newton.h"

/* Starts at here->f and leaves in `here` a point with all that problem_evaluate sets; `there` is
 * space for another. Where nothing is to be gained (few rows, several models) that is the start
 * itself. Newton's iteration goes on from there: nothing rests on how far this got. */
dperm_status warm_start(const problem *p, const solver_options *options, point *here, point *there,
                        dperm_error *err);

#endif
