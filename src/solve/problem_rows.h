/* What the solver minimizes, and what single rows say to it:
 *
 *   J(f) = (1/n) Σ_i w_i ℓ(y_i fᵀx_i) + Λ N(f) + (Δ/2)‖f‖² + linearᵀ f,
 *
 * n the number of rows, or a public number near it where theirs is private (`divisor`).
 *
 * How a label y_i meets the score fᵀx_i is the link's matter (loss/link.h). With softmax a row has
 * k scores, and f is k vectors one after the other (solve/coupled.h).
 *
 * Weights w_i are between 0 and 1, so the loss's L and c bound what a row does with them as without
 * (docs/proofs/weights.md). Wide arrays (f, gradients, directions) hold k·cols doubles, tall ones
 * (scores, slopes, curvatures) rows·k, the k of a row together. */
#pragma once

#include <stdbool.h>

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
/* Rows for each 1 of the divisor: how much longer than a row's own a gradient may be. 1 unless the
 * divisor is a number of its own. */
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

/* w_i·ℓ and its derivatives by the score at `lanes` scores z for each of `count` rows: all that
 * rows contribute to the objective goes through here. Results may be NULL. With softmax `lanes` is
 * 1, of k scores each, and the curvatures are not multiplied by w. */
void problem_rows_eval(const problem *p, size_t from, size_t count, size_t lanes, const double *z,
                       double *value, double *slope, double *curvature);
/* The first derivative at double-double scores (link_slope_dd). */
void problem_rows_slope_dd(const problem *p, size_t from, size_t count, const double *z,
                           const double *z_rest, double *slope);
