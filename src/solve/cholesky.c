/* Panels of rows. A panel is factored row by row, and what it takes from the rows below is one
 * product, by tiles of columns so that little is computed below the diagonal. The product's left
 * side, −Uᵀ of the panel, stands in the triangle that is not used. */
#include "solve/cholesky.h"

#include <math.h>

#include "base/dispatch.h"
#include "matrix/gemm_block.h"

enum { PANEL = 32, TILE = 96 };

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* to[0 … count) −= share · from[0 … count) */
LANE_INLINE void take_row(double *to, const double *from, double share, size_t count) {
  lanes x, y;
  size_t j = 0;
  for (; j + LANES <= count; j += LANES) {
    LANES_LOAD(x, from + j);
    LANES_LOAD(y, to + j);
    y -= share * x;
    LANES_STORE(to + j, y);
  }
  for (; j < count; j++) {
    to[j] -= share * from[j];
  }
}

LANE_INLINE double dot_rows(const double *a, const double *b, size_t count) {
  lanes sums[2] = {{0}}, x, y;
  double rest = 0;
  size_t j = 0;
  for (const size_t step = (size_t)2 * LANES; j + step <= count; j += step) {
    for (size_t k = 0; k < 2; k++) {
      LANES_LOAD(x, a + j + k * LANES);
      LANES_LOAD(y, b + j + k * LANES);
      sums[k] += x * y;
    }
  }
  for (; j < count; j++) {
    rest += a[j] * b[j];
  }
  lanes s = sums[0] + sums[1];
  return rest + (((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])));
}

/* Rows from, …, to − 1 of U, and −Uᵀ beside them for the rows below. */
FOR_EACH_WIDTH
static int factor_panel(double *h, size_t n, size_t from, size_t to) {
  for (size_t i = from; i < to; i++) {
    double *row = h + i * n, pivot = row[i];
    if (!(pivot > 0 && pivot < INFINITY)) {
      return 0;
    }
    double root = sqrt(pivot);
    row[i] = root;
    for (size_t j = i + 1; j < n; j++) {
      row[j] /= root;
    }
    for (size_t l = i + 1; l < to; l++) {
      take_row(h + l * n + l, row + l, row[l], n - l);
    }
  }
  for (size_t j = to; j < n; j++) {
    for (size_t i = from; i < to; i++) {
      h[j * n + i] = -h[i * n + j];
    }
  }
  return 1;
}

bool cholesky_factor(double *h, size_t n) {
  for (size_t from = 0; from < n; from += PANEL) {
    size_t to = smaller(n, from + PANEL);
    if (!factor_panel(h, n, from, to)) {
      return false;
    }
    for (size_t left = to; left < n; left += TILE) {
      size_t wide = smaller(TILE, n - left);
      gemm_block(&(gemm_operands){.m = left + wide - to,
                                  .n = wide,
                                  .k = to - from,
                                  .a = h + to * n + from,
                                  .a_row = n,
                                  .a_col = 1,
                                  .b = h + from * n + left,
                                  .b_row = n,
                                  .c = h + to * n + left,
                                  .c_row = n});
    }
  }
  return true;
}

FOR_EACH_WIDTH
static void solve_both(const double *u, size_t n, double *x) {
  for (size_t i = 0; i < n; i++) { /* Uᵀ y = x */
    x[i] /= u[i * n + i];
    take_row(x + i + 1, u + i * n + i + 1, x[i], n - i - 1);
  }
  for (size_t i = n; i-- > 0;) { /* U x = y */
    x[i] = (x[i] - dot_rows(u + i * n + i + 1, x + i + 1, n - i - 1)) / u[i * n + i];
  }
}

void cholesky_solve(const double *u, size_t n, double *x) {
  solve_both(u, n, x);
}
