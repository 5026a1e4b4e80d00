/* Smoothed hinge: twice differentiable everywhere, for those who want CMS's assumptions to the
 * letter. With u = (1−z)/h ∈ [−1, 1]: |ℓ′| = (2 + 3u − u³)/4, ℓ″ = 3(1 − u²)/(4h), and ℓ is the
 * integral h(3 + 8u + 6u² − u⁴)/16, all written as products in 1+u so that nothing cancels at the
 * foot of the curve. */
#include "loss/hinge.h"

static dperm_loss constants(double h) {
  return (dperm_loss){.lipschitz = 1.0, .smoothness = 3.0 / (4.0 * h), .slope_error = 16 * 0x1p-53};
}

/* With v = 1+u and w = 1−u, each within 5 units of 2^−53: v²(1+w)/4 has partial derivatives of at
 * most 9/8 and 1, and four roundings of its own: 16 units in all. Rounding must not pass L or c. */
LANE_INLINE void slopes_of(double h, const double *z, const double *rest, double *slope,
                           double *curvature) {
  lanes free_gap, gap, zero = {0};
  hinge_gaps(h, z, rest, &free_gap, &gap);
  lanes up = (h + gap) / h, down = (h - gap) / h; /* 1+u and 1−u */
  lanes s = up * up * (1.0 + down) / 4.0, a = 3.0 * up * down / (4.0 * h);
  s = zero - LANES_WITHIN(s, zero, zero + 1.0);
  a = LANES_WITHIN(a, zero, zero + 3.0 / (4.0 * h));
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
    double gap = 1.0 - z[i], up = (h + gap) / h, down = (h - gap) / h;
    value[i] = hinge_value(h, gap, h * (up * up * up) * (2.0 + down) / 16.0);
  }
}

/* g(u) = A(2+3u−u³)/4 + log(1 + k(1−u²)), k = 3κ/(4h), is concave on [0, 1], and for u < 0 both
 * terms rise. Its slope is f(u)/(1 + k(1−u²)), f(u) = ¾A(1−u²)(1 + k(1−u²)) − 2ku, and f falls from
 * above zero to below it: Newton's method, kept within the bracket, takes a few steps. */
static double supremum(double h, double kappa, double a) {
  double low = 0, high = 1, k = 3 * kappa / (4 * h), u = 0.5;
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
  return a * (2 + 3 * u - u * u * u) / 4 + log1p(k * (1 - u) * (1 + u));
}

/* At u = place: s = (2 + 3u − u³)/4, and with k = 3κ/(4h) log(1 + k(1−u²)) has by s the slope
 * −2ku/(1 + k(1−u²)) over ds/du = ¾(1−u²), without end at place 1. dℓ″/ds falls with u, so ℓ″ is a
 * concave function of s. */
static void tangent(double h, double kappa, double place, double *at_zero, double *at_steepest) {
  double u = place, w = (1 - u) * (1 + u), k = 3 * kappa / (4 * h);
  double s = (2 + 3 * u - u * u * u) / 4, rest = (1 - u) * (1 - u) * (2 + u) / 4;
  double value = log1p(k * w), fall = 2 * k * u / (1 + k * w) / (0.75 * w);
  double up = 1e-12 * (value + fall);
  *at_zero = value + fall * s + up;
  *at_steepest = value - fall * rest + up;
}

const loss_kind loss_smooth_hinge = {.name = "smooth-hinge",
                                     .h_least = 1e-9,
                                     .h_most = 1e6,
                                     .corner = true,
                                     .constants = constants,
                                     .eval = eval,
                                     .slopes = slopes,
                                     .supremum = supremum,
                                     .tangent = tangent};
