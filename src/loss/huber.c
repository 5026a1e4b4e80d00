/* Huber hinge (CMS equation 7): the hinge max(0, 1−z) with its corner replaced by a parabola on
 * |1−z| ≤ h. The slope is evaluated as (h + (1−z))/(2h): the other grouping, ((1+h) − z), loses
 * 77 units in the last place for small h, this one 1.5 (privacy.md 6; slope_error allows 4). */
#include <math.h>

#include "loss/loss.h"
#include "loss/loss_simd.h"

double huber_slope(double gap, double h) {
  if (gap > h) {
    return -1.0;
  }
  if (gap >= -h) {
    return -((h + gap) / (2.0 * h));
  }
  return isnan(gap) ? gap : 0.0;
}

/* The same for eight at once, and curvatures. With the gap held within ±h, (h + gap)/(2h) is 0 and
 * 1 at the ends, exactly, so one formula does for all pieces. A NaN stays one. */
LANE_INLINE void slopes_of(double h, const double *margins, double *slope, double *curvature) {
  lanes z, zero = {0};
  LANES_LOAD(z, margins);
  lanes gap = 1.0 - z, within = LANES_WITHIN(gap, zero - h, zero + h);
  lanes s = zero - (h + within) / (2.0 * h), bend = zero + 1.0 / (2.0 * h);
  lane_bits bent = gap == within;
  lanes a = LANES_CHOOSE(bent, bend, zero) + (s - s);
  LANES_STORE(slope, s);
  LANES_STORE(curvature, a);
}

FOR_EACH_WIDTH
static void slopes_and_curvatures(double h, size_t count, const double *z, double *slope,
                                  double *curvature) {
  loss_simd(slopes_of, h, count, z, slope, curvature);
}

static void huber_eval(const dperm_loss *loss, size_t count, const double *z, double *value,
                       double *slope, double *curvature) {
  double h = loss->parameter;
  if (slope || curvature) {
    slopes_and_curvatures(h, count, z, slope, curvature);
  }
  for (size_t i = 0; value && i < count; i++) {
    double gap = 1.0 - z[i], t = h + gap;
    value[i] = gap > h ? gap : gap >= -h ? t / (4.0 * h) * t : isnan(gap) ? gap : 0.0;
  }
}

dperm_status dperm_loss_huber(double h, dperm_loss *out, dperm_error *err) {
  TRY(loss_validate_h(h, err));
  *out = (dperm_loss){.name = "huber",
                      .parameter = h,
                      .lipschitz = 1.0,
                      .smoothness = 1.0 / (2.0 * h),
                      .eval = huber_eval,
                      .slope_error = 4 * 0x1p-53};
  return DPERM_OK;
}
