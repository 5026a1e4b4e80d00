/* The solver: from a problem and a start to the minimizers of its k models. It reports what it
 * reached; others judge. */
#ifndef DPERM_SOLVE_NEWTON_H
#define DPERM_SOLVE_NEWTON_H

#include "solve/problem.h"

typedef enum solver_method { SOLVER_AUTO, SOLVER_CHOLESKY, SOLVER_CG } solver_method;

/* Whether the method means a Cholesky factor for this problem. */
bool solver_uses_cholesky(const problem *p, solver_method method);

typedef struct solver_options {
  solver_method method;
  double tolerance;               /* on ‖∇J‖₂ */
  const dperm_progress *progress; /* asked whether to go on; may be NULL */
} solver_options;

/* Depends on the data: for diagnostics, tests and certification, never for output. */
typedef struct solver_report {
  size_t iterations;
  double gradient_norm;
  double certified; /* the true gradient is at most this long (solve/certify.h) */
  bool converged;   /* within the tolerance, or at the limit of double precision */
} solver_report;

/* `weights` (wide) is the start and becomes the minimizer. `report` has one place per model.
 * Succeeds also where a model did not converge; the report says so. */
dperm_status solve(const problem *p, const solver_options *options, double *weights,
                   solver_report *report, dperm_error *err);

#endif
