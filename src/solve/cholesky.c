/* Panels of rows. A panel is factored row by row, and what it takes from the rows below is one
 * product, by tiles of columns so that little is computed below the diagonal. The product's left
 * side, −Uᵀ of the panel, stands in the triangle that is not used. */
#include <math.h>

#include "base/vector.h"
#include "matrix/matrix_dense.h"
#include "solve/direction.h"

enum { PANEL = 32, TILE = 96 };

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
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
      const double share = -row[l];
      lanes_axpys(h + l * n + l, 0, 1, &share, row + l, n - l);
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
      gemm_nn(left + wide - to, wide, to - from, h + to * n + from, n, h + from * n + left, n,
              h + to * n + left, n);
    }
  }
  return true;
}

void cholesky_solve(const double *u, size_t n, double *x) {
  for (size_t i = 0; i < n; i++) { /* Uᵀ y = x */
    x[i] /= u[i * n + i];
    vector_axpy(x + i + 1, -x[i], u + i * n + i + 1, n - i - 1);
  }
  for (size_t i = n; i-- > 0;) { /* U x = y */
    x[i] = (x[i] - vector_dot(u + i * n + i + 1, x + i + 1, n - i - 1)) / u[i * n + i];
  }
}
