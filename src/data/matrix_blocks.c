/* Products with blocks of dense rows. Sums over rows are made block by block within stripes of
 * whole blocks; each stripe has its own room and the rooms are added in order. */
#include "data/matrix_blocks.h"

#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/twofold.h"

enum { BLOCK = MATRIX_BLOCK, SLICE = 16, SLICE_DEPTH = 4 /* 256/16 = 2⁴ */, TILE = 128 };

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

size_t blocks_sum_depth(const matrix *x) {
  size_t stripes = stripes_here(x, x->cols).count;
  return SLICE + SLICE_DEPTH + rows_in_all(x) / BLOCK / stripes + 4 + STRIPE_DEPTH;
}

/* Columns go in panels of about √cols, whose products are added up apart: some 2√cols additions
 * stand behind a number, whatever the order inside of BLAS. */
static size_t panel_columns(size_t cols) {
  size_t root = (size_t)sqrt((double)cols);
  return root < 16 ? 16 : (root + 7) / 8 * 8;
}

size_t blocks_row_depth(size_t cols) {
  size_t wide = smaller(panel_columns(cols), cols);
  return wide + (cols + wide - 1) / wide;
}

static void apply_panels(const matrix *x, const double *rows, size_t count, const double *f,
                         double *z) {
  double product[BLOCK];
  size_t wide = panel_columns(x->cols);
  memset(z, 0, count * sizeof *z);
  for (size_t at = 0; at < x->cols; at += wide) {
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (blasint)count, (blasint)smaller(wide, x->cols - at),
                1.0, rows + at, (blasint)x->cols, f + at, 1, 0.0, product, 1);
    for (size_t i = 0; i < count; i++) {
      z[i] += product[i];
    }
  }
}

void blocks_apply_rows(const matrix *x, size_t from, size_t count, const double *f, size_t k,
                       double *z, double *room) {
  const double *rows = x->kind->block(x, from, count, room);
  if (k == 1) {
    apply_panels(x, rows, count, f, z);
  } else {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)count, (blasint)k,
                (blasint)x->cols, 1.0, rows, (blasint)x->cols, f, (blasint)k, 0.0, z, (blasint)k);
  }
}

/* ---- sums over rows */

/* Adds a block's share to a stripe's total; `spare` is room for size doubles. */
typedef void add_block(const matrix *x, const double *rows, size_t from, size_t count,
                       const double *w, size_t k, double *total, double *spare);

/* Σ over the blocks of each stripe that is here: *out, to be freed, begins with their totals of
 * `size` doubles each. */
static dperm_status sum_stripes(const matrix *x, const stripe_cut *cut, const double *w, size_t k,
                                size_t size, size_t spare_size, add_block *add, double **out,
                                dperm_error *err) {
  size_t stripes = cut->to - cut->from, room_size = spare_size + x->room;
  double *parts = NULL; /* the totals, then spare room and a block for each thread */
  TRY(memory_new(stripes * size + room_size * (size_t)omp_get_max_threads(), sizeof *parts, &parts,
                 err));
#pragma omp parallel for schedule(dynamic) if (stripes > 1)
  for (size_t s = 0; s < stripes; s++) {
    double *total = parts + s * size;
    double *spare = parts + stripes * size + room_size * (size_t)omp_get_thread_num();
    size_t to = stripe_row(x, cut, cut->from + s + 1);
    for (size_t from = stripe_row(x, cut, cut->from + s); from < to; from += BLOCK) {
      size_t count = smaller(BLOCK, to - from);
      const double *rows = x->kind->block(x, from, count, spare + spare_size);
      add(x, rows, from, count, w, k, total, spare);
    }
  }
  *out = parts;
  return DPERM_OK;
}

/* Σ over blocks into `out`, size doubles, by way of the stripes. */
static dperm_status sum_blocks(const matrix *x, const double *w, size_t k, size_t size,
                               size_t spare_size, add_block *add, double *out, dperm_error *err) {
  double *parts = NULL;
  const stripe_cut cut = stripes_here(x, size);
  dperm_status status = sum_stripes(x, &cut, w, k, size, spare_size, add, &parts, err);
  status = stripes_join(x, &cut, status, parts, size, out, err);
  free(parts);
  return status;
}

/* out = rowsᵀ w: in slices of SLICE rows, whose products are added up pairwise. So few additions
 * stand behind a number, whatever the order inside of BLAS. `spare` has room for one more `out` at
 * each of the SLICE_DEPTH levels. */
