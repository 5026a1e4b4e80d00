/* Some rows of another matrix, in place: the parts of a cross-validation share one copy of the
 * records. Where the inner kind has dense blocks, the view gathers its own from them and all
 * operations are those of matrix/matrix_dense.h. All other kinds have entries: products are the
 * inner ones, with weights of zero for the rows that are left out: adding x·0 changes no bit of a
 * sum. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "matrix/matrix_dense.h"

typedef struct masked {
  matrix base;
  const matrix *inner;
  size_t *index; /* ascending: row i of the view is row index[i] of the inner matrix */
} masked;

static size_t inner_row(const matrix *x, size_t i) {
  return ((const masked *)x)->index[i];
}

static const matrix *inner_of(const matrix *x) {
  return ((const masked *)x)->inner;
}

/* ---- rows */

/* Runs of rows that stand together in the inner matrix go in one call. */
static void masked_apply_rows(const matrix *x, size_t from, size_t count, const double *f, size_t k,
                              double *z, double *work) {
  const matrix *inner = inner_of(x);
  const size_t *index = ((const masked *)x)->index + from;
  for (size_t i = 0, run = 0; i < count; i += run) {
    for (run = 1; i + run < count && index[i + run] == index[i] + run;) {
      run++;
    }
    inner->kind->apply_rows(inner, index[i], run, f, k, z + i * k, work);
  }
}

static void masked_row(const matrix *x, size_t i, double *values) {
  const matrix *inner = inner_of(x);
  inner->kind->row(inner, inner_row(x, i), values);
}

/* Rows that the inner kind makes are made one by one, each in space of its own. */
static void masked_views(const matrix *x, size_t from, size_t count, double *work, row_view *out) {
  const matrix *inner = inner_of(x);
  const size_t *index = ((const masked *)x)->index + from;
  for (size_t i = 0; i < count; i++) {
    inner->kind->views(inner, index[i], 1, work + i * (x->work_size / MATRIX_BLOCK), out + i);
  }
}

/* Rows are copied out of the whole inner blocks that they stand in, so that they are the same rows
 * as in every other pass. The copies come first in `work`, the inner kind's own space behind. */
static const double *masked_block(const matrix *x, size_t from, size_t count, double *work) {
  const matrix *inner = inner_of(x);
  const size_t *index = ((const masked *)x)->index + from;
  double *inside = work + (size_t)MATRIX_BLOCK * x->cols;
  for (size_t i = 0; i < count;) {
    size_t block = index[i] / MATRIX_BLOCK, start = block * MATRIX_BLOCK;
    size_t left = inner->rows - start;
    const double *rows =
        inner->kind->block(inner, start, left < MATRIX_BLOCK ? left : MATRIX_BLOCK, inside);
    for (; i < count && index[i] / MATRIX_BLOCK == block; i++) {
      memcpy(work + i * x->cols, rows + (index[i] - start) * x->cols, x->cols * sizeof *work);
    }
  }
  return work;
}

static dperm_status masked_select(const matrix *x, const size_t *rows, size_t count, matrix **out,
                                  dperm_error *err) {
  OWNED_MEMORY size_t *chosen = NULL;
  TRY(memory_new(count, sizeof *chosen, &chosen, err));
  for (size_t i = 0; i < count; i++) {
    chosen[i] = inner_row(x, rows[i]);
  }
  return inner_of(x)->kind->select(inner_of(x), chosen, count, out, err);
}

/* ---- sums over rows, by way of all rows of the inner matrix */

/* The k numbers of each of the view's rows, where its inner row stands; zeros for the others. */
static dperm_status spread(const matrix *x, const double *w, size_t k, double **out,
                           dperm_error *err) {
  TRY(memory_new(inner_of(x)->rows * k, sizeof **out, out, err));
  for (size_t i = 0; i < x->rows; i++) {
    memcpy(*out + inner_row(x, i) * k, w + i * k, k * sizeof *w);
  }
  return DPERM_OK;
}

static dperm_status masked_apply_transposed(const matrix *x, const double *w, size_t k, double *g,
                                            dperm_error *err) {
  OWNED_MEMORY double *whole = NULL;
  TRY(spread(x, w, k, &whole, err));
  return inner_of(x)->kind->apply_transposed(inner_of(x), whole, k, g, err);
}

static dperm_status masked_gram(const matrix *x, const double *w, double *h, dperm_error *err) {
  OWNED_MEMORY double *whole = NULL;
  TRY(spread(x, w, 1, &whole, err));
  return inner_of(x)->kind->gram(inner_of(x), whole, h, err);
}

static dperm_status masked_gram_diagonal(const matrix *x, const double *w, size_t k, double *d,
                                         dperm_error *err) {
  OWNED_MEMORY double *whole = NULL;
  TRY(spread(x, w, k, &whole, err));
  return inner_of(x)->kind->gram_diagonal(inner_of(x), whole, k, d, err);
}

/* ---- the two kinds */

static void masked_free(matrix *x) {
  free(((masked *)x)->index);
  free(x);
}

#define MASKED_SHARED                                                                              \
  .name = "masked", .row = masked_row, .select = masked_select, .free = masked_free

static const matrix_kind masked_blocks_kind = {
    MASKED_SHARED,
    BLOCKS_OPERATIONS,
    .block = masked_block,
};

static const matrix_kind masked_entries_kind = {
    MASKED_SHARED,
    .apply_rows = masked_apply_rows,
    .apply_transposed = masked_apply_transposed,
    .gram = masked_gram,
    .gram_diagonal = masked_gram_diagonal,
    .views = masked_views,
};

dperm_status matrix_masked_new(const matrix *inner, const size_t *rows, size_t count, matrix **out,
                               dperm_error *err) {
  OWNED_MEMORY masked *m = NULL;
  OWNED_MEMORY size_t *index = NULL;
  for (size_t i = 0; i < count; i++) {
    if (rows[i] >= inner->rows || (i > 0 && rows[i] <= rows[i - 1])) {
      FAIL(err, DPERM_INVALID_ARGUMENT, "the rows of a part are not ascending, or not below %zu",
           inner->rows);
    }
  }
  TRY(memory_new(1, sizeof *m, &m, err));
  TRY(memory_new(count, sizeof *index, &index, err));
  memcpy(index, rows, count * sizeof *index);
  *m = (masked){.base = *inner, .inner = inner, .index = index};
  m->base.rows = count;
  m->base.kind = &masked_entries_kind;
  if (inner->work_size > 0) { /* with starts and odd columns for each row */
    m->base.work_size = inner->work_size + (size_t)4 * MATRIX_BLOCK;
  }
  if (inner->kind->block) {
    m->base.kind = &masked_blocks_kind;
    m->base.work_size = (size_t)MATRIX_BLOCK * inner->cols + inner->work_size;
    m->base.sum_depth = blocks_sum_depth(&m->base);
  }
  *out = &m->base;
  m = NULL;
  index = NULL;
  return DPERM_OK;
}
