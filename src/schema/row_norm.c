/* Write u = 2^−53 and S = Σ v_i² exactly.
 *
 * row_norm_upper. With the largest |v_i| within 2^±300, or brought near 1 by a power of two
 * (exact, but for entries so small that their squares cannot reach 2^−400 of S), the computed sum
 * s of m squares has s ≥ S(1 − (m+1)u), and the rounded root r ≥ √s(1 − u); so √S ≤ r(1 + (m/2 +
 * 3)u), and the factor 1 + (m+16)u below, itself rounded, covers that with slack to spare. Going
 * back by the power of two rounds again where the norm is subnormal, by half a step: one step up
 * covers that.
 *
 * row_scale_down. σ = fl(fl(bound/D)(1 − 4u)) ≤ (bound/D)(1 − 4u)(1 + u)², and a product fl(v σ)
 * adds one more factor (1 + u), or, in the subnormal range, at most 2^−1075. The factors multiply
 * to less than 1 − u/2, so the norm is at most bound·√S/D. */
#include "schema/row_norm.h"

#include <math.h>

#include "base/defect.h"

/* √sum, raised for `count` squares. */
static double root_upper(double sum, size_t count) {
  return sqrt(sum) * (1.0 + ((double)count + 16.0) * 0x1p-53);
}

double row_norm_upper(const double *values, size_t count) {
  double peak = 0, plain = 0;
  size_t squares = 0; /* zeros do not count: a dense row has the norm of the same sparse one */
  for (size_t i = 0; count > 1 && i < count; i++) {
    plain += values[i] * values[i];
    squares += values[i] != 0;
  }
  if (squares > 1 && plain > 0x1p-500 && plain < 0x1p500 && count < 1U << 31) {
    return root_upper(plain, squares); /* the largest is within 2^±300, as most rows' are */
  }
  for (size_t i = 0; i < count; i++) {
    double size = fabs(values[i]);
    peak = size > peak ? size : peak;
  }
  if (squares <= 1) {
    return peak;
  }
  int exponent = 0;
  if (peak < 0x1p-300 || peak > 0x1p300) {
    (void)frexp(peak, &exponent);
  }
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    double v = exponent ? ldexp(values[i], -exponent) : values[i];
    sum += v * v;
  }
  double norm = root_upper(sum, squares);
  norm = exponent ? ldexp(norm, exponent) : norm;
  return norm < 0x1p-1000 ? nextafter(norm, INFINITY) : norm;
}

void row_scale_down(double *values, size_t count, double bound, double divisor) {
  if (DEFECT("clip-skipped")) {
    static size_t rows;
    if (++rows % 1000 == 0) {
      return;
    }
  }
  double factor = bound / divisor * (1.0 - 0x1p-51);
  for (size_t i = 0; i < count; i++) {
    values[i] *= factor;
  }
}

void row_clip(double *values, size_t count, double bound) {
  double norm = row_norm_upper(values, count);
  if (norm > bound) {
    /* Huge rows first go to the middle of the exponent range, where the factor below is normal. */
    if (norm > 0x1p500) {
      for (size_t i = 0; i < count; i++) {
        values[i] = ldexp(values[i], -600);
      }
      norm = row_norm_upper(values, count);
    }
    row_scale_down(values, count, bound, norm);
  }
}
