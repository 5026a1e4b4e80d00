/* Dense row-major rows: blocks of them stand ready, matrix/matrix_blocks.h does the rest. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "matrix/matrix_blocks.h"
#include "matrix/matrix_spread.h"

typedef struct dense {
  matrix base;
  double *values;
} dense;

static const double *dense_block(const matrix *x, size_t from, size_t count, double *work) {
  (void)count;
  (void)work;
  return ((const dense *)x)->values + from * x->cols;
}

static void dense_row(const matrix *x, size_t i, double *values) {
  memcpy(values, ((const dense *)x)->values + i * x->cols, x->cols * sizeof *values);
}

static dperm_status dense_select(const matrix *x, const size_t *rows, size_t count, matrix **out,
                                 dperm_error *err) {
  OWNED_MEMORY double *values = NULL;
  TRY(memory_new(count * x->cols, sizeof *values, &values, err));
  if (x->spread) { /* every process gets all of them */
    const double *own = ((const dense *)x)->values;
    TRY(spread_everywhere(x, own, x->cols, rows, count, values, err));
  }
  for (size_t i = 0; !x->spread && i < count; i++) {
    dense_row(x, rows[i], values + i * x->cols);
  }
  TRY(matrix_dense_new(count, x->cols, values, out, err));
  values = NULL;
  return DPERM_OK;
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
    BLOCKS_OPERATIONS,
    .block = dense_block,
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
                     .row_depth = blocks_row_depth(cols)};
  m->base.sum_depth = blocks_sum_depth(&m->base);
  m->values = values;
  *out = &m->base;
  return DPERM_OK;
}
