/* Dense rows by blocks: no more than a block's rows stand behind a block's share of the gradient,
 * and blocks are added one by one. */
#include <string.h>

#include "base/vector.h"
#include "matrix/gemm_block.h"
#include "matrix/matrix_dense.h"
#include "solve/batch_pass.h"

/* A block's share is made in doubles. */
static void add_hessian(batch_pass *l, size_t m, const double *rows, size_t count) {
  size_t cols = l->p->x->cols;
  double *share = l->square, *spare = l->square + cols * cols;
  float *to = l->hessian + m * cols * cols;
  memset(share, 0, cols * cols * sizeof *share);
  dense_rows_gram(rows, count, cols, l->curvature + m, BATCH_WIDTH, share, spare);
  for (size_t i = 0; i < cols * cols; i++) {
    to[i] += (float)share[i];
  }
}

static void pass_block(batch_pass *l, size_t from, size_t count, bool hessian) {
  const problem *p = l->p;
  size_t cols = p->x->cols;
  const double *rows = blocks_rows(p->x, from, count, l->work);
  if (!rows) { /* stopped: the caller of batch_pass_run looks */
    return;
  }
  memset(l->score, 0, count * BATCH_WIDTH * sizeof *l->score);
  gemm_nn(count, BATCH_WIDTH, cols, rows, cols, l->f, BATCH_WIDTH, l->score, BATCH_WIDTH);
  problem_rows_eval(p, from, count, BATCH_WIDTH, l->score, NULL, l->slope,
                    hessian ? l->curvature : NULL);
  memset(l->sums, 0, cols * BATCH_WIDTH * sizeof *l->sums);
  gemm_tn(cols, BATCH_WIDTH, count, rows, cols, l->slope, BATCH_WIDTH, l->sums, BATCH_WIDTH);
  vector_axpy(l->gradient, 1, l->sums, cols * BATCH_WIDTH);
  for (size_t m = 0; hessian && m < BATCH_WIDTH; m++) {
    add_hessian(l, m, rows, count);
  }
}

void batch_pass_dense(batch_pass *l, bool hessian) {
  size_t rows = l->p->x->rows, cols = l->p->x->cols;
  memset(l->gradient, 0, cols * BATCH_WIDTH * sizeof *l->gradient);
  if (hessian) {
    memset(l->hessian, 0, cols * cols * BATCH_WIDTH * sizeof *l->hessian);
  }
  for (size_t from = 0; from < rows; from += MATRIX_BLOCK) {
    pass_block(l, from, rows - from < MATRIX_BLOCK ? rows - from : MATRIX_BLOCK, hessian);
  }
}
