/* The chi law of k degrees of freedom: the radius of gaussian noise, whose density is ∝
 * exp(−β²‖b‖_K²/2). */
#define _DEFAULT_SOURCE /* lgamma_r */
#include <math.h>

#include "random/noise_kind.h"

/* √2·Γ((k+1)/2)/Γ(k/2). Beyond 2^20 the logarithms cancel, and √k·(1 − 1/(4k)) is closer. */
static double chi_mean(double k) {
  int sign = 0; /* lgamma itself writes a global */
  return k > 0x1p20 ? sqrt(k) * (1 - 0.25 / k)
                    : sqrt(2) * exp(lgamma_r((k + 1) / 2, &sign) - lgamma_r(k / 2, &sign));
}

static double chi_mean_square(double k) {
  return k;
}

/* P(χ² > k + 2√(kt) + 2t) ≤ e^−t (Laurent & Massart 2000, lemma 1). */
static double chi_limit(double k, double t) {
  return sqrt(k + 2 * sqrt(k * t) + 2 * t);
}

/* With y = x²/2, P(χ > x) = Σ e^−y y^i/Γ(i+1) over i = k/2 − 1, k/2 − 2, … ≥ 0, and for odd k
 * erfc(√y) = erfc(x/√2) besides; from the largest term in both directions. */
static double chi_tail(double k, double x) {
  if (x <= 0) {
    return 1.0;
  }
  int sign = 0;
  double y = x * x / 2, last = k / 2 - 1, first = fmod(k, 2) == 0 ? 0 : 0.5;
  double sum = first > 0 ? erfc(x / sqrt(2)) : 0;
  double peak = fmin(last, first + floor(fmax(y - first, 0)));
  if (peak < first) { /* k = 1 */
    return sum;
  }
  double top = exp(-y + peak * log(y) - lgamma_r(peak + 1, &sign)), term = top;
  for (double i = peak; i >= first && term > 1e-18 * sum; i--) {
    sum += term;
    term *= i / y;
  }
  term = top;
  for (double i = peak + 1; i <= last; i++) {
    term *= y / i;
    sum += term;
    if (term < 1e-18 * sum) {
      break;
    }
  }
  return fmin(sum, 1.0);
}

const radius_law radius_chi = {chi_mean, chi_mean_square, chi_limit, chi_tail};
