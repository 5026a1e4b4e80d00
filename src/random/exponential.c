/* With a fair bit c and W uniform on (0, ½), U = c ? W : 1 − W is uniform on (0, 1), and −log U is
 * computed from W itself: −log W, or −log1p(−W). W has a lazily drawn exponent and 63 random bits
 * of mantissa; neither branch cancels. A plain −log of a multiple of 2^−53 would miss the smallest
 * values and be coarse near zero (privacy.md 6).
 *
 * Errors, relative and in units of u. W: its 63 bits cut off an infinite mantissa, 2^−63, and are
 * rounded to a double, 1: together below 1.01. Exponential: both branches have a derivative d log E
 * / d log W of at most 1/log 2 < 1.443, its value at W = ½, so 1.443·1.01 + 4 from libm < 5.5. */
#include "random/exponential.h"

#include <math.h>

/* The interval [2^−(e+1), 2^−e) has probability 2^−e, e = 1, 2, …: e − 1 zero bits before a one.
 * The search ends after 15 words of zeros, with probability 2^−960, so that W and what is made of
 * it stay among the normal doubles. */
double random_half_uniform(random_source *source) {
  int exponent = 1;
  uint64_t bits = random_bits(source);
  while (bits == 0 && exponent < 1 + 14 * 64) {
    exponent += 64;
    bits = random_bits(source);
  }
  for (bits |= 1; !(bits >> 63); bits <<= 1) {
    exponent++;
  }
  uint64_t mantissa = random_bits(source) | UINT64_C(1) << 63; /* 1 and 63 random bits */
  return ldexp((double)mantissa, -64 - exponent);
}

double random_exponential(random_source *source) {
  uint64_t coin = random_bits(source) >> 63;
  double w = random_half_uniform(source);
  return coin ? -log(w) : -log1p(-w);
}

double random_gamma(random_source *source, size_t shape) {
  if (shape == 1) {
    return random_exponential(source);
  }
  double left = random_gamma(source, shape / 2);
  return left + random_gamma(source, shape - shape / 2);
}

double random_laplace(random_source *source, double beta) {
  double size = random_exponential(source) / beta;
  return random_bits(source) >> 63 ? -size : size;
}
