/* Margins: PANEL columns at a time by dot products (base/vector.h), panels added up apart. Sums
 * over rows: DENSE_SLICE rows at a time in registers, slices added up apart. */
#include "matrix/dense_rows.h"

#include "base/vector.h"
#include "matrix/gemm_block.h"

enum { PANEL = 256, LONG = 8 * LANES };

size_t dense_rows_depth(size_t cols) {
  return dot_depth(cols < PANEL ? cols : PANEL) + cols / PANEL + 1;
}

FOR_EACH_WIDTH
static void apply_rows(const double *rows, size_t count, size_t cols, const double *f, double *z) {
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
  for (size_t from = 0; from < count; from += DENSE_SLICE) {
    size_t to = count - from < DENSE_SLICE ? count : from + DENSE_SLICE;
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
  for (size_t from = 0; from < count; from += DENSE_SLICE) {
    size_t to = count - from < DENSE_SLICE ? count : from + DENSE_SLICE;
    double slice = 0;
    for (size_t i = from; i < to; i++) {
      slice += rows[i * cols] * w[i];
    }
    sum += slice;
  }
  *total += sum;
}

FOR_EACH_WIDTH
static void add_rows(const double *rows, size_t count, size_t cols, const double *w,
                     double *total) {
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

void dense_rows_apply(const double *rows, size_t count, size_t cols, const double *f, double *z) {
  apply_rows(rows, count, cols, f, z);
}

void dense_rows_add(const double *rows, size_t count, size_t cols, const double *w, double *total) {
  add_rows(rows, count, cols, w, total);
}

/* By tiles of columns: total[0 … right, tile] += Xᵀ (w ∘ X[tile]). */
void dense_rows_gram(const double *rows, size_t count, size_t cols, const double *w, size_t stride,
                     double *total, double *spare) {
  for (size_t left = 0; left < cols; left += DENSE_TILE) {
    size_t wide = cols - left < DENSE_TILE ? cols - left : DENSE_TILE;
    for (size_t i = 0; i < count; i++) {
      for (size_t j = 0; j < wide; j++) {
        spare[i * DENSE_TILE + j] = w[i * stride] * rows[i * cols + left + j];
      }
    }
    gemm_tn(left + wide, wide, count, rows, cols, spare, DENSE_TILE, total + left, cols);
  }
}
