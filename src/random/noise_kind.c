/* What the kinds of noise share. */
#include "random/noise_kind.h"

#include "random/exponential.h"

double noise_laplace(random_source *source, double beta) {
  double size = random_exponential(source) / beta;
  return random_bits(source) >> 63 ? -size : size;
}

int noise_ceiling_log2(size_t n) {
  int log = 0;
  while (log < 63 && (UINT64_C(1) << log) < n) {
    log++;
  }
  return log;
}

double noise_pairwise_sum(const double *x, size_t count) {
  if (count == 1) {
    return x[0];
  }
  size_t half = count / 2;
  return noise_pairwise_sum(x, half) + noise_pairwise_sum(x + half, count - half);
}
