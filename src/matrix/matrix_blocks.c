/* Products with blocks of dense rows. Sums over rows are made block by block within stripes of
 * whole blocks; each stripe has its own buffer and the buffers are added in order. */
#include "matrix/matrix_blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/double_double.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "base/vector.h"
#include "matrix/dense_rows.h"
#include "matrix/gemm_block.h"

enum { BLOCK = MATRIX_BLOCK, SLICE = 16, SLICE_DEPTH = 4 /* 256/16 = 2⁴ */ };

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

size_t blocks_sum_depth(const matrix *x) {
  size_t stripes = stripes_here(x, x->cols).count;
  size_t block = DENSE_SUM_DEPTH > SLICE + SLICE_DEPTH ? DENSE_SUM_DEPTH : SLICE + SLICE_DEPTH;
  return block + rows_in_all(x) / BLOCK / stripes + 4 + STRIPE_DEPTH;
}

size_t blocks_row_depth(size_t cols) {
  return dense_rows_depth(cols);
}

const double *blocks_rows(const matrix *x, size_t from, size_t count, double *work) {
  if (cancel_poll(x->cancel)) {
    return NULL;
  }
  const double *rows = x->kind->block(x, from, count, work);
  return cancel_requested(x->cancel) ? NULL : rows; /* half made, perhaps */
}

