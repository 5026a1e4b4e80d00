/* Margins: PANEL columns at a time, in which 16 sums run side by side; panels are added up apart.
 * Sums over rows: SLICE rows at a time in registers, slices added up apart. */
#include "matrix/dense_rows.h"

#include "base/dispatch.h"

enum { PANEL = 512, WIDE = 4, PAIR = 2 * LANES, LONG = 8 * LANES };

size_t dense_rows_depth(size_t cols) {
  size_t panel = cols < PANEL ? cols : PANEL;
  return panel / PAIR + 1 + 1 + 3 + cols / PANEL + 1;
}

/* Eight numbers, or the fewer that are left and zeros. */
#define LOAD_SOME(to, from, left)                                                                  \
  do {                                                                                             \
    (to) = (lanes){0};                                                                             \
    memcpy(&(to), (from), (left) * sizeof(double));                                                \
  } while (0)

LANE_INLINE double sum_of(const lanes *first, const lanes *second) {
  lanes s = *first + *second;
  return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

/* The share of columns from, …, to − 1 in the products of `count` ≤ WIDE rows. */
LANE_INLINE void apply_panel(const double *rows, size_t count, size_t cols, size_t from, size_t to,
                             const double *f, double *z) {
  lanes sums[WIDE][2] = {{{0}}}, a, b, x;
  size_t j = from;
  for (; j + PAIR <= to; j += PAIR) {
    LANES_LOAD(a, f + j);
    LANES_LOAD(b, f + j + LANES);
    for (size_t i = 0; i < count; i++) {
      LANES_LOAD(x, rows + i * cols + j);
      sums[i][0] += x * a;
      LANES_LOAD(x, rows + i * cols + j + LANES);
      sums[i][1] += x * b;
    }
  }
  for (; j < to; j += LANES) {
    size_t left = to - j < LANES ? to - j : LANES;
    LOAD_SOME(a, f + j, left);
    for (size_t i = 0; i < count; i++) {
      LOAD_SOME(x, rows + i * cols + j, left);
      sums[i][0] += x * a;
    }
  }
  for (size_t i = 0; i < count; i++) {
    z[i] += sum_of(&sums[i][0], &sums[i][1]);
  }
}

FOR_EACH_WIDTH
static void apply_rows(const double *rows, size_t count, size_t cols, const double *f, double *z) {
  for (size_t i = 0; i < count; i += WIDE) {
    size_t some = count - i < WIDE ? count - i : WIDE;
    for (size_t k = 0; k < some; k++) {
      z[i + k] = 0;
    }
    for (size_t from = 0; from < cols; from += PANEL) {
      size_t to = cols - from < PANEL ? cols : from + PANEL;
      if (some == WIDE) { /* a constant, for the compiler to unroll */
        apply_panel(rows + i * cols, WIDE, cols, from, to, f, z + i);
      } else {
        apply_panel(rows + i * cols, some, cols, from, to, f, z + i);
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
