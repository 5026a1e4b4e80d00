/* Dense row-major rows, worked on in blocks of BLOCK rows that stay in cache, through BLAS. */
#include <cblas.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/matrix.h"

enum { BLOCK = 256, TILE = 128 };

typedef struct dense {
  matrix base;
  double *values;
} dense;

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static dperm_status dense_apply(const matrix *x, const double *f, size_t k, double *z,
                                dperm_error *err) {
  (void)err;
  const dense *m = (const dense *)x;
  size_t blocks = (x->rows + BLOCK - 1) / BLOCK;
#pragma omp parallel for schedule(static) if (blocks > 1)
  for (size_t b = 0; b < blocks; b++) {
    size_t from = b * BLOCK, count = smaller(BLOCK, x->rows - from);
    const double *rows = m->values + from * x->cols;
    if (k == 1) {
      cblas_dgemv(CblasRowMajor, CblasNoTrans, (blasint)count, (blasint)x->cols, 1.0, rows,
                  (blasint)x->cols, f, 1, 0.0, z + from, 1);
    } else {
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)count, (blasint)k,
                  (blasint)x->cols, 1.0, rows, (blasint)x->cols, f, (blasint)k, 0.0, z + from * k,
                  (blasint)k);
    }
  }
  return DPERM_OK;
}

/* Stripes are summed block by block: the depth of a sum is BLOCK + blocks + stripes. */
static dperm_status dense_apply_transposed(const matrix *x, const double *w, size_t k, double *g,
                                           dperm_error *err) {
  const dense *m = (const dense *)x;
  size_t size = x->cols * k, stripes = stripe_count(x->rows, 2 * size);
  double *parts = NULL;
  TRY(memory_new(2 * stripes * size, sizeof *parts, &parts, err));
#pragma omp parallel for schedule(dynamic) if (stripes > 1)
  for (size_t s = 0; s < stripes; s++) {
    size_t to = stripe_start(x->rows, stripes, s + 1);
    double *total = parts + s * size, *block = parts + (stripes + s) * size;
    for (size_t at = stripe_start(x->rows, stripes, s); at < to; at += BLOCK) {
      cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (blasint)x->cols, (blasint)k,
                  (blasint)smaller(BLOCK, to - at), 1.0, m->values + at * x->cols, (blasint)x->cols,
                  w + at * k, (blasint)k, 0.0, block, (blasint)k);
      for (size_t i = 0; i < size; i++) {
        total[i] += block[i];
      }
    }
  }
  stripe_sum(parts, stripes, size, g);
  free(parts);
  return DPERM_OK;
}

/* One tile of H: columns [left, …) against columns [right, …), over all rows in order. */
static void gram_tile(const dense *m, const double *w, size_t stride, size_t left, size_t right,
                      double *scaled, double *h) {
  const matrix *x = &m->base;
  size_t high = smaller(TILE, x->cols - left), wide = smaller(TILE, x->cols - right);
  for (size_t at = 0; at < x->rows; at += BLOCK) {
    size_t count = smaller(BLOCK, x->rows - at);
    for (size_t i = 0; i < count; i++) {
      const double *row = m->values + (at + i) * x->cols + right;
      for (size_t j = 0; j < wide; j++) {
        scaled[i * TILE + j] = w[(at + i) * stride] * row[j];
      }
    }
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (blasint)high, (blasint)wide,
                (blasint)count, 1.0, m->values + at * x->cols + left, (blasint)x->cols, scaled,
                TILE, at == 0 ? 0.0 : 1.0, h + left * x->cols + right, (blasint)x->cols);
  }
}

static dperm_status dense_gram(const matrix *x, const double *w, size_t stride, double *h,
                               dperm_error *err) {
  const dense *m = (const dense *)x;
  size_t across = (x->cols + TILE - 1) / TILE, tiles = across * across;
  double *room = NULL;
  TRY(memory_new(tiles * BLOCK * TILE, sizeof *room, &room, err));
#pragma omp parallel for schedule(dynamic) if (x->rows > BLOCK)
  for (size_t t = 0; t < tiles; t++) {
    if (t / across <= t % across) {
      gram_tile(m, w, stride, t / across * TILE, t % across * TILE, room + t * BLOCK * TILE, h);
    }
  }
  free(room);
  return DPERM_OK;
}

static dperm_status dense_gram_diagonal(const matrix *x, const double *w, size_t k, double *d,
                                        dperm_error *err) {
  const dense *m = (const dense *)x;
  size_t size = x->cols * k, stripes = stripe_count(x->rows, size);
  double *parts = NULL;
  TRY(memory_new(stripes * size, sizeof *parts, &parts, err));
#pragma omp parallel for schedule(dynamic) if (stripes > 1)
  for (size_t s = 0; s < stripes; s++) {
    size_t to = stripe_start(x->rows, stripes, s + 1);
    for (size_t i = stripe_start(x->rows, stripes, s); i < to; i++) {
      for (size_t j = 0; j < x->cols; j++) {
        double v = m->values[i * x->cols + j];
        for (size_t c = 0; c < k; c++) {
          parts[s * size + j * k + c] += w[i * k + c] * v * v;
        }
      }
    }
  }
  stripe_sum(parts, stripes, size, d);
  free(parts);
  return DPERM_OK;
}

static void dense_row(const matrix *x, size_t i, double *values) {
  memcpy(values, ((const dense *)x)->values + i * x->cols, x->cols * sizeof *values);
}

static dperm_status dense_select(const matrix *x, const size_t *rows, size_t count, matrix **out,
                                 dperm_error *err) {
  double *values = NULL;
  TRY(memory_new(count * x->cols, sizeof *values, &values, err));
  for (size_t i = 0; i < count; i++) {
    dense_row(x, rows[i], values + i * x->cols);
  }
  dperm_status status = matrix_dense_new(count, x->cols, values, out, err);
  if (status != DPERM_OK) {
    free(values);
  }
  return status;
}

static size_t dense_bytes(const matrix *x) {
  return x->rows * x->cols * sizeof(double);
}

static void dense_free(matrix *x) {
  free(((dense *)x)->values);
  free(x);
}

static const matrix_kind dense_kind = {
    .name = "dense",
    .apply = dense_apply,
    .apply_transposed = dense_apply_transposed,
    .gram = dense_gram,
    .gram_diagonal = dense_gram_diagonal,
    .row = dense_row,
    .select = dense_select,
    .bytes = dense_bytes,
    .free = dense_free,
};

dperm_status matrix_dense_new(size_t rows, size_t cols, double *values, matrix **out,
                              dperm_error *err) {
  dense *m = NULL;
  TRY(memory_new(1, sizeof *m, &m, err));
  m->base = (matrix){.kind = &dense_kind,
                     .rows = rows,
                     .cols = cols,
                     .row_entries = cols,
                     .sum_depth = BLOCK + rows / BLOCK + 33};
  m->values = values;
  *out = &m->base;
  return DPERM_OK;
}
