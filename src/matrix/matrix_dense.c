/* Dense row-major rows, and products with blocks of such. For one right-hand side, X f is made
 * PANEL columns at a time by dot products (base/vector.h), panels added up apart, and Xᵀ w SLICE
 * rows at a time in registers, slices added up apart: an order of sums that is the same for all
 * vector units. Several right-hand sides and Gram matrices go by matrix/gemm_block.c. Sums over
 * rows are made block by block within stripes of whole blocks; each stripe has its own buffer and
 * the buffers are added in order. */
#include "matrix/matrix_dense.h"

#include <math.h>

#include "base/memory.h"
#include "base/vector.h"

enum { BLOCK = MATRIX_BLOCK, PANEL = 256, SLICE = 16, LONG = 8 * LANES, TILE = 96 };

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

size_t blocks_row_depth(size_t cols) {
  return dot_depth(smaller(cols, PANEL)) + cols / PANEL + 1;
}

size_t blocks_sum_depth(const matrix *x) {
  size_t stripes = stripes_here(x, x->cols).count;
  return SLICE + BLOCK / SLICE + rows_in_all(x) / BLOCK / stripes + 4 + STRIPE_DEPTH;
}

/* ---- one block */

/* z = X f. */
FOR_EACH_WIDTH
static void apply_one(const double *rows, size_t count, size_t cols, const double *f, double *z) {
  memset(z, 0, count * sizeof *z);
  for (size_t i = 0, wide; i < count; i += wide) {
    wide = count - i < VECTORS_WIDE ? 1 : VECTORS_WIDE;
    for (size_t from = 0; from < cols; from += PANEL) {
      size_t step = cols - from < PANEL ? cols - from : PANEL;
      double part[VECTORS_WIDE];
      if (wide == VECTORS_WIDE) { /* a constant, for the compiler to unroll */
        lanes_dots(f + from, rows + i * cols + from, cols, VECTORS_WIDE, step, part);
      } else {
        lanes_dots(f + from, rows + i * cols + from, cols, 1, step, part);
      }
      for (size_t k = 0; k < wide; k++) {
        z[i + k] += part[k];
      }
    }
  }
}

/* total[0 … 8·wide) += Σ over the rows of w_i x_i. */
LANE_INLINE void add_columns(const double *rows, size_t count, size_t cols, const double *w,
                             size_t wide, double *total) {
  lanes sums[8] = {{0}}, slice[8], x;
  for (size_t from = 0; from < count; from += SLICE) {
    size_t to = count - from < SLICE ? count : from + SLICE;
    for (size_t c = 0; c < wide; c++) {
      slice[c] = (lanes){0};
    }
    for (size_t i = from; i < to; i++) {
      for (size_t c = 0; c < wide; c++) {
        LANES_LOAD(x, rows + i * cols + c * LANES);
        slice[c] += x * w[i];
      }
    }
    for (size_t c = 0; c < wide; c++) {
      sums[c] += slice[c];
    }
  }
  for (size_t c = 0; c < wide; c++) {
    LANES_LOAD(x, total + c * LANES);
    x += sums[c];
    LANES_STORE(total + c * LANES, x);
  }
}

/* The last few columns, one by one in the same order. */
static void add_column(const double *rows, size_t count, size_t cols, const double *w,
                       double *total) {
  double sum = 0;
  for (size_t from = 0; from < count; from += SLICE) {
    size_t to = count - from < SLICE ? count : from + SLICE;
    double slice = 0;
    for (size_t i = from; i < to; i++) {
      slice += rows[i * cols] * w[i];
    }
    sum += slice;
  }
  *total += sum;
}

/* total += Xᵀ w for at most BLOCK rows. */
FOR_EACH_WIDTH
static void add_one(const double *rows, size_t count, size_t cols, const double *w, double *total) {
  size_t j = 0;
  for (; j + LONG <= cols; j += LONG) {
    add_columns(rows + j, count, cols, w, 8, total + j);
  }
  for (; j + LANES <= cols; j += LANES) {
    add_columns(rows + j, count, cols, w, 1, total + j);
  }
  for (; j < cols; j++) {
    add_column(rows + j, count, cols, w, total + j);
  }
}

/* ---- rows */

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
    apply_one(rows, count, cols, f, z);
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

/* *out = the sum, of `size` numbers. */
static dperm_status sum_blocks(const block_sums *sums, size_t size, double *out, dperm_error *err) {
  const stripe_sum how = {.size = size,
                          .work_size = sums->spare_size + sums->x->work_size,
                          .add = add_stripe,
                          .context = sums};
  return stripes_sum(sums->x, &how, out, err);
}

/* total += Xᵀ w of a block, w made of X f; `spare`: cols × k doubles, and margins for k > 1. */
static void add_both(const block_sums *sums, const double *rows, size_t from, size_t count,
                     double *total, double *spare) {
  const size_t cols = sums->x->cols, k = sums->k;
  double near[BLOCK], *z = k == 1 ? near : spare + cols * k;
  apply_block(rows, count, cols, sums->f, k, z);
  sums->turn(sums->context, from, count, z);
  if (k == 1) {
    add_one(rows, count, cols, z, total);
    return;
  }
  memset(spare, 0, cols * k * sizeof *spare);
  gemm_tn(cols, k, count, rows, cols, z, k, spare, k);
  vector_axpy(total, 1, spare, cols * k);
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
  return sum_blocks(&sums, x->cols * k, g, err);
}

/* By tiles of columns: total[0 … right, tile] += Xᵀ (w ∘ X[tile]). */
static void add_gram(const block_sums *sums, const double *rows, size_t from, size_t count,
                     double *total, double *spare) {
  size_t cols = sums->x->cols;
  for (size_t left = 0; left < cols; left += TILE) {
    size_t wide = smaller(TILE, cols - left);
    for (size_t i = 0; i < count; i++) {
      for (size_t j = 0; j < wide; j++) {
        spare[i * TILE + j] = sums->w[from + i] * rows[i * cols + left + j];
      }
    }
    gemm_tn(left + wide, wide, count, rows, cols, spare, TILE, total + left, cols);
  }
}

dperm_status blocks_gram(const matrix *x, const double *w, double *h, dperm_error *err) {
  size_t spare = smaller(BLOCK, x->rows) * TILE;
  const block_sums sums = {.x = x, .add = add_gram, .spare_size = spare, .w = w};
  return sum_blocks(&sums, x->cols * x->cols, h, err);
}

static void add_diagonal(const block_sums *sums, const double *rows, size_t from, size_t count,
                         double *total, double *spare) {
  const matrix *x = sums->x;
  size_t k = sums->k;
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
  return sum_blocks(&sums, x->cols * k, d, err);
}

/* ---- the kind whose blocks stand ready */

typedef struct dense {
  matrix base;
  double *values;
} dense;

static const double *dense_block(const matrix *x, size_t from, size_t count, double *work) {
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
