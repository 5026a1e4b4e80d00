/* Products with blocks of dense rows that are read once and stay in cache, and the matrix
 * operations for kinds whose rows can be had as such blocks: a dense matrix has them, random
 * features make them. Blocks begin at multiples of MATRIX_BLOCK in every operation, so a row that
 * is computed on the way is the same row in every pass. */
#pragma once

#include "matrix/matrix.h"

/* A block of rows in `work` or where they stand; NULL where the pass was stopped. */
const double *blocks_rows(const matrix *x, size_t from, size_t count, double *work);

/* z has `work` beside it for the block itself: set x->work_size to what `block` needs. */
void blocks_apply_rows(const matrix *x, size_t from, size_t count, const double *f, size_t k,
                       double *z, double *work);
dperm_status blocks_apply_transposed(const matrix *x, const double *w, size_t k, double *g,
                                     dperm_error *err);
dperm_status blocks_apply_both(const matrix *x, const double *f, size_t k, matrix_turn *turn,
                               void *context, double *g, dperm_error *err);
dperm_status blocks_gram(const matrix *x, const double *w, double *h, dperm_error *err);
dperm_status blocks_gram_diagonal(const matrix *x, const double *w, size_t k, double *d,
                                  dperm_error *err);

/* All of these, for the table of a kind. */
#define BLOCKS_OPERATIONS                                                                          \
  .apply_rows = blocks_apply_rows, .apply_transposed = blocks_apply_transposed,                    \
  .apply_both = blocks_apply_both, .gram = blocks_gram, .gram_diagonal = blocks_gram_diagonal

/* At most so many additions stand behind an entry of X f, and of Xᵀ w, for one right-hand side. */
size_t blocks_row_depth(size_t cols);
size_t blocks_sum_depth(const matrix *x);
