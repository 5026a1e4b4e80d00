/* Permutation, sign and the scale of a block's transform are one pass; its butterflies are
 * walsh_hadamard.c's. */
#include "mechanism/fast_rotation.h"

#include <math.h>

#include "mechanism/walsh_hadamard.h"
#include "random/discrete_sampling.h"

void fast_rotation_draw(random_source *source, size_t n, uint32_t *places) {
  for (size_t step = 0; step < FAST_ROTATION_STEPS; step++, places += n) {
    for (size_t i = 0; i < n; i++) { /* a shuffle that needs no order to begin with */
      size_t j = (size_t)random_below(source, i + 1);
      places[i] = places[j];
      places[j] = (uint32_t)(2 * i);
    }
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++, bits >>= 1) {
      bits = i % 64 == 0 ? random_bits(source) : bits;
      places[i] |= (uint32_t)(bits & 1);
    }
  }
}

/* The largest power of two within `left`. */
static size_t next_block(size_t left) {
  size_t size = 1;
  while (size <= left / 2) {
    size *= 2;
  }
  return size;
}

void fast_rotation_apply(const uint32_t *places, size_t n, const double *in, double *out,
                         double *work) {
  for (size_t step = 0; step < FAST_ROTATION_STEPS; step++, places += n) {
    double *to = step % 2 ? work : out;
    for (size_t from = 0, size = 0; from < n; from += size) {
      size = next_block(n - from);
      double scale = sqrt(1 / (double)size);
      const double factors[] = {scale, -scale};
      for (size_t i = from; i < from + size; i++) {
        to[i] = factors[places[i] & 1] * in[places[i] >> 1];
      }
      walsh_hadamard(to + from, size);
    }
    in = to;
  }
}

void fast_rotation_transposed(const uint32_t *places, size_t n, double *in, double *out,
                              double *work) {
  for (size_t step = FAST_ROTATION_STEPS; step-- > 0;) {
    const uint32_t *back = places + step * n;
    double *to = step % 2 ? work : out;
    for (size_t from = 0, size = 0; from < n; from += size) {
      size = next_block(n - from);
      double scale = sqrt(1 / (double)size);
      const double factors[] = {scale, -scale};
      walsh_hadamard(in + from, size);
      for (size_t i = from; i < from + size; i++) {
        to[back[i] >> 1] = factors[back[i] & 1] * in[i];
      }
    }
    in = to;
  }
}
