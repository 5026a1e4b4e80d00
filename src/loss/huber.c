/* Huber hinge (CMS equation 7): the hinge max(0, 1−z) with its corner replaced by a parabola on
 * |1−z| ≤ h. The slope is evaluated as (h + (1−z))/(2h): the other grouping, ((1+h) − z), loses
 * 77 units in the last place for small h, this one 1.5 (privacy.md 6; slope_error allows 4). */
#include <math.h>

#include "loss/loss.h"

double huber_slope(double gap, double h) {
  if (gap > h) {
    return -1.0;
  }
  if (gap >= -h) {
    return -((h + gap) / (2.0 * h));
  }
  return isnan(gap) ? gap : 0.0;
}

static void huber_eval(const dperm_loss *loss, size_t count, const double *z, double *value,
                       double *slope, double *curvature) {
  double h = loss->parameter;
  for (size_t i = 0; i < count; i++) {
    double gap = 1.0 - z[i];
    double l = 0, s = huber_slope(gap, h), a = 0;
    if (gap > h) {
      l = gap;
    } else if (gap >= -h) {
      double t = h + gap;
      l = t / (4.0 * h) * t;
      a = 1.0 / (2.0 * h);
    } else if (isnan(gap)) {
      l = a = gap;
    }
    if (value) {
      value[i] = l;
    }
    if (slope) {
      slope[i] = s;
    }
    if (curvature) {
      curvature[i] = a;
    }
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
