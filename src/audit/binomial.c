/* The incomplete beta function, and Clopper and Pearson's bounds made of it, which hold for every
 * number of draws. I_x(a, b) by its continued fraction (DLMF 8.17.22), evaluated from the front
 * with Lentz's method, on the side of the mean where it converges fast; bounds by bisection. */
#define _DEFAULT_SOURCE /* lgamma_r */
#include "audit/attack.h"

#include <math.h>

static double log_gamma(double x) {
  int sign = 0; /* lgamma itself writes a global */
  return lgamma_r(x, &sign);
}

static double away_from_zero(double x) {
  return fabs(x) < 1e-300 ? 1e-300 : x;
}

static double continued_fraction(double x, double a, double b) {
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;
  for (double m = 1; m < 1e6; m++) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    value *= d * c;
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    value *= d * c;
    if (fabs(d * c - 1) < 1e-15) {
      break;
    }
  }
  return value;
}

double beta_cdf(double x, double a, double b) {
  if (!(x > 0)) {
    return 0;
  }
  if (!(x < 1)) {
    return 1;
  }
  double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
  if (x < (a + 1) / (a + b + 2)) {
    return fmin(1, front * continued_fraction(x, a, b) / a);
  }
  return fmax(0, 1 - front * continued_fraction(1 - x, b, a) / b);
}

/* The p at which P(Bin(draws, p) ≥ hits) = I_p(hits, draws − hits + 1) is `rate`, from below. */
double probability_below(size_t hits, size_t draws, double rate) {
  double low = 0, high = (double)hits / (double)draws;
  for (int i = 0; i < 200 && hits > 0 && high - low > 1e-15 * high; i++) {
    double p = 0.5 * (low + high);
    if (beta_cdf(p, (double)hits, (double)(draws - hits) + 1) < rate) {
      low = p;
    } else {
      high = p;
    }
  }
  return low;
}

/* By that of a miss. */
double probability_above(size_t hits, size_t draws, double rate) {
  return 1 - probability_below(draws - hits, draws, rate);
}
