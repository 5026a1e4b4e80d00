/* Two series carry everything: e^r − 1 for |r| ≤ 0.347 and log m for m in [√½, √2). Their first
 * terms are summed in double-doubles, the rest, a fiftieth at most, in doubles; so a result is
 * rounded once to speak of. Errors: docs/proofs/functions.md. */
#include "base/functions.h"

#include <math.h>

#include "base/double_double.h"

static const double log2_head = 0x1.62e42fefa38p-1; /* 42 bits */
static const double log2_tail = 0x1.ef35793c7673p-45;

/* ---- exponentials */

/* e^x = 2^power·(1 + rest), for x = hi + lo with |hi| < 800. */
static double_double exp_reduced(double_double x, int *power) {
  const double k = rint(x.hi * 1.4426950408889634);
  double_double turn = two_product(k, log2_tail);
  double_double r = two_sum(x.hi - k * log2_head, -turn.hi); /* the first difference is exact */
  r = quick_two_sum(r.hi, r.lo + (x.lo - turn.lo));
  double_double square = two_product(r.hi, r.hi), half = {square.hi / 2, square.lo / 2};
  double series = inverse_factorials[12];
  for (int i = 11; i >= 1; i--) {
    series = series * r.hi + inverse_factorials[i];
  }
  double_double e = quick_two_sum(r.hi, half.hi);
  *power = (int)k;
  return quick_two_sum(e.hi, e.lo + (r.hi * square.hi * series + (half.lo + r.lo * (1 + e.hi))));
}

static double exp_of(double_double x) {
  if (!(fabs(x.hi) < 800)) {
    return isnan(x.hi) ? x.hi : x.hi > 0 ? (double)INFINITY : 0;
  }
  int power = 0;
  double_double rest = exp_reduced(x, &power), sum = quick_two_sum(1, rest.hi);
  return ldexp(sum.hi + (sum.lo + rest.lo), power);
}

double math_exp(double x) {
  return exp_of((double_double){x, 0});
}

double math_expm1(double x) {
  if (!(fabs(x) < 40)) { /* where e^−x is nothing beside 1 */
    return x < 0 ? -1 : math_exp(x);
  }
  if (fabs(x) < 0x1p-54) {
    return x;
  }
  int power = 0;
  double_double rest = exp_reduced((double_double){x, 0}, &power);
  double_double whole = two_sum(ldexp(1, power), -1);
  double_double sum = two_sum(whole.hi, ldexp(rest.hi, power));
  return sum.hi + (sum.lo + (whole.lo + ldexp(rest.lo, power)));
}

double math_sinh(double x) {
  double m = math_expm1(fabs(x));
  return copysign(m < 0x1p60 ? (m + m / (m + 1)) / 2 : m / 2, x);
}

double math_tanh(double x) {
  double m = math_expm1(-2 * fabs(x));
  return copysign(-m / (m + 2), x);
}

/* ---- logarithms */

/* 1/3, 1/5, … of 2·artanh s = 2s + 2s³·(1/3 + s²/5 + …). */
static const double odd_inverses[] = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11,
                                      1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};

/* The logarithm of x.hi + x.lo, x.hi positive and finite, |x.lo| ≤ 2^−53·x.hi. */
static double_double log_reduced(double_double x) {
  int power = 0;
  double m = frexp(x.hi, &power);
  if (m < 0.7071067811865476) {
    m *= 2;
    power--;
  }
  double low = ldexp(x.lo, -power);
  double_double over = two_sum(m - 1, low), under = two_sum(m, 1);
  under.lo += low;
  double s = over.hi / under.hi;
  double_double back = two_product(s, under.hi);
  double s_low = ((over.hi - back.hi - back.lo) + (over.lo - s * under.lo)) / under.hi;
  double square = s * s, series = odd_inverses[9];
  for (int i = 8; i >= 0; i--) {
    series = series * square + odd_inverses[i];
  }
  double_double sum = two_sum(power * log2_head, 2 * s);
  return quick_two_sum(sum.hi, sum.lo + (2 * (s_low + s * square * series) + power * log2_tail));
}

