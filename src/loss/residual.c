/* Losses of regressions: functions of the residual r = z − y, where labels are scaled to [−1, 1]
 * and h is in the same unit, half of the label's range (docs/proofs/residual.md). A gradient is
 * ℓ′(r)·x with a slope of either sign; nothing else in the analysis of a margin asks for its sign,
 * since −x is bounded as x is. */
#include <math.h>

#include "base/functions.h"
#include "loss/loss_simd.h"

/* Macros, as in base/dispatch.h. */
#define MINUS_SIZE(r) ((lanes)((lane_bits)(r) | INT64_MIN))
#define WITH_SIGN_OF(size, r) ((lanes)((lane_bits)(size) | ((lane_bits)(r)&INT64_MIN)))

/* ---- log-cosh: h·log cosh(r/h), a parabola near zero and |r| − h·log 2 far from it
 *
 * With t = e^(−2|r|/h): |ℓ′| = (1 − t)/(1 + t), ℓ″ = 4t/(h(1 + t)²). In units of u = 2^−53: t is
 * within 4t + 0.8 (2/h and the product round the exponent x by 2|x|, and |x|e^−|x| < 0.37), which
 * the slope has 2/(1 + t)² times, 2.8 together at most; its own four roundings add 2.5. 8 are
 * declared. */

static dperm_loss log_cosh_constants(double h) {
  return (dperm_loss){.lipschitz = 1.0, .smoothness = 1.0 / h, .slope_error = 8 * 0x1p-53};
}

LANE_INLINE void log_cosh_slopes_of(const dperm_loss *loss, const double *z, const double *rest,
                                    double *slope, double *curvature) {
  const double most = 1.0 / loss->parameter;
  lanes r, low, zero = {0};
  LANES_LOAD(r, z);
  lanes t = MINUS_SIZE(r) * (2.0 / loss->parameter);
  exp_lanes(&t);
  lanes q = 1.0 / (1.0 + t), s = WITH_SIGN_OF((1.0 - t) * q, r), a = 4.0 * t * q * q * most;
  a = LANES_CHOOSE(a > most, zero + most, a); /* a NaN stays one, and so does its slope */
  if (rest) {
    LANES_LOAD(low, rest);
    s += a * low;
  }
  LANES_STORE(slope, s);
  LANES_STORE(curvature, a);
}

/* With m = e^−x − 1, cosh x − 1 = m²/(2(1 + m)), which keeps the digits of a small x. */
static inline double log_cosh_value(const dperm_loss *loss, double r) {
  const double h = loss->parameter, x = fabs(r) / h, m = math_expm1(-x), log_2 = 0.6931471805599453;
  return x > 1 ? fabs(r) + h * (math_log1p(math_exp(-2 * x)) - log_2)
               : h * math_log1p(m * m / (2 * (1 + m)));
}

LOSS_FUNCTIONS(log_cosh_slopes, log_cosh_eval, log_cosh_slopes_of, log_cosh_value)

/* With k = κ/h and s = |ℓ′|, ℓ″ = (1 − s²)/h: As + log(1 + k(1 − s²)) rises up to s = 1 if A ≥ 2k;
 * else its slope is 0 where kAs² + 2ks = A(1 + k), here in a form that does not cancel. */
static double log_cosh_supremum(const dperm_loss *loss, double kappa, double a) {
  const double k = kappa / loss->parameter;
  if (a >= 2 * k) {
    return a;
  }
  const double s = fmin(1.0, a * (1 + k) / (k + sqrt(k) * sqrt(k + a * a * (1 + k))));
  return a * s + math_log1p(k * (1 - s) * (1 + s));
}

static void log_cosh_tangent(const dperm_loss *loss, double kappa, double place, double *at_zero,
                             double *at_steepest) {
  const double k = kappa / loss->parameter, s = place, bend = k * (1 - s) * (1 + s),
               value = math_log1p(bend), fall = 2 * k * s / (1 + bend), up = 1e-12 * (value + fall);
  *at_zero = value + fall * s + up;
  *at_steepest = value - fall * (1 - s) + up;
}

const loss_kind loss_log_cosh = {.name = "log-cosh",
                                 .h_least = 1e-4,
                                 .h_most = 1e4,
                                 .h_usual = 0.1,
                                 .corner = true,
                                 .numbers = true,
                                 .constants = log_cosh_constants,
                                 .eval = log_cosh_eval,
                                 .slopes = log_cosh_slopes,
                                 .supremum = log_cosh_supremum,
                                 .tangent = log_cosh_tangent,
                                 .model = "a regression of the mean, robust to outliers"};

/* ---- Huber's: r²/(2h) up to |r| = h, |r| − h/2 beyond. Slope 1 and curvature 1/h meet at h, so
 * ε(A) has no supremum tighter than its constants. */

static dperm_loss huber_constants(double h) {
  return (dperm_loss){.lipschitz = 1.0, .smoothness = 1.0 / h, .slope_error = 4 * 0x1p-53};
}

