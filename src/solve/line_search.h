/* Steps along a direction of descent, found by the derivative alone: near the minimum the objective
 * stalls at the square root of the rounding error, its derivative does not. */
#pragma once

#include "solve/problem.h"

/* A step t ≥ 0 with φ′(0)/10 ≤ φ′(t) ≤ 0, so that the objective falls by at
 * least (1−0.01) φ′(0)²/(2M), M the largest curvature on the way; t = 0 only if rounding hides
 * every descent. `q` is X·direction. */
dperm_status line_search(const problem *p, const point *at, const double *direction,
                         const double *q, double *t, dperm_error *err);
