/* Logistic loss ℓ(z) = log(1 + e^−z). Everything is computed from e = e^−|z| ≤ 1, which neither
 * overflows nor cancels: |ℓ′| = e/(1+e) or 1/(1+e), ℓ″ = e/(1+e)². */
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
                      .eval = logistic_eval};
}