LANE_INLINE void huber_slopes_of(const dperm_loss *loss, const double *z, const double *rest,
                                 double *slope, double *curvature) {
  const double h = loss->parameter;
  lanes r, low, zero = {0};
  LANES_LOAD(r, z);
  if (rest) {
    LANES_LOAD(low, rest);
    r += low;
  }
  lanes within = LANES_WITHIN(r, zero - h, zero + h), s = within / h;
  lane_bits bent = r == within;
  lanes a = LANES_CHOOSE(bent, zero + 1.0 / h, zero) + (s - s);
  LANES_STORE(slope, s);
  LANES_STORE(curvature, a);
}

static inline double huber_value(const dperm_loss *loss, double r) {
  const double h = loss->parameter, size = fabs(r);
  return size > h ? size - h / 2 : r / (2 * h) * r;
}

LOSS_FUNCTIONS(huber_slopes, huber_eval, huber_slopes_of, huber_value)

const loss_kind loss_huber_regression = {.name = "huber-regression",
                                         .h_least = 1e-4,
                                         .h_most = 1e4,
                                         .h_usual = 0.1,
                                         .corner = true,
                                         .numbers = true,
                                         .constants = huber_constants,
                                         .eval = huber_eval,
                                         .slopes = huber_slopes,
                                         .model = "a regression with Huber's loss"};

/* ---- smoothed pinball: of the quantile τ, slope σ(r/h) − τ, σ(x) = 1/(1 + e^−x)
 *
 * With t = e^(−|r|/h) and q = 1/(1 + t), σ is q or tq, within 4.5 units as for the logistic loss;
 * the quotient r/h adds at most a tenth, and the difference 1. 8 are declared. */

/* L = max(τ, 1 − τ) is loss_table.c's, which knows τ. */
static dperm_loss quantile_constants(double h) {
  return (dperm_loss){.lipschitz = 0.5, .smoothness = 1.0 / (4.0 * h), .slope_error = 8 * 0x1p-53};
}

LANE_INLINE void quantile_slopes_of(const dperm_loss *loss, const double *z, const double *rest,
                                    double *slope, double *curvature) {
  const double h = loss->parameter, most = 1.0 / (4.0 * h), tau = loss_quantile(loss);
  lanes r, low, zero = {0};
  LANES_LOAD(r, z);
  lanes t = MINUS_SIZE(r) / h;
  exp_lanes(&t);
  lanes q = 1.0 / (1.0 + t), tq = t * q, a = tq * q / h;
  lane_bits above = r >= zero;
  lanes s = LANES_CHOOSE(above, q, tq) - tau;
  a = LANES_CHOOSE(a > most, zero + most, a);
  if (rest) {
    LANES_LOAD(low, rest);
    s += a * low;
  }
  LANES_STORE(slope, s);
  LANES_STORE(curvature, a);
}

static inline double quantile_value(const dperm_loss *loss, double r) {
  const double h = loss->parameter, tau = loss_quantile(loss);
  return h * math_log1p(math_exp(-fabs(r) / h)) + (r > 0 ? (1 - tau) * r : -tau * r);
}

LOSS_FUNCTIONS(quantile_slopes, quantile_eval, quantile_slopes_of, quantile_value)

/* With L the larger of τ and 1 − τ and p the larger of σ and 1 − σ on its side, |ℓ′| = p − (1 − L)
 * and ℓ″ = p(1 − p)/h for p ≥ 1 − L; for the same |ℓ′| the other side has less curvature. So the
 * supremum is the logistic one at κ/h, less A(1 − L): that is reached at p ≥ ½ ≥ 1 − L. */
static double quantile_supremum(const dperm_loss *loss, double kappa, double a) {
  return logistic_supremum(kappa / loss->parameter, a) - a * (1 - loss->lipschitz);
}

static void quantile_tangent(const dperm_loss *loss, double kappa, double place, double *at_zero,
                             double *at_steepest) {
  const double k = kappa / loss->parameter, p = (1 + place) / 2, rest = (1 - place) / 2,
               bend = k * p * rest, value = math_log1p(bend), fall = k * place / (1 + bend),
               up = 1e-12 * (value + fall);
  *at_zero = value + fall * (p - (1 - loss->lipschitz)) + up;
  *at_steepest = value - fall * rest + up;
}

const loss_kind loss_quantile_kind = {.name = "quantile",
                                      .h_least = 1e-4,
                                      .h_most = 1e4,
                                      .h_usual = 0.1,
                                      .corner = true,
                                      .numbers = true,
                                      .quantile = true,
                                      .constants = quantile_constants,
                                      .eval = quantile_eval,
                                      .slopes = quantile_slopes,
                                      .supremum = quantile_supremum,
                                      .tangent = quantile_tangent,
                                      .model = "a regression of a quantile"};
