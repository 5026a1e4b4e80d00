/* What is known in public of every row, for the doubles that are stored, in exact arithmetic: all
 * that the noise is shaped by (privacy.md 5). */
#ifndef DPERM_SCHEMA_ROW_BOUNDS_H
#define DPERM_SCHEMA_ROW_BOUNDS_H

#include "random/noise_body.h"

typedef struct row_bounds {
  double norm2;    /* R₂: ‖x‖₂ ≤ R₂ */
  double norm1;    /* R₁: ‖x‖₁ ≤ R₁ */
  noise_body body; /* ‖x_g‖₁ ≤ r_g for every group of columns */
} row_bounds;

/* Of rows about which nothing else is known than ‖x‖₂ ≤ norm: R₁ = √dims·norm, and every entry
 * within ±norm. */
row_bounds row_bounds_of_norm(size_t dims, double norm);

/* The least double that is certainly at least √count. */
double root_upper(size_t count);

#endif
