/* Pseudo-Huber hinge, the toy that tests/cli/recipes.bats adds by the recipe of CONTRIBUTING.md:
 * with the gap g = 1 − z and r = √(g² + h²), ℓ = (g + r)/2, ℓ′ = −(1 + g/r)/2 and ℓ″ = h²/(2r³).
 * Slope and curvature are not largest together, but there is no rule of its own for ε(A). */
#include <math.h>

#include "base/double_double.h"
#include "loss/loss.h"

static dperm_loss constants(double h) {
  return (dperm_loss){.lipschitz = 1.0, .smoothness = 0.5 / h, .slope_error = 8 * 0x1p-53};
}

static void slopes(const dperm_loss *loss, size_t count, const double *z, const double *rest,
                   double *slope, double *curvature) {
  const double h = loss->parameter;
  for (size_t i = 0; i < count; i++) {
    double_double exact = two_sum(1.0, -z[i]);
    double gap = rest ? exact.hi + (exact.lo - rest[i]) : exact.hi;
    gap = gap > 1e300 ? 1e300 : gap < -1e300 ? -1e300 : gap;
    double r = hypot(gap, h), t = h / r > 1.0 ? 1.0 : h / r, steep = 0.5 * (1.0 + gap / r);
    if (slope) {
      slope[i] = -(steep > 1.0 ? 1.0 : steep);
    }
    if (curvature) {
      curvature[i] = 0.5 / h * t * t * t;
    }
  }
}

static void eval(const dperm_loss *loss, size_t count, const double *z, double *value,
                 double *slope, double *curvature) {
  double h = loss->parameter;
  slopes(loss, count, z, NULL, slope, curvature);
  for (size_t i = 0; value && i < count; i++) {
    double gap = 1.0 - z[i], r = hypot(gap, h);
    value[i] = gap > 1e300 ? gap : gap < 0 ? 0.5 * h * (h / (r - gap)) : 0.5 * (gap + r);
  }
}

const loss_kind loss_pseudo_huber = {.name = "pseudo-huber",
                                     .h_least = 1e-9,
                                     .h_most = 1e6,
                                     .h_usual = 0.5,
                                     .constants = constants,
                                     .eval = eval,
                                     .slopes = slopes};
