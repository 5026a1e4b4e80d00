/* Huber hinge (CMS equation 7): the hinge max(0, 1−z) with its corner replaced by a parabola on
 * |1−z| ≤ h. The slope is evaluated as (h + (1−z))/(2h): the other grouping, ((1+h) − z), loses
 * 77 units in the last place for small h, this one 1.5 (privacy.md 6; slope_error allows 4). Slope
 * 1 and curvature 1/(2h) meet at z = 1 − h, so ε(A) has no supremum tighter than its constants. */
#include "loss/hinge.h"

static dperm_loss constants(double h) {
  return (dperm_loss){.lipschitz = 1.0, .smoothness = 1.0 / (2.0 * h), .slope_error = 4 * 0x1p-53};
}

LANE_INLINE void slopes_of(double h, const double *z, const double *rest, double *slope,
                           double *curvature) {
  lanes gap, within, zero = {0};
  hinge_gaps(h, z, rest, &gap, &within);
  lanes s = zero - (h + within) / (2.0 * h), bend = zero + 1.0 / (2.0 * h);
  lane_bits bent = gap == within;
  lanes a = LANES_CHOOSE(bent, bend, zero) + (s - s);
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
    double gap = 1.0 - z[i], t = h + gap;
    value[i] = hinge_value(h, gap, t / (4.0 * h) * t);
  }
}

const loss_kind loss_huber = {.name = "huber",
                              .h_least = 1e-9,
                              .h_most = 1e6,
                              .corner = true,
                              .constants = constants,
                              .eval = eval,
                              .slopes = slopes};
