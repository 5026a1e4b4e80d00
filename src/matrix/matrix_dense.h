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
dperm_status blocks_apply_both(const matrix *x, const double *f, size_t k, matrix_turn *turn,
                               void *context, double *g, dperm_error *err);
dperm_status blocks_gram(const matrix *x, const double *w, double *h, dperm_error *err);
dperm_status blocks_gram_diagonal(const matrix *x, const double *w, size_t k, double *d,
                                  dperm_error *err);

/* All of these, for the table of a kind. */
#define BLOCKS_OPERATIONS                                                                          \
  .apply_rows = blocks_apply_rows, .apply_both = blocks_apply_both, .gram = blocks_gram,           \
  .gram_diagonal = blocks_gram_diagonal

/* At most so many additions stand behind an entry of X f, and of Xᵀ w, for one right-hand side. */
size_t blocks_row_depth(size_t cols);
size_t blocks_sum_depth(const matrix *x);

/* ---- C += A B for blocks that fit in cache (gemm_block.c): the product behind these, Gram
 * matrices and factors. Our own: a BLAS would be the largest thing that a program has to carry for
 * it, and the usual one takes its oldest kernels on processors newer than itself. */

/* A is m × k with entries a[i·a_row + p·a_col], B is k × n and C is m × n, both row-major with rows
 * b_row and c_row apart. The bits of an entry of C depend on its row of A and its column of B and
 * on k alone: each multiplication is fused with its addition, on all processors. */
typedef struct gemm_operands {
  size_t m, n, k;
  const double *a;
  size_t a_row, a_col;
  const double *b;
  size_t b_row;
  double *c;
  size_t c_row;
} gemm_operands;

void gemm_block(const gemm_operands *t);
/* By the kernel number `at` of those that this processor can run; false behind the last. */
bool gemm_block_by(size_t at, const gemm_operands *t);

/* C += A B and C += Aᵀ B, where the rows of A, B and C are lda, ldb and ldc apart. */
static inline void gemm_nn(size_t m, size_t n, size_t k, const double *a, size_t lda,
                           const double *b, size_t ldb, double *c, size_t ldc) {
  gemm_block(&(gemm_operands){m, n, k, a, lda, 1, b, ldb, c, ldc});
}

static inline void gemm_tn(size_t m, size_t n, size_t k, const double *a, size_t lda,
                           const double *b, size_t ldb, double *c, size_t ldc) {
  gemm_block(&(gemm_operands){m, n, k, a, 1, lda, b, ldb, c, ldc});
}
