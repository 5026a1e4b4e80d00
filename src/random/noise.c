/* l2 noise: a direction from normal variables, a radius from a gamma variable. The normal ones come
 * in pairs √(2E)·(cos θ, sin θ) with E from random_exponential: the relative error of a pair is
 * that of E and of the libm functions, whatever its size. */
#define _DEFAULT_SOURCE /* lgamma_r */
#include "random/noise.h"

#include <math.h>

#include "random/exponential.h"

double noise_mean_norm(const noise_plan *plan) {
  return (double)plan->dims / plan->beta;
}

double noise_rms_norm(const noise_plan *plan) {
  double d = (double)plan->dims;
  return sqrt(d * (d + 1.0)) / plan->beta;
}

/* P(Gamma(shape, 1) > x) = Σ_{k < shape} e^−x x^k / k!, from its largest term downwards. */
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

double noise_norm_quantile(const noise_plan *plan, double p) {
  double shape = (double)plan->dims, low = 0, high = shape + 10;
  while (gamma_tail(shape, high) > 1.0 - p) {
    high *= 2;
  }
  for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
    double middle = 0.5 * (low + high);
    if (gamma_tail(shape, middle) > 1.0 - p) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return high / plan->beta;
}

/* Uniform on the unit sphere, up to a length that is returned. */
static double draw_direction(random_source *source, size_t dims, double *b) {
  const double two_pi = 6.283185307179586;
  double squares = 0;
  for (size_t j = 0; j < dims; j += 2) {
    double radius = sqrt(2.0 * random_exponential(source));
    double angle = two_pi * random_unit(source);
    b[j] = radius * cos(angle);
    squares += b[j] * b[j];
    if (j + 1 < dims) {
      b[j + 1] = radius * sin(angle);
      squares += b[j + 1] * b[j + 1];
    }
  }
  return sqrt(squares);
}

void noise_draw(const noise_plan *plan, random_source *source, double *b) {
  double length = 0;
  while (!(length > 0)) { /* zero has probability 2^−1000 or so */
    length = draw_direction(source, plan->dims, b);
  }
  double scale = random_gamma(source, plan->dims) / plan->beta / length;
  for (size_t j = 0; j < plan->dims; j++) {
    b[j] *= scale;
  }
}

double noise_relative_error(const noise_plan *plan) {
  return (64 + 4 * ceil(log2((double)plan->dims))) * 0x1p-53;
}

double noise_norm_limit(const noise_plan *plan, double t) {
  double d = (double)plan->dims;
  return (d + sqrt(2 * d * t) + t) / plan->beta * (1 + 1e-12);
}
