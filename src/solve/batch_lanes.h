/* What the two kinds of passes (solve/batch_pass.h) share: the arrays, with the numbers of
 * BATCH_WIDTH models for a place side by side. */
#pragma once

#include "solve/problem.h"

enum { BATCH_WIDTH = 16 };

/* Sums over sparse rows: so many rows at a time, so many blocks of rows on a pile. */
enum { BATCH_PILE = 16, BATCH_CHUNK = 32 };

/* One thread's space for passes over a problem's rows. */
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

/* From l->f to l->gradient and, if asked, l->hessian: over rows of entries, over dense blocks. */
void batch_pass_sparse(batch_pass *l, bool hessian);
void batch_pass_dense(batch_pass *l, bool hessian);

/* How many sparse rows are summed in a block of their own. */
size_t batch_sparse_rows(const matrix *x);
