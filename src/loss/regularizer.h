/* The regularizer N(f) = Σ N_j(f_j), and the check that it is 1-strongly convex, on which every
 * privacy formula rests. */
#pragma once

#include "base/status.h"

/* Weights ≥ 1 and finite, prior finite, no mixture of custom and quadratic. A custom one is tried
 * on many points: its slope must rise at rate 1 or more (not refuted is not proved). */
dperm_status regularizer_validate(const dperm_regularizer *regularizer, size_t dims,
                                  dperm_error *err);

/* N_j at f. A custom one that shows N_j″ < 1 is refused, always. What is not finite is passed on:
 * the solver may only have tried a step too long (solve/problem.h). */
dperm_status regularizer_eval(const dperm_regularizer *regularizer, size_t j, double f,
                              double *value, double *slope, double *curvature, dperm_error *err);
