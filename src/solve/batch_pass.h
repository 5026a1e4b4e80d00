/* Gradients, and Hessians if asked, of up to BATCH_WIDTH models in one pass over the rows, by one
 * thread: the numbers of all models for a place stand side by side, so each entry of a row is read
 * once and the arithmetic is that of short vectors. A lane never looks at its neighbours: what a
 * model gets does not depend on which others share the pass, nor on the number of threads.
 *
 * Gradients are doubles, with a stated depth of their sums for certificates. Hessians are floats:
 * they only point the way. */
#pragma once

#include "solve/problem.h"

enum { BATCH_WIDTH = 16 };

/* One thread's space for passes over a problem's rows. The numbers of BATCH_WIDTH models for a
 * place stand side by side. */
typedef struct batch_pass {
  const problem *p;
  double *f;        /* cols × BATCH_WIDTH, in */
  double *gradient; /* cols × BATCH_WIDTH, out: Σ over rows of w y ℓ′(y fᵀx) x, without penalty */
  double *sums;   /* on the way to it */
  float *hessian; /* a matrix for each lane, in the kind's own order; NULL if none was asked for */
  size_t *places; /* entries: where the pairs of a column begin */
  size_t chunk;   /* blocks: rows at a time */
  double *score, *slope, *curvature; /* chunk × BATCH_WIDTH */
  double *work;                      /* blocks: what the matrix needs to make one */
  void *doubles, *floats;            /* what the arrays of lanes stand in */
  double *square; /* blocks: what a block adds to a Hessian, and space to make it */
} batch_pass;

/* `hessians`: whether passes will ask for them. To be closed also where this fails. */
dperm_status batch_pass_open(const problem *p, bool hessians, batch_pass *l, dperm_error *err);
void batch_pass_close(batch_pass *l);

/* From l->f to l->gradient and, if asked, l->hessian. */
void batch_pass_run(batch_pass *l, bool hessian);
/* The upper triangle (row-major) of lane m's Hessian, Σ over rows of w ℓ″ x xᵀ, into `square`. */
void batch_pass_hessian(const batch_pass *l, size_t m, double *square);

/* Additions behind a margin, and behind an entry of the gradient, at most. */
size_t batch_pass_row_depth(const matrix *x);
size_t batch_pass_sum_depth(const matrix *x);
/* What a Hessian costs, with a factor of its own, in units of a pass for gradients. */
double batch_pass_hessian_cost(const matrix *x);
