/* The gamma law of a whole shape k: the radius of every kind with density ∝ exp(−β‖b‖_K). */
#define _DEFAULT_SOURCE /* lgamma_r */
#include <math.h>

#include "random/noise_kind.h"

static double gamma_mean(double k) {
  return k;
}

static double gamma_mean_square(double k) {
  return k * (k + 1.0);
}

/* A sub-gamma tail: P(G > k + √(2kt) + t) ≤ e^−t (Boucheron, Lugosi & Massart 2013, section 2.4).
 */
static double gamma_limit(double k, double t) {
  return k + sqrt(2 * k * t) + t;
}

/* Σ_{i < k} e^−x x^i / i!, from its largest term in both directions. */
static double gamma_tail(double shape, double x) {
  if (x <= 0) {
    return 1.0;
  }
  int sign = 0; /* lgamma itself writes a global */
  double peak = fmin(shape - 1.0, floor(x));
  double top = exp(-x + peak * log(x) - lgamma_r(peak + 1.0, &sign)), sum = 0, term = top;
  for (double k = peak; k >= 0 && term > 1e-18 * sum; k--) {
    sum += term;
    term *= k / x;
  }
  term = top;
  for (double k = peak + 1; k < shape; k++) {
    term *= x / k;
    sum += term;
    if (term < 1e-18 * sum) {
      break;
    }
  }
  return fmin(sum, 1.0);
}

const radius_law radius_gamma = {gamma_mean, gamma_mean_square, gamma_limit, gamma_tail};
