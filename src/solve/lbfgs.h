/* Limited-memory BFGS (Nocedal & Wright, algorithm 7.4): the inverse of a Hessian, from an initial
 * matrix H₀ that the caller can solve with and from the last LBFGS_PAIRS steps. */
#pragma once

#include "base/status.h"

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
