/* Products with a block of dense rows that is read once and stays in cache, for one right-hand
 * side (Gram matrices apart, by matrix/gemm_block.h), for the vector units at hand, in an order of
 * sums that is the same on all of them. */
#pragma once

#include <stddef.h>

/* z = X f for `count` rows of `cols` doubles. */
void dense_rows_apply(const double *rows, size_t count, size_t cols, const double *f, double *z);
/* At most so many additions stand behind an entry of z. */
size_t dense_rows_depth(size_t cols);

/* total += Xᵀ w for at most DENSE_ROWS rows. At most DENSE_SUM_DEPTH additions stand behind what is
 * added, and one adds it. */
enum {
  DENSE_ROWS = 256,
  DENSE_SLICE = 16,
  DENSE_SUM_DEPTH = DENSE_SLICE + DENSE_ROWS / DENSE_SLICE
};
void dense_rows_add(const double *rows, size_t count, size_t cols, const double *w, double *total);

/* The upper triangle (row-major) of total += Xᵀ diag(w) X, w's numbers `stride` apart; `spare` has
 * count × DENSE_TILE doubles. */
enum { DENSE_TILE = 96 };
void dense_rows_gram(const double *rows, size_t count, size_t cols, const double *w, size_t stride,
                     double *total, double *spare);
