/* The matrix kind: a block of rows is the inner matrix times the directions, or its rows through
 * their fast rotations, then cos and sin. */
#include "kernel/features.h"

#include <math.h>

#include "base/functions.h"
#include "base/memory.h"
#include "matrix/matrix_dense.h"

enum { COSTLY = 1 << 20, FEW = 32 /* a multiple of gemm_block's rows */ };

typedef struct features {
  matrix base;
  const feature_map *map;
  const matrix *inner;
  matrix *owned; /* the inner matrix of a selection; else NULL */
} features;

static double features_scale(size_t cols) {
  return sqrt(2.0 / (double)cols);
}

row_bounds features_bounds(size_t cols) {
  row_bounds bounds = row_bounds_of_norm(cols, FEATURES_NORM);
  bounds.body.only.radius = nextafter(features_scale(cols) * FEATURES_NORM, INFINITY);
  return bounds;
}

size_t kernel_dims(const dperm_kernel *kernel, size_t inputs) {
  return kernel->kind == DPERM_KERNEL_NONE ? inputs : kernel->features;
}

row_bounds kernel_bounds(const dperm_kernel *kernel, const row_bounds *encoded) {
  return kernel->kind == DPERM_KERNEL_NONE ? *encoded : features_bounds(kernel->features);
}

/* A few rows at a time where they cost much, so that a watch is heard between them. A row's angles
 * depend on its place alone (apply_rows). */
static void written_angles(const features *m, size_t from, size_t count, double *angles,
                           double *work) {
  const matrix *inner = m->inner;
  size_t half = m->base.cols / 2, most = half * inner->row_entries > COSTLY ? FEW : MATRIX_BLOCK;
  for (size_t i = 0; i < count && !cancel_poll(); i += most) {
    inner->kind->apply_rows(inner, from + i, count - i < most ? count - i : most,
                            m->map->directions, half, angles + i * half, work);
  }
}

/* Row by row: the angles of a row have the same bits wherever it stands. */
static void fast_angles(const features *m, size_t from, size_t count, double *angles,
                        double *work) {
  const matrix *inner = m->inner;
  size_t half = m->base.cols / 2;
  for (size_t i = 0; i < count && !cancel_poll_at(i, half); i++) {
    row_view row = {inner->cols, NULL, work + inner->work_size};
    if (inner->kind->views) {
      inner->kind->views(inner, from + i, 1, work, &row);
    } else {
      inner->kind->row(inner, from + i, work + inner->work_size);
    }
    hadamard_angles(m->map->fast, row.count, row.columns, row.values, angles + i * half,
                    work + inner->work_size + inner->cols);
  }
}

/* All cosines first, then all sines. The scale is rounded once, so the norm is within
 * FEATURES_NORM: √(2/D)² · D/2 pairs whose squares sum to 1 within a few units of the last bit. */
static const double *features_block(const matrix *x, size_t from, size_t count, double *work) {
  const features *m = (const features *)x;
  size_t half = x->cols / 2;
  double scale = features_scale(x->cols);
  double *angles = work, *rows = work + MATRIX_BLOCK * half, *rest = rows + MATRIX_BLOCK * x->cols;
  (m->map->directions ? written_angles : fast_angles)(m, from, count, angles, rest);
  for (size_t i = 0; i < count && !cancel_requested(); i++) {
    (void)cancel_poll_at(i, half);
    math_sincos_scaled(angles + i * half, half, scale, rows + i * x->cols,
                       rows + i * x->cols + half);
  }
  return rows;
}

/* By way of its whole block, so that it is the same row as in a pass, unless rows go one by one
 * anyway. NaN without memory, or where the watch has stopped. */
static void features_row(const matrix *x, size_t i, double *values) {
  size_t most = ((const features *)x)->map->directions ? MATRIX_BLOCK : 1;
  size_t from = i - i % most, left = x->rows - from;
  OWNED_MEMORY double *work = calloc(x->work_size, sizeof *work);
  const double *rows = work ? blocks_rows(x, from, left < most ? left : most, work) : NULL;
  for (size_t j = 0; j < x->cols; j++) {
    values[j] = rows ? rows[(i - from) * x->cols + j] : (double)NAN;
  }
}

static dperm_status features_select(const matrix *x, const size_t *rows, size_t count, matrix **out,
                                    dperm_error *err) {
  const features *m = (const features *)x;
  OWNED(matrix_free_at) matrix *inner = NULL;
  TRY(m->inner->kind->select(m->inner, rows, count, &inner, err));
  TRY(features_new(m->map, inner, out, err));
  ((features *)*out)->owned = TAKE(inner);
  return DPERM_OK;
}

static void features_free(matrix *x) {
  matrix_free(((features *)x)->owned);
  free(x);
}

size_t features_work_size(feature_kind kind, size_t inputs, size_t cols) {
  size_t own = kind == FEATURES_HADAMARD ? hadamard_work_size(inputs, cols / 2) : 0;
  return (size_t)MATRIX_BLOCK * (cols + cols / 2) + own;
}

static const matrix_kind features_kind = {
    .name = "features",
    BLOCKS_OPERATIONS,
    .row = features_row,
    .select = features_select,
    .block = features_block,
    .free = features_free,
};

dperm_status features_new(const feature_map *map, const matrix *inner, matrix **out,
                          dperm_error *err) {
  features *m = NULL;
  size_t cols = map->kernel.features;
  FAIL_IF(inner->cols != map->inputs, err, DPERM_INVALID_DATA,
          "the features are of %zu columns, the data have %zu", map->inputs, inner->cols);
  TRY(memory_new(1, sizeof *m, &m, err));
  m->base =
      (matrix){.kind = &features_kind,
               .rows = inner->rows,
               .cols = cols,
               .row_entries = cols,
               .row_depth = blocks_row_depth(cols),
               .spread = inner->spread,
               .total = inner->total,
               .first = inner->first,
               .work_size = features_work_size(map->kind, map->inputs, cols) + inner->work_size};
  m->base.sum_depth = blocks_sum_depth(&m->base);
  m->map = map;
  m->inner = inner;
  *out = &m->base;
  return DPERM_OK;
}

static void keep_block(const void *context, const matrix *made, size_t from, size_t count,
                       double *work) {
  double *const *values = context;
  const double *rows = blocks_rows(made, from, count, work);
  if (rows) {
    memcpy(*values + from * made->cols, rows, count * made->cols * sizeof *rows);
  }
}

dperm_status features_keep(const matrix *made, matrix **kept, dperm_error *err) {
  OWNED_MEMORY double *values = NULL;
  *kept = NULL;
  if (made->rows > FEATURES_KEPT / sizeof *values / made->cols) {
    return DPERM_OK;
  }
  TRY(memory_new(made->rows * made->cols, sizeof *values, &values, err));
  TRY(matrix_for_blocks(made, keep_block, &values, err));
  TRY(matrix_dense_new(made->rows, made->cols, values, kept, err));
  values = NULL; /* belongs to the matrix now */
  (*kept)->spread = made->spread;
  (*kept)->total = made->total;
  (*kept)->first = made->first;
  (*kept)->sum_depth = blocks_sum_depth(*kept);
  return DPERM_OK;
}