static void add_slices(const matrix *x, const double *rows, size_t count, const double *w, size_t k,
                       double *out, double *spare) {
  size_t size = x->cols * k, half = (count / 2 + SLICE - 1) / SLICE * SLICE;
  if (count <= SLICE) {
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (blasint)x->cols, (blasint)k,
                (blasint)count, 1.0, rows, (blasint)x->cols, w, (blasint)k, 0.0, out, (blasint)k);
    return;
  }
  add_slices(x, rows, half, w, k, out, spare + size);
  add_slices(x, rows + half * x->cols, count - half, w + half * k, k, spare, spare + size);
  for (size_t i = 0; i < size; i++) {
    out[i] += spare[i];
  }
}

static void add_transposed(const matrix *x, const double *rows, size_t from, size_t count,
                           const double *w, size_t k, double *total, double *spare) {
  size_t size = x->cols * k;
  add_slices(x, rows, count, w + from * k, k, spare, spare + size);
  for (size_t i = 0; i < size; i++) {
    total[i] += spare[i];
  }
}

dperm_status blocks_apply_transposed(const matrix *x, const double *w, size_t k, double *g,
                                     dperm_error *err) {
  return sum_blocks(x, w, k, x->cols * k, (1 + SLICE_DEPTH) * x->cols * k, add_transposed, g, err);
}

/* The upper triangle by tiles of columns: H[0…right, tile] += Xᵀ (w ∘ X[tile]); k is w's stride. */
static void add_gram(const matrix *x, const double *rows, size_t from, size_t count,
                     const double *w, size_t k, double *total, double *spare) {
  size_t cols = x->cols;
  for (size_t left = 0; left < cols; left += TILE) {
    size_t wide = smaller(TILE, cols - left);
    for (size_t i = 0; i < count; i++) {
      double wi = w[(from + i) * k];
      for (size_t j = 0; j < wide; j++) {
        spare[i * TILE + j] = wi * rows[i * cols + left + j];
      }
    }
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (blasint)(left + wide), (blasint)wide,
                (blasint)count, 1.0, rows, (blasint)cols, spare, TILE, 1.0, total + left,
                (blasint)cols);
  }
}

dperm_status blocks_gram(const matrix *x, const double *w, size_t stride, double *h,
                         dperm_error *err) {
  return sum_blocks(x, w, stride, x->cols * x->cols, smaller(BLOCK, x->rows) * TILE, add_gram, h,
                    err);
}

static void add_diagonal(const matrix *x, const double *rows, size_t from, size_t count,
                         const double *w, size_t k, double *total, double *spare) {
  (void)spare;
  for (size_t i = 0; i < count; i++) {
    const double *wi = w + (from + i) * k;
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
  return sum_blocks(x, w, k, x->cols * k, 0, add_diagonal, d, err);
}

/* ---- in twice the precision */

dperm_status blocks_apply_twofold(const matrix *x, const double *f, const double *f_rest, double *z,
                                  double *z_rest, dperm_error *err) {
  size_t blocks = (x->rows + BLOCK - 1) / BLOCK;
  double *rooms = NULL;
  TRY(memory_new(x->room * (size_t)omp_get_max_threads(), sizeof *rooms, &rooms, err));
#pragma omp parallel for schedule(static) if (blocks > 1)
  for (size_t b = 0; b < blocks; b++) {
    size_t from = b * BLOCK, count = smaller(BLOCK, x->rows - from);
    const double *rows =
        x->kind->block(x, from, count, rooms + x->room * (size_t)omp_get_thread_num());
    for (size_t i = 0; i < count; i++) {
      twofold sum = {0, 0};
      for (size_t j = 0; j < x->cols; j++) {
        sum = twofold_add(sum, twofold_scale((twofold){f[j], f_rest[j]}, rows[i * x->cols + j]));
      }
      z[from + i] = sum.hi;
      z_rest[from + i] = sum.lo;
    }
  }
  free(rooms);
  return DPERM_OK;
}

/* Here `total` has the high halves, then the low ones. */
static void add_transposed_twofold(const matrix *x, const double *rows, size_t from, size_t count,
                                   const double *w, size_t k, double *total, double *spare) {
  (void)k;
  (void)spare;
  double *hi = total, *lo = total + x->cols;
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < x->cols; j++) {
      twofold sum =
          twofold_add((twofold){hi[j], lo[j]}, two_product(rows[i * x->cols + j], w[from + i]));
      hi[j] = sum.hi;
      lo[j] = sum.lo;
    }
  }
}

dperm_status blocks_apply_transposed_twofold(const matrix *x, const double *w, double *g,
                                             double *g_rest, dperm_error *err) {
  double *parts = NULL;
  const stripe_cut cut = stripes_here(x, 2 * x->cols);
  dperm_status status =
      sum_stripes(x, &cut, w, 1, 2 * x->cols, 0, add_transposed_twofold, &parts, err);
  status = stripes_join_twofold(x, &cut, status, parts, x->cols, g, g_rest, err);
  free(parts);
  return status;
}
