/* Logistic loss ℓ(z) = log(1 + e^−z). Everything is computed from e = e^−|z| ≤ 1, which neither
 * overflows nor cancels: |ℓ′| = e/(1+e) or 1/(1+e), ℓ″ = e/(1+e)².
 *
 * The slope's error, in units of u = 2^−53: exp is taken to be within 2 units in the last place, a
 * relative 4u (tests/full/libm_test.c sees less than one). Then q = 1/(1+e) is within a relative
 * 4u·e/(1+e) + 2u ≤ 4u, and e·q ≤ ½ within 9u of itself: 4.5u at most, 6u declared. */
#include <math.h>

#include "loss/loss.h"

static void logistic_eval(const dperm_loss *loss, size_t count, const double *z, double *value,
                          double *slope, double *curvature) {
  (void)loss;
  for (size_t i = 0; i < count; i++) {
    double e = exp(-fabs(z[i]));
    double q = 1.0 / (1.0 + e);
    if (slope) {
      slope[i] = z[i] >= 0 ? -(e * q) : -q;
    }
    if (curvature) {
      double a = e * q * q;
      curvature[i] = a > 0.25 ? 0.25 : a; /* rounding must not pass c; a NaN stays one */
    }
    if (value) {
      value[i] = log1p(e) + (z[i] < 0 ? -z[i] : 0.0);
    }
  }
}

dperm_loss dperm_loss_logistic(void) {
  return (dperm_loss){.name = "logistic",
                      .parameter = (double)NAN,
                      .lipschitz = 1.0,
                      .smoothness = 0.25,
                      .eval = logistic_eval,
                      .slope_error = 6 * 0x1p-53};
}
