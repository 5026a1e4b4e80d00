/* Gradients, and Hessians if asked, of up to LANES models in one pass over the rows, by one thread:
 * the numbers of all models for a place stand side by side, so each entry of a row is read once and
 * the arithmetic is that of short vectors. A lane never looks at its neighbours: what a model gets
 * does not depend on which others share the pass, nor on the number of threads.
 *
 * Gradients are doubles, with a stated depth of their sums for certificates. Hessians are floats:
 * they only point the way. */
#ifndef DPERM_SOLVE_LANES_H
#define DPERM_SOLVE_LANES_H

#include "solve/problem.h"

enum { LANES = 16 };

/* One thread's room for passes over a problem's rows. */
typedef struct lanes {
  const problem *p;
  double *f;        /* cols × LANES, in */
  double *gradient; /* cols × LANES, out: Σ over rows of y ℓ′(y fᵀx) x, without penalty */
  double *sums;     /* on the way to it */
  float *hessian;   /* a matrix for each lane, in the kind's own order; NULL if none was asked for */
  size_t *places;   /* entries: where the pairs of a column begin */
  size_t chunk;     /* blocks: rows at a time */
  double *margin, *slope, *curvature; /* chunk × LANES */
  double *room;                       /* blocks: what the matrix needs to make one */
  float *scaled;                      /* blocks: rows times roots of curvatures */
} lanes;

/* Whether there is a pass for this kind of matrix: its rows come as entries or as blocks. */
bool lanes_possible(const matrix *x);
/* `hessians`: whether passes will ask for them. */
dperm_status lanes_open(const problem *p, bool hessians, lanes *out, dperm_error *err);
void lanes_close(lanes *l);

/* From l->f to l->gradient and, if asked, l->hessian. */
void lanes_pass(lanes *l, bool hessian);
/* The upper triangle (row-major) of lane m's Hessian, Σ over rows of ℓ″ x xᵀ, into `square`. */
void lanes_hessian(const lanes *l, size_t m, double *square);

/* Additions behind a margin, and behind an entry of the gradient, at most. */
size_t lanes_row_depth(const matrix *x);
size_t lanes_sum_depth(const matrix *x);
/* What a Hessian costs, with a factor of its own, in units of a pass for gradients. */
double lanes_hessian_cost(const matrix *x);

/* ---- the two ways through the rows */

void lanes_pass_entries(lanes *l, bool hessian);
void lanes_pass_blocks(lanes *l, bool hessian);

/* Sums of entries: so many rows in a block of their own, so many blocks on a pile. */
enum { LANES_PILE = 16, LANES_CHUNK = 32 };
size_t lanes_block_rows(const matrix *x);

#endif