/* Of numbers without a logarithm, and of infinity: that of libraries. */
static double log_beyond(double x) {
  return x == 0 ? -(double)INFINITY : x > 0 || isnan(x) ? x : (double)NAN;
}

double math_log(double x) {
  return x > 0 && x < (double)INFINITY ? log_reduced((double_double){x, 0}).hi : log_beyond(x);
}

double math_log1p(double x) {
  if (fabs(x) < 0x1p-54) {
    return x;
  }
  return x > -1 && x < (double)INFINITY ? log_reduced(two_sum(1, x)).hi : log_beyond(1 + x);
}

double math_log10(double x) {
  if (!(x > 0 && x < (double)INFINITY)) {
    return log_beyond(x);
  }
  double_double l = log_reduced((double_double){x, 0});
  return dd_add(dd_scale(l, 0x1.bcb7b1526e50ep-2), dd_scale(l, 0x1.95355baaafad3p-57)).hi;
}

double math_pow(double x, double y) {
  if (y == 0) {
    return 1;
  }
  if (!(x > 0 && x < (double)INFINITY && fabs(y) < 0x1p900)) {
    return math_exp(y * math_log(x));
  }
  return exp_of(dd_scale(log_reduced((double_double){x, 0}), y));
}

/* ---- erfc: the midpoint rule, steps of 7/16, for e^{x²}·erfc(x) = (x/π)·∫ e^{−t²}/(t² + x²) dt,
 * where all terms are positive; the pole at ix between the line and the contour on which the rule's
 * error is below e^−50 adds the term 2e^{x²}/(1 + e^{2πx·16/7}), of no account from 7 on. */

/* e^{−t²} at t = 7/32, 21/32, 35/32, … */
static const double heights[] = {
    0.9532752783750715,     0.6500772594262845,    0.3023140012570494,    0.09587341393331282,
    0.02073407985883874,    0.003057862726327566,  0.0003075373352933031, 2.109232004813447e-05,
    9.865009361729048e-07,  3.146424351080933e-08, 6.843586028613928e-10, 1.0150719132072844e-11,
    1.0267306691162347e-13, 7.08211382080041e-16};

static double midpoints(double x) {
  double sum = 0, square = x * x;
  for (int i = 13; i >= 0; i--) {
    double t = (2 * i + 1) * 0.21875;
    sum += heights[i] / (t * t + square);
  }
  return 0.2785211504108168 * x * sum; /* 2·(7/16)/π */
}

static double pole(double x) {
  return x < 7 ? 2 / (1 + math_exp(14.361566416410483 * x)) : 0; /* 2π·16/7 */
}

/* e^{±x²}, of the square itself. */
static double exp_square(double x, double sign) {
  double_double square = two_product(x, x);
  return exp_of((double_double){sign * square.hi, sign * square.lo});
}

double math_erfc_scaled(double x) {
  return midpoints(x) + (x < 7 ? exp_square(x, 1) * pole(x) : 0);
}

double math_erfc(double x) {
  double far = fmin(fabs(x), 30), right = exp_square(far, -1) * midpoints(far) + pole(far);
  return isnan(x) ? x : x < 0 ? 2 - right : right;
}

/* ---- Stirling's series, from 10 on; below by Γ(x + 1) = x·Γ(x) */

double math_log_gamma(double x) {
  static const double series[] = {1.0 / 12,   -1.0 / 360,        1.0 / 1260, -1.0 / 1680,
                                  1.0 / 1188, -691.0 / 360360.0, 1.0 / 156,  -3617.0 / 122400.0};
  double product = 1, rest = series[7];
  for (; x < 10; x++) {
    product *= x;
  }
  double inverse = 1 / x, square = inverse * inverse;
  for (int i = 6; i >= 0; i--) {
    rest = rest * square + series[i];
  }
  double_double l = log_reduced((double_double){x, 0});
  double_double sum = dd_add(dd_scale(l, x), (double_double){-l.hi / 2, -l.lo / 2});
  double_double less = log_reduced((double_double){product, 0});
  sum = dd_add(sum, two_sum(-x, 0x1.d67f1c864beb5p-1)); /* log √(2π) */
  sum = dd_add(sum, (double_double){-less.hi, -less.lo});
  return sum.hi + (sum.lo + rest * inverse);
}
