/* What every stage of the solver is told, and what it reports. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "dperm.h"

typedef enum solver_method { SOLVER_AUTO, SOLVER_CHOLESKY, SOLVER_CG } solver_method;

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
