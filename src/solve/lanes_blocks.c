/* Dense rows by blocks, through BLAS: whatever order it adds in, no more than a block's rows stand
 * behind a block's share of the gradient, and blocks are added one by one. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "solve/lanes.h"

static void add_hessians(lanes *l, const double *rows, size_t count) {
  size_t cols = l->p->x->cols;
  for (size_t m = 0; m < LANES; m++) {
    for (size_t i = 0; i < count; i++) {
      double root = sqrt(fmax(0, l->curvature[i * LANES + m]));
      for (size_t j = 0; j < cols; j++) {
        l->scaled[i * cols + j] = (float)(root * rows[i * cols + j]);
      }
    }
    cblas_ssyrk(CblasRowMajor, CblasUpper, CblasTrans, (blasint)cols, (blasint)count, 1.0F,
                l->scaled, (blasint)cols, 1.0F, l->hessian + m * cols * cols, (blasint)cols);
  }
}

static void pass_block(lanes *l, size_t from, size_t count, bool hessian) {
  const problem *p = l->p;
  size_t cols = p->x->cols;
  const double *rows = p->x->kind->block(p->x, from, count, l->room);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)count, LANES, (blasint)cols, 1.0,
              rows, (blasint)cols, l->f, LANES, 0.0, l->margin, LANES);
  for (size_t i = 0; i < count * LANES; i++) {
    l->margin[i] *= p->labels[from + i / LANES];
  }
  p->loss->eval(p->loss, count * LANES, l->margin, NULL, l->slope, hessian ? l->curvature : NULL);
  for (size_t i = 0; i < count * LANES; i++) {
    l->slope[i] *= p->labels[from + i / LANES];
  }
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (blasint)cols, LANES, (blasint)count, 1.0,
              rows, (blasint)cols, l->slope, LANES, 0.0, l->sums, LANES);
  for (size_t i = 0; i < cols * LANES; i++) {
    l->gradient[i] += l->sums[i];
  }
  if (hessian) {
    add_hessians(l, rows, count);
  }
}

void lanes_pass_blocks(lanes *l, bool hessian) {
  size_t rows = l->p->x->rows, cols = l->p->x->cols;
  memset(l->gradient, 0, cols * LANES * sizeof *l->gradient);
  if (hessian) {
    memset(l->hessian, 0, cols * cols * LANES * sizeof *l->hessian);
  }
  for (size_t from = 0; from < rows; from += MATRIX_BLOCK) {
    pass_block(l, from, rows - from < MATRIX_BLOCK ? rows - from : MATRIX_BLOCK, hessian);
  }
}
