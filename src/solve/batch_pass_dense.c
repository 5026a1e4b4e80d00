/* Dense rows by blocks: no more than a block's rows stand behind a block's share of the gradient,
 * and blocks are added one by one. */
#include <string.h>

#include "matrix/gemm_block.h"
#include "matrix/matrix_blocks.h"
#include "solve/batch_lanes.h"

/* The upper triangle by tiles of columns, as in matrix/matrix_blocks.c, a block's share in doubles.
 */
static void add_hessian(batch_pass *l, size_t m, const double *rows, size_t count) {
  size_t cols = l->p->x->cols;
  double *scaled = l->tile, *share = l->tile + l->chunk * BATCH_TILE;
  for (size_t left = 0; left < cols; left += BATCH_TILE) {
    size_t wide = cols - left < BATCH_TILE ? cols - left : BATCH_TILE;
    for (size_t i = 0; i < count; i++) {
      double w = l->curvature[i * BATCH_WIDTH + m];
      for (size_t j = 0; j < wide; j++) {
        scaled[i * BATCH_TILE + j] = w * rows[i * cols + left + j];
      }
    }
    memset(share, 0, (left + wide) * BATCH_TILE * sizeof *share);
    gemm_block(&(gemm_operands){.m = left + wide,
                                .n = wide,
                                .k = count,
                                .a = rows,
                                .a_row = 1,
                                .a_col = cols,
                                .b = scaled,
                                .b_row = BATCH_TILE,
                                .c = share,
                                .c_row = BATCH_TILE});
    for (size_t i = 0; i < left + wide; i++) {
      float *to = l->hessian + (m * cols + i) * cols + left;
      for (size_t j = 0; j < wide; j++) {
        to[j] += (float)share[i * BATCH_TILE + j];
      }
    }
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
  gemm_block(&(gemm_operands){.m = count,
                              .n = BATCH_WIDTH,
                              .k = cols,
                              .a = rows,
                              .a_row = cols,
                              .a_col = 1,
                              .b = l->f,
                              .b_row = BATCH_WIDTH,
                              .c = l->score,
                              .c_row = BATCH_WIDTH});
  problem_rows_eval(p, from, count, BATCH_WIDTH, l->score, NULL, l->slope,
                    hessian ? l->curvature : NULL);
  memset(l->sums, 0, cols * BATCH_WIDTH * sizeof *l->sums);
  gemm_block(&(gemm_operands){.m = cols,
                              .n = BATCH_WIDTH,
                              .k = count,
                              .a = rows,
                              .a_row = 1,
                              .a_col = cols,
                              .b = l->slope,
                              .b_row = BATCH_WIDTH,
                              .c = l->sums,
                              .c_row = BATCH_WIDTH});
  for (size_t i = 0; i < cols * BATCH_WIDTH; i++) {
    l->gradient[i] += l->sums[i];
  }
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
