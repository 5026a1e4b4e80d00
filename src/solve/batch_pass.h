/* Gradients of up to BATCH_WIDTH models in one pass over the rows, by one thread: the numbers of
 * all models for a place stand side by side, so each entry of a row is read once and the arithmetic
 * is that of short vectors. A lane never looks at its neighbours: what a model gets does not depend
 * on which others share the pass, nor on the number of threads. The depth of the sums is stated,
 * for certificates. */
#pragma once

#include "solve/problem.h"

enum { BATCH_WIDTH = 16 };

/* One thread's space for passes over a problem's rows. The numbers of BATCH_WIDTH models for a
 * place stand side by side. */
typedef struct batch_pass {
  const problem *p;
  double *f;        /* cols × BATCH_WIDTH, in */
  double *gradient; /* cols × BATCH_WIDTH, out: Σ over rows of w y ℓ′(y fᵀx) x, without penalty */
  double *sums;          /* on the way to it */
  double *score, *slope; /* rows at a time × BATCH_WIDTH */
  double *work;          /* what the matrix needs to make rows */
  void *doubles;         /* what the arrays of lanes stand in */
} batch_pass;

/* To be closed also where this fails. */
dperm_status batch_pass_open(const problem *p, batch_pass *l, dperm_error *err);
void batch_pass_close(batch_pass *l);

/* From l->f to l->gradient. */
void batch_pass_run(batch_pass *l);

/* Additions behind a margin, and behind an entry of the gradient, at most. */
size_t batch_pass_row_depth(const matrix *x);
size_t batch_pass_sum_depth(const matrix *x);
