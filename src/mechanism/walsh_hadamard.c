/* Butterflies of growing stride: up to eight in registers, then two strides in one pass over the
 * memory. An addition is the same in vectors of any width, so only speed depends on it. */
#include "mechanism/walsh_hadamard.h"

#include "base/dispatch.h"

/* All of n = 8. */
LANE_INLINE void transform_eight(double *x) {
  double a = x[0] + x[1], b = x[0] - x[1], c = x[2] + x[3], d = x[2] - x[3];
  double e = x[4] + x[5], f = x[4] - x[5], g = x[6] + x[7], h = x[6] - x[7];
  double a2 = a + c, b2 = b + d, c2 = a - c, d2 = b - d;
  double e2 = e + g, f2 = f + h, g2 = e - g, h2 = f - h;
  x[0] = a2 + e2;
  x[1] = b2 + f2;
  x[2] = c2 + g2;
  x[3] = d2 + h2;
  x[4] = a2 - e2;
  x[5] = b2 - f2;
  x[6] = c2 - g2;
  x[7] = d2 - h2;
}

/* Strides h and 2h, h a multiple of LANES. */
LANE_INLINE void two_strides(double *x, size_t n, size_t h) {
  for (size_t from = 0; from < n; from += 4 * h) {
    for (size_t i = from; i < from + h; i += LANES) {
      lanes a, b, c, d, sum, gap;
      LANES_LOAD(a, x + i);
      LANES_LOAD(b, x + i + h);
      LANES_LOAD(c, x + i + 2 * h);
      LANES_LOAD(d, x + i + 3 * h);
      sum = a + b;
      gap = a - b;
      a = c + d;
      b = c - d;
      c = sum + a;
      d = gap + b;
      sum = sum - a;
      gap = gap - b;
      LANES_STORE(x + i, c);
      LANES_STORE(x + i + h, d);
      LANES_STORE(x + i + 2 * h, sum);
      LANES_STORE(x + i + 3 * h, gap);
    }
  }
}

LANE_INLINE void one_stride(double *x, size_t n, size_t h) {
  for (size_t from = 0; from < n; from += 2 * h) {
    for (size_t i = from; i < from + h; i += LANES) {
      lanes a, b, sum, gap;
      LANES_LOAD(a, x + i);
      LANES_LOAD(b, x + i + h);
      sum = a + b;
      gap = a - b;
      LANES_STORE(x + i, sum);
      LANES_STORE(x + i + h, gap);
    }
  }
}

FOR_EACH_WIDTH
static void transform_many(double *x, size_t n) {
  size_t h = LANES;
  for (size_t i = 0; i < n; i += LANES) {
    transform_eight(x + i);
  }
  for (; 4 * h <= n; h *= 4) {
    two_strides(x, n, h);
  }
  if (h < n) {
    one_stride(x, n, h);
  }
}

void walsh_hadamard(double *x, size_t n) {
  if (n >= LANES) {
    transform_many(x, n);
    return;
  }
  for (size_t h = 1; h < n; h *= 2) {
    for (size_t i = 0; i < n; i++) {
      if ((i & h) == 0) {
        double a = x[i], b = x[i + h];
        x[i] = a + b;
        x[i + h] = a - b;
      }
    }
  }
}
