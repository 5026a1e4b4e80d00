/* See frequencies.h. */
#include "frequencies.h"

#include <math.h>

/* Q(a, x), the upper incomplete gamma function over Γ(a): by the series of the lower one, or by
 * Lentz's continued fraction where that would cancel. */
static long double upper_gamma(long double a, long double x) {
  long double front = expl(a * logl(x) - x - lgammal(a));
  if (x < a + 1) {
    long double term = 1 / a, sum = term;
    for (long double k = 1; k < 100000 && term > 1e-20L * sum; k++) {
      term *= x / (a + k);
      sum += term;
    }
    return 1 - front * sum;
  }
  long double b = x + 1 - a, c = 1e300L, d = 1 / b, h = d;
  for (long double i = 1; i < 100000; i++) {
    long double an = i * (a - i), step = 0;
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    step = c * d;
    h *= step;
    if (fabsl(step - 1) < 1e-18L) {
      break;
    }
  }
  return front * h;
}

double chi_square_tail(double freedom, double x) {
  return x <= 0 ? 1.0 : (double)upper_gamma(freedom / 2, x / 2);
}

/* At least `count` of a sum of independent events with this mean: Chernoff. */
static double rare_tail(double mean, double count) {
  return count <= mean ? 1.0 : mean <= 0 ? 0.0 : exp(count - mean - count * log(count / mean));
}

void assert_frequencies(const char *what, const uint64_t *counts, const double *probabilities,
                        size_t cells) {
  enum { ENOUGH = 50 };
  double draws = 0, total = 0, square = 0, freedom = -1, rare_count = 0, rare_mean = 0;
  for (size_t i = 0; i < cells; i++) {
    draws += (double)counts[i];
    total += probabilities[i];
  }
  assert_close(total, 1.0, 1e-9);
  for (size_t i = 0; i < cells; i++) {
    double mean = draws * probabilities[i], count = (double)counts[i];
    if (mean < ENOUGH) {
      rare_mean += mean;
      rare_count += count;
    } else {
      square += (count - mean) * (count - mean) / mean;
      freedom++;
    }
  }
  if (rare_mean >= ENOUGH) {
    square += (rare_count - rare_mean) * (rare_count - rare_mean) / rare_mean;
    freedom++;
  } else if (rare_tail(rare_mean, rare_count) < FALSE_ALARM / 10) {
    fail_msg("%s: %g rare outcomes where %g are expected", what, rare_count, rare_mean);
  }
  if (freedom > 0 && chi_square_tail(freedom, square) < FALSE_ALARM / 10) {
    fail_msg("%s: chi-square %g with %g degrees of freedom", what, square, freedom);
  }
}

void assert_frequency(const char *what, uint64_t hits, uint64_t draws, double p) {
  assert_frequencies(what, (const uint64_t[]){hits, draws - hits}, (const double[]){p, 1 - p}, 2);
}
