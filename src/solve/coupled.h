/* Rows with several scores each, coupled by the loss: softmax (loss/softmax.h). What the solver
 * asks of rows then takes k right-hand sides of the matrix at once. Wide arrays hold k vectors of
 * `cols` numbers one after the other, tall ones the k numbers of a row together. A curvature is a
 * row's probabilities p, for the matrix w(Diag(p) − ppᵀ), w its share. */
#pragma once

#include "base/scratch.h"
#include "solve/problem_rows.h"

/* Z = X Wᵀ, and G with the rows of (Xᵀ W̃)ᵀ for a tall W̃. */
dperm_status coupled_apply(const problem *p, const double *f, double *z, dperm_error *err);
dperm_status coupled_apply_transposed(const problem *p, const double *w, double *g,
                                      dperm_error *err);

/* z, slope and curvature at at->f, and the sum over rows of the gradient. */
dperm_status coupled_evaluate(const problem *p, point *at, dperm_error *err);
/* Slopes at double-double scores. */
void coupled_slopes_dd(const problem *p, const double *z, const double *z_rest, double *slope);

/* Σ w ℓ of rows with these scores; and the first two derivatives by t of the same at z + t q. */
dperm_status coupled_losses(const problem *p, const double *z, double *sum, dperm_error *err);
dperm_status coupled_along(const problem *p, const double *z, const double *q, double t,
                           double sums[2], dperm_error *err);

/* The product of Σ w (Diag(p) − ppᵀ) ⊗ xxᵀ with a wide vector, its upper triangle (k·cols square,
 * row-major) and its diagonal. */
dperm_status coupled_multiply(const problem *p, const double *curvature, const double *v,
                              double *product, dperm_error *err);
/* Whether most columns of a row have an entry: then the triangle costs what that of dense rows
 * does. */
bool coupled_is_dense(const problem *p);
dperm_status coupled_gram(const problem *p, const double *curvature, double *h, dperm_error *err);
dperm_status coupled_diagonal(const problem *p, const double *curvature, double *d,
                              dperm_error *err);

/* Σ of the slopes' l2 norms. */
dperm_status coupled_slope_sum(const problem *p, const double *slope, double *sum,
                               dperm_error *err);

/* Additions behind an entry of the two products (matrix.row_depth and sum_depth are for one
 * right-hand side). */
size_t coupled_row_depth(const problem *p);
size_t coupled_sum_depth(const problem *p);
