/* Noise for a sum of products vvᵀ, each of a record's own vector of whole numbers whose squares are
 * at most `most` together: the difference of two Wishart matrices (docs/proofs/intervals.md 1). For
 * all products of k numbers it grows as k^1.5, noise for each entry by itself as k². */
#pragma once

#include "base/status.h"
#include "random/discrete_sampling.h"

typedef struct gram_noise {
  size_t size; /* of v */
  uint64_t most;
  ratio epsilon;
} gram_noise;

/* The upper triangle stands row by row: so many entries, and where that of j ≤ l is. */
static inline size_t gram_entries(size_t size) {
  return size * (size + 1) / 2;
}
static inline size_t gram_place(size_t size, size_t j, size_t l) {
  return j * (2 * size - j + 1) / 2 + l - j;
}

/* Fails for noise that 64 bits do not hold. */
dperm_status gram_noise_check(const gram_noise *g, dperm_error *err);
/* ε-differentially private where a record is replaced, but for a probability below e^−290; fails
 * likewise. */
dperm_status gram_noise_draw(const gram_noise *g, random_source *source, int64_t *noise,
                             dperm_error *err);
/* Of the noise of a square, or of a product of two. */
double gram_noise_deviation(const gram_noise *g, bool of_square);
