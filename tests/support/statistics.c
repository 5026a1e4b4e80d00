/* See statistics.h. */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>

double gamma_cdf(double shape, double x) {
  if (!(x > 0)) {
    return 0;
  }
  long double a = shape, term = 1 / a, sum = 0;
  long double front = expl(a * logl(x) - (long double)x - lgammal(a));
  for (long double k = 1; k < 1e7L; k++) {
    sum += term;
    term *= x / (a + k);
    if (term < 1e-20L * sum && a + k > x) {
      break;
    }
  }
  return (double)fminl(1, front * sum);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double ks_distance(double *sample, size_t count, law *f, const void *context) {
  double most = 0;
  qsort(sample, count, sizeof *sample, ascending);
  for (size_t i = 0; i < count; i++) {
    double p = f(sample[i], context), n = (double)count;
    most = fmax(most, fmax(p - (double)i / n, (double)(i + 1) / n - p));
  }
  return most;
}

double ks_limit(size_t count, double rate) {
  return sqrt(log(2 / rate) / (2 * (double)count));
}

double bernstein_limit(size_t count, double variance, double bound, double rate) {
  /* 2 exp(−nt²/(2v + 2bt/3)) = rate, solved for t */
  double w = log(2 / rate) / (double)count, b = bound * w / 3;
  return b + sqrt(b * b + 2 * variance * w);
}

double random_scale(random_source *r, double low, double high) {
  return low * exp((log(high) - log(low)) * random_unit(r));
}
