/* The solver for many models that share rows, loss and regularizer: hundreds of perturbed problems,
 * their gradients in passes over the rows that they share, started from a point and a
 * Hessian's factor that they share. A model leaves when its gradient is certified; one that does
 * not get there is left to its own solver (solve/solver.h). */
#pragma once

#include "solve/problem.h"

/* `count` problems, which are `p` with a linear term of its own each, on rows that are all here
 * (not spread). The result of a model depends on neither the others nor the number of threads. */
typedef struct batch {
  const problem *p;
  const double *linear; /* the terms one after the other, cols numbers each */
  size_t count;
  const double *factor; /* of the Hessian somewhere near (solve/direction.h) */
  const double *target; /* for the certified gradients */
  double *weights;      /* the starts one after the other; then the minimizers */
  double *certified;    /* out: bounds on the true gradients' norms, at most target[m] where model m
                         * was solved, infinite (and its weights as they were) where it was not */
} batch;

dperm_status batch_solve(const batch *b, dperm_error *err);
