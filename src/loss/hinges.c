/* Two smooth hinges: both are max(0, 1 − z) where |1 − z| > h, and differ in the piece between.
 * They are functions of the gap 1 − z, which is formed in twice the precision and rounded once:
 * near the corners, where the slope turns fast, the gap is small and so is its rounding error. */
#include <math.h>

#include "base/functions.h"
#include "loss/loss_simd.h"

/* The value at a gap, `smooth` the one of the piece between. */
static double value_at(double h, double gap, double smooth) {
  return gap > h ? gap : gap >= -h ? smooth : isnan(gap) ? gap : 0.0;
}

/* Of eight margins. `within` is the gap held between ±h, where the formula of the smooth piece does
 * for all pieces: at the ends it has the slope of the hinge, exactly. A NaN stays one. */
LANE_INLINE void gaps_of(double h, const double *z, const double *rest, lanes *gap, lanes *within) {
  lanes margin, low, zero = {0};
  LANES_LOAD(margin, z);
  lanes s = 1.0 - margin;
  if (rest) { /* two_sum(1, −z) */
    lanes t = s - 1.0;
    LANES_LOAD(low, rest);
    s += ((1.0 - (s - t)) + (-margin - t)) - low;
  }
  *gap = s;
  *within = LANES_WITHIN(s, zero - h, zero + h);
}

/* ---- Huber hinge (CMS equation 7): a parabola
 *
 * The slope is evaluated as (h + (1−z))/(2h): the other grouping, ((1+h) − z), loses 77 units in
 * the last place for small h, this one 1.5 (privacy.md 6; slope_error allows 4). Slope 1 and
 * curvature 1/(2h) meet at z = 1 − h, so ε(A) has no supremum tighter than its constants. */

static dperm_loss huber_constants(double h) {
  return (dperm_loss){.lipschitz = 1.0, .smoothness = 1.0 / (2.0 * h), .slope_error = 4 * 0x1p-53};
}

LANE_INLINE void huber_slopes_of(const dperm_loss *loss, const double *z, const double *rest,
                                 double *slope, double *curvature) {
  const double h = loss->parameter;
  lanes gap, within, zero = {0};
  gaps_of(h, z, rest, &gap, &within);
  lanes s = zero - (h + within) / (2.0 * h), bend = zero + 1.0 / (2.0 * h);
  lane_bits bent = gap == within;
  lanes a = LANES_CHOOSE(bent, bend, zero) + (s - s);
  LANES_STORE(slope, s);
  LANES_STORE(curvature, a);
}

static inline double huber_value(const dperm_loss *loss, double z) {
  const double h = loss->parameter, gap = 1.0 - z, t = h + gap;
  return value_at(h, gap, t / (4.0 * h) * t);
}

LOSS_FUNCTIONS(huber_slopes, huber_eval, huber_slopes_of, huber_value)

const loss_kind loss_huber = {.name = "huber",
                              .h_least = 1e-9,
                              .h_most = 1e6,
                              .h_usual = 0.5,
                              .corner = true,
                              .constants = huber_constants,
                              .eval = huber_eval,
                              .slopes = huber_slopes};

/* ---- smooth hinge: twice differentiable everywhere, for CMS's assumptions to the letter
 *
 * With u = (1−z)/h ∈ [−1, 1]: |ℓ′| = (2 + 3u − u³)/4, ℓ″ = 3(1 − u²)/(4h), and ℓ is the integral
 * h(3 + 8u + 6u² − u⁴)/16, all written as products in 1+u so that nothing cancels at the foot of
 * the curve. */

static dperm_loss smooth_constants(double h) {
  return (dperm_loss){.lipschitz = 1.0, .smoothness = 3.0 / (4.0 * h), .slope_error = 16 * 0x1p-53};
}

/* With v = 1+u and w = 1−u, each within 5 units of 2^−53: v²(1+w)/4 has partial derivatives of at
 * most 9/8 and 1, and four roundings of its own: 16 units in all. Rounding must not pass L or c. */
LANE_INLINE void smooth_slopes_of(const dperm_loss *loss, const double *z, const double *rest,
                                  double *slope, double *curvature) {
  const double h = loss->parameter;
  lanes free_gap, gap, zero = {0};
  gaps_of(h, z, rest, &free_gap, &gap);
  lanes up = (h + gap) / h, down = (h - gap) / h; /* 1+u and 1−u */
  lanes s = up * up * (1.0 + down) / 4.0, a = 3.0 * up * down / (4.0 * h);
  s = zero - LANES_WITHIN(s, zero, zero + 1.0);
  a = LANES_WITHIN(a, zero, zero + 3.0 / (4.0 * h));
  LANES_STORE(slope, s);
  LANES_STORE(curvature, a);
}

static inline double smooth_value(const dperm_loss *loss, double z) {
  const double h = loss->parameter, gap = 1.0 - z, up = (h + gap) / h, down = (h - gap) / h;
  return value_at(h, gap, h * (up * up * up) * (2.0 + down) / 16.0);
}

LOSS_FUNCTIONS(smooth_slopes, smooth_eval, smooth_slopes_of, smooth_value)

/* g(u) = A(2+3u−u³)/4 + log(1 + k(1−u²)), k = 3κ/(4h), is concave on [0, 1], and for u < 0 both
 * terms rise. Its slope is f(u)/(1 + k(1−u²)), f(u) = ¾A(1−u²)(1 + k(1−u²)) − 2ku, and f falls from
 * above zero to below it: Newton's method, kept within the bracket, takes a few steps. */
static double supremum(const dperm_loss *loss, double kappa, double a) {
  double low = 0, high = 1, k = 3 * kappa / (4 * loss->parameter), u = 0.5;
  for (int i = 0; i < 200; i++) {
    double w = (1 - u) * (1 + u), f = 0.75 * a * w * (1 + k * w) - 2 * k * u;
    *(f > 0 ? &low : &high) = u;
    double next = u + f / (1.5 * a * u * (1 + 2 * k * w) + 2 * k);
    next = next > low && next < high ? next : 0.5 * (low + high);
    if (fabs(f * (next - u)) <= 0x1p-56 * a * (1 + k * w)) { /* g gains no more than rounding */
      break;
    }
    u = next;
  }
  return a * (2 + 3 * u - u * u * u) / 4 + math_log1p(k * (1 - u) * (1 + u));
}

/* At u = place: s = (2 + 3u − u³)/4, and with k = 3κ/(4h) log(1 + k(1−u²)) has by s the slope
 * −2ku/(1 + k(1−u²)) over ds/du = ¾(1−u²), without end at place 1. dℓ″/ds falls with u, so ℓ″ is a
 * concave function of s. */
static void tangent(const dperm_loss *loss, double kappa, double place, double *at_zero,
                    double *at_steepest) {
  double u = place, w = (1 - u) * (1 + u), k = 3 * kappa / (4 * loss->parameter);
  double s = (2 + 3 * u - u * u * u) / 4, rest = (1 - u) * (1 - u) * (2 + u) / 4;
  double value = math_log1p(k * w), fall = 2 * k * u / (1 + k * w) / (0.75 * w);
  double up = 1e-12 * (value + fall);
  *at_zero = value + fall * s + up;
  *at_steepest = value - fall * rest + up;
}

const loss_kind loss_smooth_hinge = {.name = "smooth-hinge",
                                     .h_least = 1e-9,
                                     .h_most = 1e6,
                                     .h_usual = 0.5,
                                     .corner = true,
                                     .constants = smooth_constants,
                                     .eval = smooth_eval,
                                     .slopes = smooth_slopes,
                                     .supremum = supremum,
                                     .tangent = tangent};
