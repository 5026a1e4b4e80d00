/* See error_interval.h. With q = e^(−rate), Σ over |k| > t of P(Y = k) is
 *
 *   one variable    2q^(t+1)/(1+q)
 *   two of them     2q^(t+1)·[(1−q)(t+1)/(1+q)² + q/(1+q)² + (1+q²)/(1+q)³],
 *
 * the second from P(Y = k) = ((1−q)/(1+q))²·q^|k|·(|k| + (1+q²)/(1−q²)). Both fall in t. */
#include "pipeline/error_interval.h"

#include <math.h>
#include <stdbool.h>

static double tail(double rate, int summands, double t) {
  double q = exp(-rate), s = 1 + q;
  double power = 2 * exp(-rate * (t + 1));
  if (summands == 1) {
    return power / s;
  }
  return power * (-expm1(-rate) * (t + 1) / (s * s) + q / (s * s) + (1 + q * q) / (s * s * s));
}

double noise_reach(double rate, int summands, double miss) {
  double below = -1, reach = 1; /* tail(below) > miss ≥ tail(reach) */
  const double limit = miss * (1 - 1e-9);
  while (tail(rate, summands, reach) > limit) {
    below = reach;
    reach *= 2;
  }
  while (reach - below > 1) {
    double middle = floor((below + reach) / 2);
    bool short_of = tail(rate, summands, middle) > limit;
    below = short_of ? middle : below;
    reach = short_of ? reach : middle;
  }
  return reach;
}

static double share(double count, size_t rows) {
  return fmin(fmax(count / (double)rows, 0.0), 1.0);
}

error_interval sample_interval(int64_t noisy_errors, size_t rows, double rate, int summands) {
  double errors = (double)noisy_errors, reach = noise_reach(rate, summands, 0.05);
  return (error_interval){share(errors - reach, rows), share(errors + reach, rows)};
}

/* kl(a‖p) for Bernoulli variables. */
static double divergence(double a, double p) {
  double hit = a > 0 ? a * log(a / p) : 0, other = a < 1 ? (1 - a) * log((1 - a) / (1 - p)) : 0;
  return hit + other;
}

/* How far from `a` towards `end` a probability can lie with n·kl(a‖p) ≤ log(1/miss). */
static double furthest(double a, double end, size_t rows, double miss) {
  double near = a, far = end, allowed = -log(miss) / (double)rows;
  for (int i = 0; i < 100; i++) {
    double middle = near + (far - near) / 2;
    bool possible = divergence(a, middle) <= allowed;
    near = possible ? middle : near;
    far = possible ? far : middle;
  }
  return far;
}

error_interval population_interval(int64_t noisy_errors, size_t rows, double rate, int summands) {
  double errors = (double)noisy_errors, reach = noise_reach(rate, summands, 0.025);
  return (error_interval){furthest(share(errors - reach, rows), 0, rows, 0.0125),
                          furthest(share(errors + reach, rows), 1, rows, 0.0125)};
}
