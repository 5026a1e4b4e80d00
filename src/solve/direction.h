/* Directions of descent: Newton's, d with (approximately) ∇²J d = −∇J, by a Cholesky factor for
 * moderate numbers of columns and by conjugate gradients beyond; and the factor and limited-memory
 * BFGS by themselves. */
#pragma once

#include "solve/solver.h"

/* Whether the method means a Cholesky factor for this problem. */
bool direction_uses_cholesky(const problem *p, solver_method method);

/* Fills `direction` by the method that direction_uses_cholesky says; the same on all processes of
 * a job. `tolerance` is for conjugate gradients. */
dperm_status newton_direction(const problem *p, solver_method method, const point *at,
                              double tolerance, double *direction, dperm_error *err);
/* Solves until the residual is below tolerance·‖∇J‖. */
dperm_status direction_cg(const problem *p, const point *at, double tolerance, double *direction,
                          dperm_error *err);

/* The factor of the Hessian at f, cols × cols, for cholesky_solve. */
dperm_status hessian_factor(const problem *p, const double *f, double *factor, dperm_error *err);

/* H = UᵀU in place: of the n × n numbers, row-major, the upper triangle is H and becomes U; what is
 * below the diagonal is work space. False, and H spoilt, where H is not positive definite to
 * rounding. */
bool cholesky_factor(double *h, size_t n);
/* x becomes H⁻¹ x. */
void cholesky_solve(const double *u, size_t n, double *x);

/* Limited-memory BFGS (Nocedal & Wright, algorithm 7.4): the inverse of a Hessian, from an initial
 * matrix H₀ that the caller can solve with and from the last LBFGS_PAIRS steps. */
enum { LBFGS_PAIRS = 12 };

typedef struct lbfgs {
  size_t cols, pairs;            /* the pairs so far; the last LBFGS_PAIRS count */
  double *steps, *turns;         /* differences of points, and of gradients */
  double curvature[LBFGS_PAIRS]; /* stepᵀturn */
} lbfgs;

/* d := H₀⁻¹ d. */
typedef dperm_status lbfgs_initial(void *context, double *d, dperm_error *err);

/* Doubles that it needs for its pairs. */
size_t lbfgs_work_size(size_t cols);
void lbfgs_begin(lbfgs *q, size_t cols, double *work);
/* A step to `after`, with the gradients at both ends. One along which the gradient does not grow,
 * to rounding, is left out: it would not keep the matrix positive definite. */
void lbfgs_add(lbfgs *q, const double *before, const double *after, const double *gradient_before,
               const double *gradient_after);
/* d := H⁻¹ d. */
dperm_status lbfgs_solve(const lbfgs *q, lbfgs_initial *initial, void *context, double *d,
                         dperm_error *err);
