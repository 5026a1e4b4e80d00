/* Smoothed hinge: twice differentiable everywhere, for those who want CMS's assumptions to the
 * letter. With u = (1−z)/h ∈ [−1, 1]: |ℓ′| = (2 + 3u − u³)/4, ℓ″ = 3(1 − u²)/(4h), and ℓ is the
 * integral h(3 + 8u + 6u² − u⁴)/16, all written as products in 1+u so that nothing cancels at the
 * foot of the curve. */
#include <math.h>

#include "loss/loss.h"
#include "loss/loss_simd.h"

/* With v = 1+u and w = 1−u, each within 5 units of 2^−53: v²(1+w)/4 has partial derivatives of at
 * most 9/8 and 1, and four roundings of its own: 16 units in all. Rounding must not pass L. */
double smooth_hinge_slope(double gap, double h) {
  if (gap > h) {
    return -1.0;
  }
  if (gap >= -h) {
    double up = (h + gap) / h, down = (h - gap) / h;
    return -fmin(1.0, up * up * (1.0 + down) / 4.0);
  }
  return isnan(gap) ? gap : 0.0;
}

/* The same for eight at once, and curvatures, which rounding must not take above c either. With the
 * gap held within ±h, 1+u and 1−u are 0 and 2 at the ends, exactly, so one formula does for all
 * pieces. A NaN stays one. */
LANE_INLINE void slopes_of(double h, const double *margins, double *slope, double *curvature) {
  lanes z, zero = {0};
  LANES_LOAD(z, margins);
  lanes free_gap = 1.0 - z, gap = LANES_WITHIN(free_gap, zero - h, zero + h);
  lanes up = (h + gap) / h, down = (h - gap) / h; /* 1+u and 1−u */
  lanes s = up * up * (1.0 + down) / 4.0, a = 3.0 * up * down / (4.0 * h);
  s = zero - LANES_WITHIN(s, zero, zero + 1.0);
  a = LANES_WITHIN(a, zero, zero + 3.0 / (4.0 * h));
  LANES_STORE(slope, s);
  LANES_STORE(curvature, a);
}

FOR_EACH_WIDTH
static void slopes_and_curvatures(double h, size_t count, const double *z, double *slope,
                                  double *curvature) {
  loss_simd(slopes_of, h, count, z, slope, curvature);
}

static void smooth_hinge_eval(const dperm_loss *loss, size_t count, const double *z, double *value,
                              double *slope, double *curvature) {
  double h = loss->parameter;
  if (slope || curvature) {
    slopes_and_curvatures(h, count, z, slope, curvature);
  }
  for (size_t i = 0; value && i < count; i++) {
    double gap = 1.0 - z[i], up = (h + gap) / h, down = (h - gap) / h;
    value[i] = gap > h      ? gap
               : gap >= -h  ? h * (up * up * up) * (2.0 + down) / 16.0
               : isnan(gap) ? gap
                            : 0.0;
  }
}

dperm_status dperm_loss_smooth_hinge(double h, dperm_loss *out, dperm_error *err) {
  TRY(loss_validate_h(h, err));
  *out = (dperm_loss){.name = "smooth-hinge",
                      .parameter = h,
                      .lipschitz = 1.0,
                      .smoothness = 3.0 / (4.0 * h),
                      .eval = smooth_hinge_eval,
                      .slope_error = 16 * 0x1p-53};
  return DPERM_OK;
}
