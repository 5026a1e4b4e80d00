/* The solver for many models that share rows, loss and regularizer: hundreds of perturbed problems,
 * their gradients in passes of BATCH_WIDTH models (solve/batch_pass.h), started from a point and a
 * Hessian's factor that they share. A model leaves when its gradient is certified; one that does
 * not get there is left to its own solver (solve/newton.h). */
#pragma once

#include "solve/problem.h"

/* Whether it pays: there are passes for this kind of matrix, and the penalty is cheap to ask. */
bool batch_possible(const problem *p);

/* `factor` (solve/cholesky.h) is what models begin with, NULL for one of their own from the first
 * pass on. `weights` has the p->models starts one after the other, cols numbers each, and gets the
 * minimizers. certified[m] is a bound on the true gradient's norm: at most target[m] where model m
 * was solved, infinite (and its weights as they were) where it was not. The result of a model
 * depends on neither the others nor the number of threads. */
dperm_status batch_solve(const problem *p, const double *factor, const double *target,
                         const dperm_progress *progress, double *weights, double *certified,
                         dperm_error *err);

/* The factor of ∇²J at f for p's first model: cols × cols numbers. */
dperm_status batch_factor(const problem *p, const double *f, double *factor, dperm_error *err);
