/* Logistic loss ℓ(z) = log(1 + e^−z). Everything is computed from e = e^−|z| ≤ 1 (loss_simd.h,
 * within a relative 4u), which neither overflows nor cancels: |ℓ′| = e/(1+e) or 1/(1+e), ℓ″ =
 * e/(1+e)².
 *
 * The slope: q = 1/(1+e) is within a relative 4u·e/(1+e) + 2u ≤ 4u, and e·q ≤ ½ within 9u of
 * itself: 4.5u at most, 6u declared. It is compared with MPFR, also relatively where it is small,
 * in tests/property/loss_conformance_test.c. */
#include <math.h>

#include "base/functions.h"
#include "loss/loss_simd.h"

/* The second term of Taylor's series takes a rest of at most u|z| in: what is left, z²u²|ℓ‴|/2, is
 * far below u², as z²|ℓ‴| < 1. */
LANE_INLINE void logistic_slopes_of(const dperm_loss *loss, const double *z, const double *rest,
                                    double *slope, double *curvature) {
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

static inline double value_at(const dperm_loss *loss, double z) {
  return math_log1p(math_exp(-fabs(z))) + (z < 0 ? -z : 0.0);
}

LOSS_FUNCTIONS(slopes, eval, logistic_slopes_of, value_at)

static double probability(double z) {
  double e = math_exp(-fabs(z));
  return z >= 0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
}

/* sup_s A·s + log(1 + κ s(1−s)) over s ∈ [0, 1]. If A ≥ κ the slope is nonnegative up to s = 1.
 * Else the stationary point, in a form that does not cancel for small A. */
double logistic_supremum(double kappa, double a) {
  if (a >= kappa) {
    return a;
  }
  double root = sqrt((a - 2) * (a - 2) + 4 * a * (a + kappa) / kappa);
  double s = fmin(1.0, 2 * (a + kappa) / (kappa * (2 - a + root)));
  return a * s + math_log1p(kappa * s * (1 - s));
}

static double supremum(const dperm_loss *loss, double kappa, double a) {
  return logistic_supremum(kappa, a);
}

static dperm_loss constants(double h) {
  return (dperm_loss){.lipschitz = 1.0, .smoothness = 0.25, .slope_error = 6 * 0x1p-53};
}

/* With ℓ″ = s(1−s) and s = (1 + place)/2, log(1 + κs(1−s)) has the slope −κ·place/(1 + κs(1−s)); at
 * place 1 the tangent is κ(1−s). */
static void tangent(const dperm_loss *loss, double kappa, double place, double *at_zero,
                    double *at_steepest) {
  double s = (1 + place) / 2, rest = (1 - place) / 2, bend = kappa * s * rest;
  double value = math_log1p(bend), fall = kappa * place / (1 + bend), up = 1e-12 * (value + fall);
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
                                 .joint = true,
                                 .model = "a logistic regression"};
