/* Numbers of twice the precision as unevaluated sums hi + lo of two doubles, |lo| ≤ u|hi|, u =
 * 2^−53 (Dekker 1971; Joldes, Muller & Popescu 2017 for the error bounds). Every operation below
 * has a relative error of at most 16u² < DD_UNIT, as long as no intermediate leaves 2^±900 or
 * so; what underflows adds less than 2^−1000. For the few sums whose rounding must not be felt in
 * double precision; no contraction, no fast math (CMakeLists.txt). */
#pragma once

#define DD_UNIT 0x1p-102

typedef struct double_double {
  double hi, lo;
} double_double;

/* a + b exactly. */
static inline double_double two_sum(double a, double b) {
  double s = a + b, t = s - a;
  return (double_double){s, (a - (s - t)) + (b - t)};
}

/* a + b exactly, for |a| ≥ |b| or a = 0. */
static inline double_double quick_two_sum(double a, double b) {
  double s = a + b;
  return (double_double){s, b - (s - a)};
}

/* a·b exactly, by splitting each factor into halves of 26 bits: baseline x86-64 has no fused
 * multiply-add, and a call for each product would cost more. */
static inline double_double two_product(double a, double b) {
  const double splitter = 134217729.0; /* 2^27 + 1 */
  double p = a * b, x = splitter * a, y = splitter * b;
  double a1 = x - (x - a), b1 = y - (y - b), a2 = a - a1, b2 = b - b1;
  return (double_double){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

static inline double_double dd_add(double_double a, double_double b) {
  double_double s = two_sum(a.hi, b.hi), t = two_sum(a.lo, b.lo);
  s = quick_two_sum(s.hi, s.lo + t.hi);
  return quick_two_sum(s.hi, s.lo + t.lo);
}

/* a times a double. */
static inline double_double dd_scale(double_double a, double b) {
  double_double p = two_product(a.hi, b);
  return quick_two_sum(p.hi, p.lo + a.lo * b);
}

/* a divided by a double. */
static inline double_double dd_divide(double_double a, double b) {
  double first = a.hi / b;
  double_double back = two_product(-first, b);
  double_double left = dd_add(a, back);
  return quick_two_sum(first, left.hi / b);
}
