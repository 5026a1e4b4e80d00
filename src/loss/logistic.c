/* Logistic loss ℓ(z) = log(1 + e^−z). Everything is computed from e = e^−|z| ≤ 1, which neither
 * overflows nor cancels: |ℓ′| = e/(1+e) or 1/(1+e), ℓ″ = e/(1+e)².
 *
 * Eight margins at once, by our own e^x for x = −|z| ≤ 0. With k = the integer next to x/log 2 and
 * r = x − k·log 2, |r| ≤ 0.3468, e^x = 2^k·e^r. Its error, in units of u = 2^−53, absolute and with
 * e^r in [0.706, 1.415]:
 *
 * - k·H is exact (H = the first 33 bits of log 2, |k| < 2^11), and so is x − k·H: both are
 * multiples of 2^−54 where k ≠ 0 (then |x| > 0.34), and the difference is below ½ and 2^−54 times
 * 53 bits. k·T, T = the next 53 bits, is below 2^−23, so that its rounding and T's do not count; r
 * itself is rounded once more: 0.35u/2. Together less than 0.2u in r, 0.3u in e^r.
 * - Taylor's series to r^13 leaves out less than r^14/14!·1.03 < 5·10^−18 < 0.05u.
 * - e^r = 1 + (r + r²·p), p = ½ + r/6 + …: p is within a relative 2.4u (Horner's rule: each term's
 *   two roundings weigh at most a third of the one before), r² within 1u, so r²·p ≤ 0.068 is
 *   within 4.5u of itself, 0.31u; the sum r + r²p ≤ 0.42 rounds by 0.25u; 1 + … by 1u at most (half
 * a unit of [1, 2); half of that below 1).
 *
 * In all less than 2u absolute, a relative 2.8u, and below −708, where 0 stands for less than
 * 4·10^−308, that: within the 4u that are taken for granted below. The slope and its relative error
 * where it is small are compared with MPFR in tests/property/loss_conformance_test.c.
 *
 * The slope: q = 1/(1+e) is within a relative 4u·e/(1+e) + 2u ≤ 4u, and e·q ≤ ½ within 9u of
 * itself: 4.5u at most, 6u declared. */
#include <math.h>

#include "loss/loss_simd.h"

static const double inverse_factorials[] = {
    1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,      1.0 / 720,       1.0 / 5040,
    1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};

/* e^x for x ≤ 0, in place; a NaN stays one. */
LANE_INLINE void exp_lanes(lanes *at) {
  const double log2_head = 0x1.62e42fefp-1, log2_tail = 0x1.473de6af278edp-34;
  const double inverse_log2 = 0x1.71547652b82fep+0, shift = 0x1.8p52;
  lanes x = *at, zero = {0};
  lane_bits tiny = x < -708.0;
  x = LANES_CHOOSE(tiny, zero - 708.0, x);
  lanes shifted = x * inverse_log2 + shift, k = shifted - shift;
  lanes r = (x - k * log2_head) - k * log2_tail;
  lanes p = r * inverse_factorials[11] + inverse_factorials[10];
  for (int i = 9; i >= 0; i--) {
    p = p * r + inverse_factorials[i];
  }
  lanes e = 1.0 + (r + (r * r) * p);
  lane_bits power = ((lane_bits)shifted + 1023) << 52; /* 2^k: the low bits of `shifted` are k */
  e *= (lanes)power;
  *at = LANES_CHOOSE(tiny, zero, e);
}

/* The second term of Taylor's series takes a rest of at most u|z| in: what is left, z²u²|ℓ‴|/2, is
 * far below u², as z²|ℓ‴| < 1. */
LANE_INLINE void slopes_of(double h, const double *z, const double *rest, double *slope,
                           double *curvature) {
  (void)h;
  lanes margin, low, zero = {0};
  LANES_LOAD(margin, z);
  lanes e = (lanes)((lane_bits)margin | INT64_MIN); /* −|z| */
  exp_lanes(&e);
  lanes q = 1.0 / (1.0 + e), eq = e * q;
  lane_bits right = margin >= zero; /* a NaN falls to the left, and q is one too */
  lanes s = LANES_CHOOSE(right, -eq, -q), a = eq * q;
  a = LANES_CHOOSE(a > 0.25, zero + 0.25, a); /* rounding must not pass c; a NaN stays one */
  if (rest) {
    LANES_LOAD(low, rest);
    s += a * low;
  }
  LANES_STORE(slope, s);
  LANES_STORE(curvature, a);
}

FOR_EACH_WIDTH
static void slopes(double h, size_t count, const double *z, const double *rest, double *slope,
                   double *curvature) {
  loss_simd(slopes_of, h, count, z, rest, slope, curvature);
}

static void eval(const dperm_loss *loss, size_t count, const double *z, double *value,
                 double *slope, double *curvature) {
  double h = loss->parameter;
  if (slope || curvature) {
    slopes(h, count, z, NULL, slope, curvature);
  }
  for (size_t i = 0; value && i < count; i++) {
    value[i] = log1p(exp(-fabs(z[i]))) + (z[i] < 0 ? -z[i] : 0.0);
  }
}

static double probability(double z) {
  double e = exp(-fabs(z));
  return z >= 0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
}

/* sup_s A·s + log(1 + κ s(1−s)) over s ∈ [0, 1]. If A ≥ κ the slope is nonnegative up to s = 1.
 * Else the stationary point, in a form that does not cancel for small A. */
static double supremum(double h, double kappa, double a) {
  (void)h;
  if (a >= kappa) {
    return a;
  }
  double root = sqrt((a - 2) * (a - 2) + 4 * a * (a + kappa) / kappa);
  double s = fmin(1.0, 2 * (a + kappa) / (kappa * (2 - a + root)));
  return a * s + log1p(kappa * s * (1 - s));
}

static dperm_loss constants(double h) {
  (void)h;
  return (dperm_loss){.lipschitz = 1.0, .smoothness = 0.25, .slope_error = 6 * 0x1p-53};
}

/* With ℓ″ = s(1−s) and s = (1 + place)/2, log(1 + κs(1−s)) has the slope −κ·place/(1 + κs(1−s)); at
 * place 1 the tangent is κ(1−s). */
static void tangent(double h, double kappa, double place, double *at_zero, double *at_steepest) {
  (void)h;
  double s = (1 + place) / 2, rest = (1 - place) / 2, bend = kappa * s * rest;
  double value = log1p(bend), fall = kappa * place / (1 + bend), up = 1e-12 * (value + fall);
  *at_zero = value + fall * s + up;
  *at_steepest = value - fall * rest + up;
}

const loss_kind loss_logistic = {.name = "logistic",
                                 .constants = constants,
                                 .eval = eval,
                                 .slopes = slopes,
                                 .supremum = supremum,
                                 .tangent = tangent,
                                 .probability = probability,
                                 .model = "a logistic regression"};

dperm_loss dperm_loss_logistic(void) {
  dperm_loss out;
  (void)loss_make(&loss_logistic, (double)NAN, &out, NULL); /* has no parameter: cannot fail */
  return out;
}
