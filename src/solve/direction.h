/* Newton directions d with (approximately) ∇²J d = −∇J, of descent in any case: by a Cholesky
 * factor for moderate numbers of columns, by conjugate gradients beyond. */
#pragma once

#include "solve/problem.h"
#include "solve/solver_options.h"

/* Whether the method means a Cholesky factor for this problem. */
bool direction_uses_cholesky(const problem *p, solver_method method);

/* Fills `direction` by the method that direction_uses_cholesky says; the same on all processes of
 * a job. `tolerance` and `progress` are for conjugate gradients. */
dperm_status newton_direction(const problem *p, solver_method method, const point *at,
                              double tolerance, const dperm_progress *progress, double *direction,
                              dperm_error *err);

dperm_status direction_cholesky(const problem *p, const point *at, double *direction,
                                dperm_error *err);
/* Solves until the residual is below tolerance·‖∇J‖; the caller's progress, which may be NULL, can
 * stop it. */
dperm_status direction_cg(const problem *p, const point *at, double tolerance,
                          const dperm_progress *progress, double *direction, dperm_error *err);

/* From Σ w ℓ″ x xᵀ over the rows (upper triangle, row-major) to the Hessian at f, in place. */
dperm_status hessian_of_gram(const problem *p, const double *f, double *h, dperm_error *err);
/* The factor of the Hessian at f, cols × cols, for cholesky_solve. */
dperm_status hessian_factor(const problem *p, const double *f, double *factor, dperm_error *err);
