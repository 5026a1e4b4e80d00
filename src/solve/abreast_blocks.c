/* Dense rows by blocks, through BLAS: whatever order it adds in, no more than a block's rows stand
 * behind a block's share of the gradient, and blocks are added one by one. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "solve/abreast.h"

static void add_hessians(abreast *l, const double *rows, size_t count) {
  size_t cols = l->p->x->cols;
  for (size_t m = 0; m < ABREAST; m++) {
    for (size_t i = 0; i < count; i++) {
      double root = sqrt(fmax(0, l->curvature[i * ABREAST + m]));
      for (size_t j = 0; j < cols; j++) {
        l->scaled[i * cols + j] = (float)(root * rows[i * cols + j]);
      }
    }
    cblas_ssyrk(CblasRowMajor, CblasUpper, CblasTrans, (blasint)cols, (blasint)count, 1.0F,
                l->scaled, (blasint)cols, 1.0F, l->hessian + m * cols * cols, (blasint)cols);
  }
}

static void pass_block(abreast *l, size_t from, size_t count, bool hessian) {
  const problem *p = l->p;
  size_t cols = p->x->cols;
  const double *rows = p->x->kind->block(p->x, from, count, l->room);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)count, ABREAST, (blasint)cols,
              1.0, rows, (blasint)cols, l->f, ABREAST, 0.0, l->margin, ABREAST);
  for (size_t i = 0; i < count * ABREAST; i++) {
    l->margin[i] *= p->labels[from + i / ABREAST];
  }
  p->loss->eval(p->loss, count * ABREAST, l->margin, NULL, l->slope, hessian ? l->curvature : NULL);
  abreast_share(l, from, count, hessian);
  for (size_t i = 0; i < count * ABREAST; i++) {
    l->slope[i] *= p->labels[from + i / ABREAST];
  }
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (blasint)cols, ABREAST, (blasint)count, 1.0,
              rows, (blasint)cols, l->slope, ABREAST, 0.0, l->sums, ABREAST);
  for (size_t i = 0; i < cols * ABREAST; i++) {
    l->gradient[i] += l->sums[i];
  }
  if (hessian) {
    add_hessians(l, rows, count);
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
