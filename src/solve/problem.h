/* The objective that the solver minimizes (solve/problem_rows.h), its gradient and what it is along
 * a line: sums over all rows, and the penalty. */
#pragma once

#include "base/scratch.h"
#include "solve/problem_rows.h"

/* Its arrays, zeroed, in `work`. With `other`, the two share what rows say about slopes and
 * curvatures: it is asked only of the point that was evaluated last. */
dperm_status point_take(const problem *p, scratch *work, const point *other, point *out,
                        dperm_error *err);

/* From f to everything else: one pass over the matrix. A loss or regularizer that answers with
 * something not finite is an error. */
dperm_status problem_evaluate(const problem *p, point *at, dperm_error *err);
/* The same at a place that may lie too far out: what is not finite stays in the gradient. */
dperm_status problem_try(const problem *p, point *at, dperm_error *err);

/* From the sum over rows in `gradient` to ∇J at f. Unless it is a trial, something that is not
 * finite is an error. */
dperm_status problem_add_penalty(const problem *p, bool trial, const double *f, double *gradient,
                                 dperm_error *err);
/* Λ N_j″(f_j) + Δ, the j-th diagonal entry of the penalty's Hessian. */
dperm_status problem_penalty_curvature(const problem *p, size_t j, double fj, double *out,
                                       dperm_error *err);

/* g = Xᵀ W for a wide f: `turn` makes W of the scores of X f, the k of a row together. */
dperm_status problem_apply_both(const problem *p, const double *f, matrix_turn *turn, void *context,
                                double *g, dperm_error *err);
/* Z = X f, tall: the scores, or how they change along a direction. */
dperm_status problem_scores(const problem *p, const double *f, double *z, dperm_error *err);

/* J(f): one pass over the matrix. */
dperm_status problem_objective(const problem *p, const double *f, double *objective,
                               dperm_error *err);

/* φ′(t) and φ″(t) for φ(t) = J(f + t·d), where d = `direction` and q = X d (tall). No pass over the
 * matrix. */
dperm_status problem_along(const problem *p, const point *at, const double *direction,
                           const double *q, double t, double *first, double *second,
                           dperm_error *err);
