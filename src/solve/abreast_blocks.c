/* Dense rows by blocks: no more than a block's rows stand behind a block's share of the gradient,
 * and blocks are added one by one. */
#include <string.h>

#include "data/matrix_blocks.h"
#include "data/tile_product.h"
#include "solve/abreast.h"

/* The upper triangle by tiles of columns, as in data/matrix_blocks.c, a block's share in doubles.
 */
static void add_hessian(abreast *l, size_t m, const double *rows, size_t count) {
  size_t cols = l->p->x->cols;
  double *scaled = l->tile, *share = l->tile + l->chunk * ABREAST_TILE;
  for (size_t left = 0; left < cols; left += ABREAST_TILE) {
    size_t wide = cols - left < ABREAST_TILE ? cols - left : ABREAST_TILE;
    for (size_t i = 0; i < count; i++) {
      double w = l->curvature[i * ABREAST + m];
      for (size_t j = 0; j < wide; j++) {
        scaled[i * ABREAST_TILE + j] = w * rows[i * cols + left + j];
      }
    }
    memset(share, 0, (left + wide) * ABREAST_TILE * sizeof *share);
    tile_product(&(tile_operands){.m = left + wide,
                                  .n = wide,
                                  .k = count,
                                  .a = rows,
                                  .a_row = 1,
                                  .a_col = cols,
                                  .b = scaled,
                                  .b_row = ABREAST_TILE,
                                  .c = share,
                                  .c_row = ABREAST_TILE});
    for (size_t i = 0; i < left + wide; i++) {
      float *to = l->hessian + (m * cols + i) * cols + left;
      for (size_t j = 0; j < wide; j++) {
        to[j] += (float)share[i * ABREAST_TILE + j];
      }
    }
  }
}

static void pass_block(abreast *l, size_t from, size_t count, bool hessian) {
  const problem *p = l->p;
  size_t cols = p->x->cols;
  const double *rows = blocks_rows(p->x, from, count, l->room);
  if (!rows) { /* stopped: the caller of abreast_pass looks */
    return;
  }
  memset(l->margin, 0, count * ABREAST * sizeof *l->margin);
  tile_product(&(tile_operands){.m = count,
                                .n = ABREAST,
                                .k = cols,
                                .a = rows,
                                .a_row = cols,
                                .a_col = 1,
                                .b = l->f,
                                .b_row = ABREAST,
                                .c = l->margin,
                                .c_row = ABREAST});
  for (size_t i = 0; i < count * ABREAST; i++) {
    l->margin[i] *= p->labels[from + i / ABREAST];
  }
  p->loss->eval(p->loss, count * ABREAST, l->margin, NULL, l->slope, hessian ? l->curvature : NULL);
  abreast_share(l, from, count, hessian);
  for (size_t i = 0; i < count * ABREAST; i++) {
    l->slope[i] *= p->labels[from + i / ABREAST];
  }
  memset(l->sums, 0, cols * ABREAST * sizeof *l->sums);
  tile_product(&(tile_operands){.m = cols,
                                .n = ABREAST,
                                .k = count,
                                .a = rows,
                                .a_row = 1,
                                .a_col = cols,
                                .b = l->slope,
                                .b_row = ABREAST,
                                .c = l->sums,
                                .c_row = ABREAST});
  for (size_t i = 0; i < cols * ABREAST; i++) {
    l->gradient[i] += l->sums[i];
  }
  for (size_t m = 0; hessian && m < ABREAST; m++) {
    add_hessian(l, m, rows, count);
  }
}

void abreast_pass_blocks(abreast *l, bool hessian) {
  size_t rows = l->p->x->rows, cols = l->p->x->cols;
  memset(l->gradient, 0, cols * ABREAST * sizeof *l->gradient);
  if (hessian) {
    memset(l->hessian, 0, cols * cols * ABREAST * sizeof *l->hessian);
  }
  for (size_t from = 0; from < rows; from += MATRIX_BLOCK) {
    pass_block(l, from, rows - from < MATRIX_BLOCK ? rows - from : MATRIX_BLOCK, hessian);
  }
}
