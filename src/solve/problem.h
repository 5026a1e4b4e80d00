/* The objective that the solver minimizes:
 *
 *   J(f) = (1/n) Σ_i w_i ℓ(y_i fᵀx_i) + Λ N(f) + (Δ/2)‖f‖² + linearᵀ f,
 *
 * n the number of rows, or a public number near it where theirs is private (`divisor`).
 *
 * How a label y_i meets the score fᵀx_i is the link's matter (loss/link.h). With softmax a row has
 * k scores, coupled by the loss, and f is k vectors one after the other. Wide arrays (f, gradients,
 * directions) hold k·cols doubles, tall ones (scores, slopes, curvatures) rows·k, the k of a row
 * together. A row's curvature is then its probabilities p, for the matrix w(Diag(p) − ppᵀ).
 *
 * Weights w_i are between 0 and 1, so the loss's L and c bound what a row does with them as without
 * (docs/proofs/weights.md). */
#pragma once

#include "base/memory.h"
#include "matrix/matrix.h"

/* What a problem may have of its own beside others on the same rows. */
typedef struct problem_model {
  double lambda;        /* Λ > 0 */
  double ridge;         /* Δ ≥ 0 */
  const double *linear; /* wide, or NULL for none */
} problem_model;

typedef struct problem {
  const matrix *x;
  const double *labels; /* −1 or +1; the class from 0 on for softmax */
  const double *shares; /* w_i: what a row's loss counts, from 0 to 1; NULL for ones */
  double divisor;       /* n of the formula; 0 for the number of rows */
  double norm_bound;    /* ‖x_i‖₂ ≤ R */
  const dperm_loss *loss;
  const dperm_regularizer *regularizer;
  problem_model model;
} problem;

/* What sums over rows are divided by. */
double problem_divisor(const problem *p);
/* Rows for each 1 of the divisor: how much longer than a row's own a gradient may be; mostly 1. */
double problem_crowd(const problem *p);
/* The doubles in a wide array. */
size_t problem_size(const problem *p);

/* A point, with what the rows say there. The caller owns the arrays. */
typedef struct point {
  double *f;         /* wide */
  double *z;         /* tall: fᵀx */
  double *slope;     /* tall: w y ℓ′(y z), by the score */
  double *curvature; /* tall: w ℓ″(y z); the probabilities p for softmax */
  double *gradient;  /* wide */
} point;

/* Its arrays, zeroed, in `work`. With `other`, the two share what rows say about slopes and
 * curvatures: it is asked only of the point that was evaluated last. */
dperm_status point_take(const problem *p, scratch *work, const point *other, point *out,
                        dperm_error *err);

/* w_i·ℓ and its derivatives by the score at `lanes` scores z for each of `count` rows: all that
 * rows contribute to the objective goes through here. Results may be NULL. With softmax `lanes` is
 * 1, of k scores each, and the curvatures are not multiplied by w. */
void problem_rows_eval(const problem *p, size_t from, size_t count, size_t lanes, const double *z,
                       double *value, double *slope, double *curvature);
/* The slopes of all rows at double-double scores (link_slope_dd); and their curvatures at doubles.
 * What is left out when it was stopped, the next pass fails for. */
void problem_slopes_dd(const problem *p, const double *z, const double *z_rest, double *slope);
void problem_curvatures(const problem *p, const double *z, double *curvature);

/* From f to everything else: one pass over the matrix. A loss or regularizer that answers with
 * something not finite is an error; of a trial, which may lie too far out, it stays. */
dperm_status problem_evaluate(const problem *p, bool trial, point *at, dperm_error *err);

/* From the sum over rows in `gradient` to ∇J at f, which must be finite unless it is a trial. */
dperm_status problem_add_penalty(const problem *p, bool trial, const double *f, double *gradient,
                                 dperm_error *err);
/* Λ N_j″(f_j) + Δ, the j-th diagonal entry of the penalty's Hessian. */
dperm_status problem_penalty_curvature(const problem *p, size_t j, double fj, double *out,
                                       dperm_error *err);

/* Z = X f, tall: the scores, or how they change along a direction. */
dperm_status problem_scores(const problem *p, const double *f, double *z, dperm_error *err);
/* g = Xᵀ W for a wide f: `turn` makes W of the scores of X f. */
dperm_status problem_apply_both(const problem *p, const double *f, matrix_turn *turn, void *context,
                                double *g, dperm_error *err);

/* J(f): one pass over the matrix. */
dperm_status problem_objective(const problem *p, const double *f, double *objective,
                               dperm_error *err);
/* φ′(t) and φ″(t) for φ(t) = J(f + t·d), d = `direction`, q = X d (tall), with no pass. */
dperm_status problem_along(const problem *p, const point *at, const double *direction,
                           const double *q, double t, double *first, double *second,
                           dperm_error *err);

/* ---- what rows add to the Hessian, by their curvatures (problem_gram.c) */

/* Each v of some rows becomes their ℓ″·v: between the two products of problem_apply_both. */
void problem_weigh(const problem *p, const double *curvature, size_t from, size_t count, double *v);
/* The upper triangle, row-major, of Σ ℓ″ xxᵀ, or Σ w(Diag(p) − ppᵀ) ⊗ xxᵀ; and its diagonal. */
dperm_status problem_gram(const problem *p, const double *curvature, double *h, dperm_error *err);
dperm_status problem_diagonal(const problem *p, const double *curvature, double *d,
                              dperm_error *err);
/* With softmax, whether most columns of a row have an entry: then the triangle costs what that of
 * dense rows does. */
bool problem_gram_is_dense(const problem *p);
/* to = fromᵀ, where `from` has `rows` rows of `cols` numbers. */
void problem_transpose(const double *from, size_t rows, size_t cols, double *to);
