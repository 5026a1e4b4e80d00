/* The solver for many models that share rows, loss and regularizer: hundreds of perturbed problems,
 * their gradients in passes of BATCH_WIDTH models (solve/batch_pass.h), started from a point and a
 * Hessian's factor that they share. A model leaves when its gradient is certified; one that does
 * not get there is left to its own solver (solve/newton.h). */
#pragma once

#include "solve/problem.h"

/* Whether there are passes for this problem's rows. */
bool batch_possible(const problem *p);

/* Solves `count` problems, which are `p` with a model of its own each. `factor` (solve/cholesky.h)
 * is what they begin with, NULL for one of their own from the first pass on. `weights` has the
 * starts one after the other, cols numbers each, and gets the minimizers. certified[m] is a bound
 * on the true gradient's norm: at most target[m] where model m was solved, infinite (and its
 * weights as they were) where it was not. The result of a model depends on neither the others nor
 * the number of threads. */
dperm_status batch_solve(const problem *p, const problem_model *models, size_t count,
                         const double *factor, const double *target, const dperm_progress *progress,
                         double *weights, double *certified, dperm_error *err);
