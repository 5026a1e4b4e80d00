/* The solver: from a problem and a start to its minimizer. It reports what it reached; others judge
 * (solve/certify.h). Every pass over the rows can stop it (base/progress.h). */
#pragma once

#include "solve/problem.h"

typedef enum solver_method { SOLVER_AUTO, SOLVER_CHOLESKY, SOLVER_CG } solver_method;

typedef struct solver_options {
  solver_method method;
  double tolerance; /* on ‖∇J‖₂ */
} solver_options;

/* Depends on the data: for diagnostics, tests and certification, never for output. */
typedef struct solver_report {
  size_t iterations;
  double gradient_norm;
  double certified; /* the true gradient is at most this long */
  bool converged;   /* within the tolerance, or at the limit of double precision */
} solver_report;

/* `weights` is the start and becomes the minimizer; the report says whether it has converged. */
dperm_status solve(const problem *p, const solver_options *options, double *weights,
                   solver_report *report, dperm_error *err);

/* Its second part. The first is cheap (warm_start.c): it leaves in `here` a point with all that
 * problem_evaluate sets, near the minimizer if a sample of the rows helped; `there` is space for
 * another. Newton's iteration goes on from there: nothing rests on how far the first got. */
dperm_status newton(const problem *p, const solver_options *options, point *here, point *there,
                    solver_report *report, dperm_error *err);

/* The last resort: descent with gradients in twice the precision, for problems whose gradient in
 * doubles cannot be certified to be as small as the release promises. Slow, never stuck.
 *
 * Moves f + rest (wide) from where it stands to a place where the gradient is certified to be at
 * most `target`. It ends for every set of records if target is at least eight times the
 * evaluation's error there (privacy.md 6 has the proof); with a custom loss or regularizer that
 * lies about itself it may not, until it is stopped. Fails only where something is
 * not a number. */
dperm_status polish(const problem *p, double target, const solver_options *options, double *f,
                    double *rest, solver_report *report, dperm_error *err);

/* ---- many models that share rows, loss and regularizer (batch_solve.c): hundreds of perturbed
 * problems, started from a point and a Hessian's factor that they share. A model leaves when its
 * gradient is certified; one that does not get there is left to its own solver. */

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
