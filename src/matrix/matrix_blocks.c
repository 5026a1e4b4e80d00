/* Products with blocks of dense rows. Sums over rows are made block by block within stripes of
 * whole blocks; each stripe has its own buffer and the buffers are added in order. */
#include "matrix/matrix_blocks.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "matrix/dense_rows.h"
#include "matrix/gemm_block.h"

enum { BLOCK = MATRIX_BLOCK };

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

size_t blocks_sum_depth(const matrix *x) {
  size_t stripes = stripes_here(x, x->cols).count;
  return DENSE_SUM_DEPTH + rows_in_all(x) / BLOCK / stripes + 4 + STRIPE_DEPTH;
}

size_t blocks_row_depth(size_t cols) {
  return dense_rows_depth(cols);
}

const double *blocks_rows(const matrix *x, size_t from, size_t count, double *work) {
  if (cancel_poll()) {
    return NULL;
  }
  const double *rows = x->kind->block(x, from, count, work);
  return cancel_requested() ? NULL : rows; /* half made, perhaps */
}

/* Z = X F of a block. */
static void apply_block(const double *rows, size_t count, size_t cols, const double *f, size_t k,
                        double *z) {
  if (k == 1) {
    dense_rows_apply(rows, count, cols, f, z);
    return;
  }
  memset(z, 0, count * k * sizeof *z);
  gemm_nn(count, k, cols, rows, cols, f, k, z, k);
}

void blocks_apply_rows(const matrix *x, size_t from, size_t count, const double *f, size_t k,
                       double *z, double *work) {
  const double *rows = blocks_rows(x, from, count, work);
  if (!rows) {
    for (size_t i = 0; i < count * k; i++) {
      z[i] = (double)NAN; /* whoever looked at them all the same would find no number */
    }
  } else {
    apply_block(rows, count, x->cols, f, k, z);
  }
}

/* ---- sums over rows */

/* A sum over the blocks of rows. */
typedef struct block_sums block_sums;

/* Adds a block's share to a stripe's total; `spare` is work space. */
typedef void add_block(const block_sums *sums, const double *rows, size_t from, size_t count,
                       double *total, double *spare);

struct block_sums {
  const matrix *x;
  add_block *add;
  size_t spare_size;
  size_t k;
  const double *w; /* k numbers a row */
  const double *f; /* without w: `turn` makes it of X f */
  matrix_turn *turn;
  void *context;
};

static void add_stripe(const void *context, size_t from, size_t to, double *total, double *work) {
  const block_sums *sums = context;
  const matrix *x = sums->x;
  for (; from < to; from += BLOCK) {
    size_t count = smaller(BLOCK, to - from);
    const double *rows = blocks_rows(x, from, count, work + sums->spare_size);
    if (!rows) {
      return;
    }
    sums->add(sums, rows, from, count, total, work);
  }
}

static stripe_sum sum_of_blocks(const block_sums *sums, size_t size) {
  return (stripe_sum){.size = size,
                      .work_size = sums->spare_size + sums->x->work_size,
                      .add = add_stripe,
                      .context = sums};
}

/* total += Xᵀ w of a block; `spare` has cols × k doubles, for k > 1. */
static void add_weighted(const block_sums *sums, const double *rows, size_t count, const double *w,
                         double *total, double *spare) {
  size_t cols = sums->x->cols, k = sums->k;
  if (k == 1) {
    dense_rows_add(rows, count, cols, w, total);
    return;
  }
  memset(spare, 0, cols * k * sizeof *spare);
  gemm_tn(cols, k, count, rows, cols, w, k, spare, k);
  vector_axpy(total, 1, spare, cols * k);
}

static void add_transposed(const block_sums *sums, const double *rows, size_t from, size_t count,
                           double *total, double *spare) {
  add_weighted(sums, rows, count, sums->w + from * sums->k, total, spare);
}

dperm_status blocks_apply_transposed(const matrix *x, const double *w, size_t k, double *g,
                                     dperm_error *err) {
  size_t size = x->cols * k;
  const block_sums sums = {.x = x, .add = add_transposed, .spare_size = size, .w = w, .k = k};
  const stripe_sum how = sum_of_blocks(&sums, size);
  return stripes_sum(x, &how, g, err);
}

/* Both products in one pass. */
static void add_both(const block_sums *sums, const double *rows, size_t from, size_t count,
                     double *total, double *spare) {
  double near[BLOCK], *z = sums->k == 1 ? near : spare + sums->x->cols * sums->k;
  apply_block(rows, count, sums->x->cols, sums->f, sums->k, z);
  sums->turn(sums->context, from, count, z);
  add_weighted(sums, rows, count, z, total, spare);
}

dperm_status blocks_apply_both(const matrix *x, const double *f, size_t k, matrix_turn *turn,
                               void *context, double *g, dperm_error *err) {
  const block_sums sums = {.x = x,
                           .add = add_both,
                           .spare_size = k == 1 ? 0 : (x->cols + smaller(BLOCK, x->rows)) * k,
                           .k = k,
                           .f = f,
                           .turn = turn,
                           .context = context};
  const stripe_sum how = sum_of_blocks(&sums, x->cols * k);
  return stripes_sum(x, &how, g, err);
}

static void add_gram(const block_sums *sums, const double *rows, size_t from, size_t count,
                     double *total, double *spare) {
  dense_rows_gram(rows, count, sums->x->cols, sums->w + from, 1, total, spare);
}

dperm_status blocks_gram(const matrix *x, const double *w, double *h, dperm_error *err) {
  size_t spare = smaller(BLOCK, x->rows) * DENSE_TILE;
  const block_sums sums = {.x = x, .add = add_gram, .spare_size = spare, .w = w};
  const stripe_sum how = sum_of_blocks(&sums, x->cols * x->cols);
  return stripes_sum(x, &how, h, err);
}

static void add_diagonal(const block_sums *sums, const double *rows, size_t from, size_t count,
                         double *total, double *spare) {
  const matrix *x = sums->x;
  size_t k = sums->k;
  (void)spare;
  for (size_t i = 0; i < count && !cancel_poll_at(i, x->cols * k); i++) {
    const double *w = sums->w + (from + i) * k;
    for (size_t j = 0; j < x->cols; j++) {
      double v = rows[i * x->cols + j];
      for (size_t c = 0; c < k; c++) {
        total[j * k + c] += w[c] * v * v;
      }
    }
  }
}

dperm_status blocks_gram_diagonal(const matrix *x, const double *w, size_t k, double *d,
                                  dperm_error *err) {
  const block_sums sums = {.x = x, .add = add_diagonal, .k = k, .w = w};
  const stripe_sum how = sum_of_blocks(&sums, x->cols * k);
  return stripes_sum(x, &how, d, err);
}
