/* With a fair bit c and W uniform on (0, ½), U = c ? W : 1 − W is uniform on (0, 1), and −log U is
 * computed from W itself: −log W, or −log1p(−W). W has a lazily drawn exponent and 63 random bits
 * of mantissa, so its relative error is 2^−53 down to the smallest double; neither branch cancels.
 * A plain −log of a multiple of 2^−53 would miss the smallest values and be coarse near zero
 * (privacy.md 6). */
#include "random/exponential.h"

#include <math.h>

/* Uniform on (0, ½): the interval [2^−(e+1), 2^−e) has probability 2^−e, e = 1, 2, …. */
static double half_uniform(random_source *source) {
  int exponent = 1;
  uint64_t bits = random_bits(source);
  while (bits == 0) {
    exponent += 64;
    bits = random_bits(source);
  }
  while (!(bits >> 63)) {
    bits <<= 1;
    exponent++;
  }
  uint64_t mantissa = random_bits(source) | UINT64_C(1) << 63; /* 1 and 63 random bits */
  return ldexp((double)mantissa, -64 - exponent);
}

double random_exponential(random_source *source) {
  uint64_t coin = random_bits(source) >> 63;
  double w = half_uniform(source);
  return coin ? -log(w) : -log1p(-w);
}

double random_gamma(random_source *source, size_t shape) {
  if (shape == 1) {
    return random_exponential(source);
  }
  double left = random_gamma(source, shape / 2);
  return left + random_gamma(source, shape - shape / 2);
}
