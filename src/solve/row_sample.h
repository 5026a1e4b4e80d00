/* Some of a problem's rows as a problem of their own: where its minimizer and its Hessian are
 * found cheaply, up to what sampling hides. */
#pragma once

#include "solve/problem.h"
#include "solve/solver_options.h"

typedef struct row_sample {
  problem p;
  matrix *x; /* NULL: there is no sample */
  double *labels, *shares;
} row_sample;

/* Every eighth row or fewer. None where nothing is gained: few rows, a tolerance that any point
 * meets, or a matrix that does not give single rows. `out` is empty at first. */
dperm_status row_sample_take(const problem *p, const solver_options *options, row_sample *out,
                             dperm_error *err);
void row_sample_free(row_sample *s);

/* How far its minimizer means anything: the tolerance on its gradient. */
double row_sample_tolerance(const row_sample *s, const solver_options *options);