void blocks_apply_rows(const matrix *x, size_t from, size_t count, const double *f, size_t k,
                       double *z, double *work) {
  const double *rows = blocks_rows(x, from, count, work);
  if (!rows) {
    for (size_t i = 0; i < count * k; i++) {
      z[i] = (double)NAN; /* whoever looked at them all the same would find no number */
    }
  } else if (k == 1) {
    dense_rows_apply(rows, count, x->cols, f, z);
  } else {
    memset(z, 0, count * k * sizeof *z);
    gemm_nn(count, k, x->cols, rows, x->cols, f, k, z, k);
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
  const double *w; /* k numbers a row; for Gram matrices one, k apart */
  size_t k;
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
  return (stripe_sum){size, sums->spare_size + sums->x->work_size, size, add_stripe, sums};
}

/* out = rowsᵀ w: in slices of SLICE rows, whose products are added up pairwise. So few additions
 * stand behind a number. `spare` has space for one more `out` at
 * each of the SLICE_DEPTH levels. */
static void add_slices(const matrix *x, const double *rows, size_t count, const double *w, size_t k,
                       double *out, double *spare) {
  size_t size = x->cols * k, half = (count / 2 + SLICE - 1) / SLICE * SLICE;
  if (count <= SLICE) {
    memset(out, 0, size * sizeof *out);
    gemm_tn(x->cols, k, count, rows, x->cols, w, k, out, k);
    return;
  }
  add_slices(x, rows, half, w, k, out, spare + size);
  add_slices(x, rows + half * x->cols, count - half, w + half * k, k, spare, spare + size);
  vector_axpy(out, 1, spare, size);
}

static void add_transposed(const block_sums *sums, const double *rows, size_t from, size_t count,
                           double *total, double *spare) {
  const matrix *x = sums->x;
  size_t k = sums->k, size = x->cols * k;
  if (k == 1) {
    dense_rows_add(rows, count, x->cols, sums->w + from, total);
    return;
  }
  add_slices(x, rows, count, sums->w + from * k, k, spare, spare + size);
  vector_axpy(total, 1, spare, size);
}

dperm_status blocks_apply_transposed(const matrix *x, const double *w, size_t k, double *g,
                                     dperm_error *err) {
  size_t size = x->cols * k;
  const block_sums sums = {
      .x = x, .add = add_transposed, .spare_size = (1 + SLICE_DEPTH) * size, .w = w, .k = k};
  const stripe_sum how = sum_of_blocks(&sums, size);
  return stripes_sum(x, &how, g, err);
}

/* Both products in one pass. */
static void add_both(const block_sums *sums, const double *rows, size_t from, size_t count,
                     double *total, double *spare) {
  double z[BLOCK], w[BLOCK];
  (void)spare;
  dense_rows_apply(rows, count, sums->x->cols, sums->f, z);
  sums->turn(sums->context, from, count, z, w);
  dense_rows_add(rows, count, sums->x->cols, w, total);
}

dperm_status blocks_apply_both(const matrix *x, const double *f, matrix_turn *turn, void *context,
                               double *g, dperm_error *err) {
  const block_sums sums = {.x = x, .add = add_both, .f = f, .turn = turn, .context = context};
  const stripe_sum how = sum_of_blocks(&sums, x->cols);
  return stripes_sum(x, &how, g, err);
}

static void add_gram(const block_sums *sums, const double *rows, size_t from, size_t count,
                     double *total, double *spare) {
  dense_rows_gram(rows, count, sums->x->cols, sums->w + from * sums->k, sums->k, total, spare);
}

dperm_status blocks_gram(const matrix *x, const double *w, size_t stride, double *h,
                         dperm_error *err) {
  size_t spare = smaller(BLOCK, x->rows) * DENSE_TILE;
  const block_sums sums = {.x = x, .add = add_gram, .spare_size = spare, .w = w, .k = stride};
  const stripe_sum how = sum_of_blocks(&sums, x->cols * x->cols);
  return stripes_sum(x, &how, h, err);
}

static void add_diagonal(const block_sums *sums, const double *rows, size_t from, size_t count,
                         double *total, double *spare) {
  const matrix *x = sums->x;
  size_t k = sums->k;
  (void)spare;
  for (size_t i = 0; i < count && !cancel_poll_at(x->cancel, i, x->cols * k); i++) {
    const double *wi = sums->w + (from + i) * k;
    for (size_t j = 0; j < x->cols; j++) {
      double v = rows[i * x->cols + j];
      for (size_t c = 0; c < k; c++) {
        total[j * k + c] += wi[c] * v * v;
      }
    }
  }
}

dperm_status blocks_gram_diagonal(const matrix *x, const double *w, size_t k, double *d,
                                  dperm_error *err) {
  const block_sums sums = {.x = x, .add = add_diagonal, .w = w, .k = k};
  const stripe_sum how = sum_of_blocks(&sums, x->cols * k);
  return stripes_sum(x, &how, d, err);
}

/* ---- in twice the precision */

typedef struct dd_job {
  const matrix *x;
  const double *f, *f_rest;
  double *z, *z_rest, *works;
} dd_job;

static void apply_dd_block(void *context, size_t b, size_t worker) {
  const dd_job *job = context;
  const matrix *x = job->x;
  size_t from = b * BLOCK, count = smaller(BLOCK, x->rows - from);
  const double *rows = blocks_rows(x, from, count, job->works + x->work_size * worker);
  for (size_t i = 0; rows && i < count && !cancel_poll_at(x->cancel, i, x->cols); i++) {
    double_double sum = {0, 0};
    for (size_t j = 0; j < x->cols; j++) {
      sum =
          dd_add(sum, dd_scale((double_double){job->f[j], job->f_rest[j]}, rows[i * x->cols + j]));
    }
    job->z[from + i] = sum.hi;
    job->z_rest[from + i] = sum.lo;
  }
}

dperm_status blocks_apply_dd(const matrix *x, const double *f, const double *f_rest, double *z,
                             double *z_rest, dperm_error *err) {
  dd_job job = {.x = x, .f = f, .f_rest = f_rest, .z = z, .z_rest = z_rest};
  TRY(memory_new(x->work_size * pool_workers(), sizeof *job.works, &job.works, err));
  pool_run_cancellable((x->rows + BLOCK - 1) / BLOCK, apply_dd_block, &job, x->cancel);
  free(job.works);
  return cancel_check(x->cancel, err);
}

/* Here `total` has the high halves, then the low ones. */
static void add_transposed_dd(const block_sums *sums, const double *rows, size_t from, size_t count,
                              double *total, double *spare) {
  const matrix *x = sums->x;
  (void)spare;
  double *hi = total, *lo = total + x->cols;
  for (size_t i = 0; i < count && !cancel_poll_at(x->cancel, i, x->cols); i++) {
    for (size_t j = 0; j < x->cols; j++) {
      double_double sum = dd_add((double_double){hi[j], lo[j]},
                                 two_product(rows[i * x->cols + j], sums->w[from + i]));
      hi[j] = sum.hi;
      lo[j] = sum.lo;
    }
  }
}

dperm_status blocks_apply_transposed_dd(const matrix *x, const double *w, double *g, double *g_rest,
                                        dperm_error *err) {
  const block_sums sums = {.x = x, .add = add_transposed_dd, .w = w, .k = 1};
  const stripe_sum how = sum_of_blocks(&sums, 2 * x->cols);
  return stripes_sum_dd(x, &how, g, g_rest, err);
}
