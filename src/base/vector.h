/* Dot products, scaled sums and norms of vectors: eight sums side by side, what is left over in a
 * sum of its own, all added up in one order. The order is the same on all processors, and it is
 * part of the model format: orthogonal directions (householder_rotation) are drawn again from a
 * file's seed and must come out to the bit. */
#pragma once

#include <stddef.h>

#include "base/dispatch.h"

/* aᵀb. */
double vector_dot(const double *a, const double *b, size_t count);
/* ‖v‖₂, rounded; solve/certify.h has bounds. */
double vector_norm(const double *v, size_t count);
/* y += a x. */
void vector_axpy(double *y, double a, const double *x, size_t count);
/* y += x, and x is cleared. */
void vector_fold(double *y, double *x, size_t count);
/* In ascending order, in place. */
void vector_sort(double *v, size_t count);

/* q, column-major with count ≤ d columns of d numbers, becomes the Q of q = QR whose R has no
 * negative number on its diagonal, for any number of threads the same. `work` is for `count`
 * numbers. The numbers' squares must not overflow. */
void householder_rotation(size_t d, size_t count, double *q, double *work);

/* ---- the same for functions that are compiled FOR_EACH_WIDTH, on several vectors at once: those
 * of `others` begin `apart` doubles from each other, and `wide` ≤ VECTORS_WIDE is a constant */

enum { VECTORS_WIDE = 4 };

/* At most so many additions are behind a dot product. */
static inline size_t dot_depth(size_t count) {
  return (count / LANES + 3 > 7 ? count / LANES + 3 : 7) + 1;
}

LANE_INLINE void lanes_dots(const double *v, const double *others, size_t apart, size_t wide,
                            size_t count, double *out) {
  lanes sums[VECTORS_WIDE] = {{0}}, x, y;
  double rest[VECTORS_WIDE] = {0};
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    LANES_LOAD(x, v + i);
    for (size_t c = 0; c < wide; c++) {
      LANES_LOAD(y, others + c * apart + i);
      sums[c] += x * y;
    }
  }
  for (; i < count; i++) {
    for (size_t c = 0; c < wide; c++) {
      rest[c] += v[i] * others[c * apart + i];
    }
  }
  for (size_t c = 0; c < wide; c++) {
    const lanes s = sums[c];
    out[c] = rest[c] + (((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])));
  }
}

/* Each of `others` += its share of v. */
LANE_INLINE void lanes_axpys(double *others, size_t apart, size_t wide, const double *shares,
                             const double *v, size_t count) {
  lanes x, y;
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    LANES_LOAD(x, v + i);
    for (size_t c = 0; c < wide; c++) {
      LANES_LOAD(y, others + c * apart + i);
      y += shares[c] * x;
      LANES_STORE(others + c * apart + i, y);
    }
  }
  for (; i < count; i++) {
    for (size_t c = 0; c < wide; c++) {
      others[c * apart + i] += shares[c] * v[i];
    }
  }
}
