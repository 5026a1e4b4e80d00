/* C += A B for blocks that fit in cache: the product behind Gram matrices, random features and
 * factors. Our own, because a BLAS would be the largest thing that a program has to carry and load
 * for it, and the usual one takes its oldest kernels on processors that are newer than itself. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A is m × k with entries a[i·a_row + p·a_col], B is k × n and C is m × n, both row-major with rows
 * b_row and c_row apart. The bits of an entry of C depend on its row of A and its column of B and
 * on k alone, on one kind of processor: with fused multiply-adds they differ from those without. */
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
/* Which of the two kinds of processor this is. */
bool gemm_is_fused(void);

/* C += A B and C += Aᵀ B, where the rows of A, B and C are lda, ldb and ldc apart. */
static inline void gemm_nn(size_t m, size_t n, size_t k, const double *a, size_t lda,
                           const double *b, size_t ldb, double *c, size_t ldc) {
  gemm_block(&(gemm_operands){m, n, k, a, lda, 1, b, ldb, c, ldc});
}

static inline void gemm_tn(size_t m, size_t n, size_t k, const double *a, size_t lda,
                           const double *b, size_t ldb, double *c, size_t ldc) {
  gemm_block(&(gemm_operands){m, n, k, a, 1, lda, b, ldb, c, ldc});
}
