/* Some rows of another matrix, in place: the parts of a cross-validation share one copy of the
 * records. Where the inner kind has dense blocks, the view gathers its own from them and all
 * operations are those of matrix/matrix_blocks.h. All other kinds have entries: products are the
 * inner ones, with weights of zero for the rows that are left out: adding x·0 changes no bit of a
 * sum. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scratch.h"
#include "matrix/matrix_blocks.h"

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

static size_t masked_entries(const matrix *x, size_t i, const uint32_t **columns,
                             const double **values) {
  const matrix *inner = inner_of(x);
  return inner->kind->entries(inner, inner_row(x, i), columns, values);
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
  size_t *chosen = NULL;
  TRY(memory_new(count, sizeof *chosen, &chosen, err));
  for (size_t i = 0; i < count; i++) {
    chosen[i] = inner_row(x, rows[i]);
  }
  dperm_status status = inner_of(x)->kind->select(inner_of(x), chosen, count, out, err);
  free(chosen);
  return status;
}

/* ---- sums over rows, by way of all rows of the inner matrix */

/* The k numbers of each of the view's rows, where its inner row stands; zeros for the others. */
static dperm_status spread(const matrix *x, const double *w, size_t stride, size_t k, double **out,
                           dperm_error *err) {
  double *whole = NULL;
  TRY(memory_new(inner_of(x)->rows * k, sizeof *whole, &whole, err));
  for (size_t i = 0; i < x->rows; i++) {
    memcpy(whole + inner_row(x, i) * k, w + i * stride, k * sizeof *whole);
  }
  *out = whole;
  return DPERM_OK;
}

static dperm_status masked_apply_transposed(const matrix *x, const double *w, size_t k, double *g,
                                            dperm_error *err) {
  double *whole = NULL;
  TRY(spread(x, w, k, k, &whole, err));
  dperm_status status = inner_of(x)->kind->apply_transposed(inner_of(x), whole, k, g, err);
  free(whole);
  return status;
}

static dperm_status masked_gram(const matrix *x, const double *w, size_t stride, double *h,
                                dperm_error *err) {
  double *whole = NULL;
  TRY(spread(x, w, stride, 1, &whole, err));
  dperm_status status = inner_of(x)->kind->gram(inner_of(x), whole, 1, h, err);
  free(whole);
  return status;
}

static dperm_status masked_gram_diagonal(const matrix *x, const double *w, size_t k, double *d,
                                         dperm_error *err) {
  double *whole = NULL;
  TRY(spread(x, w, k, k, &whole, err));
  dperm_status status = inner_of(x)->kind->gram_diagonal(inner_of(x), whole, k, d, err);
  free(whole);
  return status;
}

/* ---- in twice the precision */

static dperm_status masked_apply_dd(const matrix *x, const double *f, const double *f_rest,
                                    double *z, double *z_rest, dperm_error *err) {
  const matrix *inner = inner_of(x);
  double *whole = NULL, *whole_rest = NULL;
  TRY(memory_new(2 * inner->rows, sizeof *whole, &whole, err));
  whole_rest = whole + inner->rows;
  dperm_status status = inner->kind->apply_dd(inner, f, f_rest, whole, whole_rest, err);
  for (size_t i = 0; status == DPERM_OK && i < x->rows; i++) {
    z[i] = whole[inner_row(x, i)];
    z_rest[i] = whole_rest[inner_row(x, i)];
  }
  free(whole);
  return status;
}

static dperm_status masked_apply_transposed_dd(const matrix *x, const double *w, double *g,
                                               double *g_rest, dperm_error *err) {
  double *whole = NULL;
  TRY(spread(x, w, 1, 1, &whole, err));
  dperm_status status = inner_of(x)->kind->apply_transposed_dd(inner_of(x), whole, g, g_rest, err);
  free(whole);
  return status;
}

/* ---- the two kinds */

static size_t masked_bytes(const matrix *x) {
  return x->rows * sizeof(size_t) + inner_of(x)->kind->bytes(inner_of(x));
}

static void masked_free(matrix *x) {
  free(((masked *)x)->index);
  free(x);
}

#define MASKED_SHARED                                                                              \
  .name = "masked", .row = masked_row, .select = masked_select, .bytes = masked_bytes,             \
  .free = masked_free

static const matrix_kind masked_blocks_kind = {
    MASKED_SHARED,
    BLOCKS_OPERATIONS,
    .block = masked_block,
};

static const matrix_kind masked_entries_kind = {
    MASKED_SHARED,
    .apply = matrix_apply_blocks,
    .apply_rows = masked_apply_rows,
    .apply_transposed = masked_apply_transposed,
    .gram = masked_gram,
    .gram_diagonal = masked_gram_diagonal,
    .apply_dd = masked_apply_dd,
    .apply_transposed_dd = masked_apply_transposed_dd,
    .entries = masked_entries,
};

dperm_status matrix_masked_new(const matrix *inner, const size_t *rows, size_t count, matrix **out,
                               dperm_error *err) {
  dperm_status status = DPERM_OK;
  masked *m = NULL;
  TRY(memory_new(1, sizeof *m, &m, err));
  TRY_OR_DONE(memory_new(count, sizeof *m->index, &m->index, err));
  for (size_t i = 0; i < count; i++) {
    if (rows[i] >= inner->rows || (i > 0 && rows[i] <= rows[i - 1])) {
      FAIL_AND_DONE(err, DPERM_INVALID_ARGUMENT,
                    "the rows of a part are not ascending, or not below %zu", inner->rows);
    }
    m->index[i] = rows[i];
  }
  bool blocks = inner->kind->block != NULL;
  m->inner = inner;
  m->base = *inner;
  m->base.kind = blocks ? &masked_blocks_kind : &masked_entries_kind;
  m->base.rows = count;
  if (blocks) {
    m->base.work_size = (size_t)MATRIX_BLOCK * inner->cols + inner->work_size;
    m->base.sum_depth = blocks_sum_depth(&m->base);
  }
  *out = &m->base;
  return DPERM_OK;
done:
  masked_free(&m->base);
  return status;
}
