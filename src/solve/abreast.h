/* Gradients, and Hessians if asked, of up to ABREAST models in one pass over the rows, by one
 * thread: the numbers of all models for a place stand side by side, so each entry of a row is read
 * once and the arithmetic is that of short vectors. A lane never looks at its neighbours: what a
 * model gets does not depend on which others share the pass, nor on the number of threads.
 *
 * Gradients are doubles, with a stated depth of their sums for certificates. Hessians are floats:
 * they only point the way. */
#ifndef DPERM_SOLVE_ABREAST_H
#define DPERM_SOLVE_ABREAST_H

#include "solve/problem.h"

enum { ABREAST = 16, ABREAST_TILE = 96 };

/* One thread's room for passes over a problem's rows. */
typedef struct abreast {
  const problem *p;
  double *f;        /* cols × ABREAST, in */
  double *gradient; /* cols × ABREAST, out: Σ over rows of w y ℓ′(y fᵀx) x, without penalty */
  double *sums;     /* on the way to it */
  float *hessian; /* a matrix for each lane, in the kind's own order; NULL if none was asked for */
  size_t *places; /* entries: where the pairs of a column begin */
  size_t chunk;   /* blocks: rows at a time */
  double *margin, *slope, *curvature; /* chunk × ABREAST */
  double *room;                       /* blocks: what the matrix needs to make one */
  void *doubles, *floats;             /* what the arrays of lanes stand in */
  double *tile; /* blocks: rows times curvatures, and what a block adds to a Hessian */
} abreast;

/* Whether there is a pass for this kind of matrix: its rows come as entries or as blocks. */
bool abreast_possible(const matrix *x);
/* `hessians`: whether passes will ask for them. */
dperm_status abreast_open(const problem *p, bool hessians, abreast *out, dperm_error *err);
void abreast_close(abreast *l);

/* From l->f to l->gradient and, if asked, l->hessian. */
void abreast_pass(abreast *l, bool hessian);
/* The upper triangle (row-major) of lane m's Hessian, Σ over rows of w ℓ″ x xᵀ, into `square`. */
void abreast_hessian(const abreast *l, size_t m, double *square);

/* Additions behind a margin, and behind an entry of the gradient, at most. */
size_t abreast_row_depth(const matrix *x);
size_t abreast_sum_depth(const matrix *x);
/* What a Hessian costs, with a factor of its own, in units of a pass for gradients. */
double abreast_hessian_cost(const matrix *x);

/* ---- the two ways through the rows */

void abreast_pass_entries(abreast *l, bool hessian);
void abreast_pass_blocks(abreast *l, bool hessian);

/* Slopes and curvatures of a chunk, times the shares of its rows. */
void abreast_share(const abreast *l, size_t from, size_t count, bool curvatures);

/* Sums of entries: so many rows in a block of their own, so many blocks on a pile. */
enum { ABREAST_PILE = 16, ABREAST_CHUNK = 32 };
size_t abreast_block_rows(const matrix *x);

#endif
