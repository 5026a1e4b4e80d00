/* Permutation, sign and the scale of a block's transform are one pass, and the transform is
 * butterflies of growing stride. An addition is the same in vectors of any width, so only speed
 * depends on it. */
#include "kernel/fast_rotation.h"

#include <math.h>

#include "base/dispatch.h"
#include "random/discrete_sampling.h"

/* n ≥ LANES: three strides within a vector, where a lane gets its partner's number plus or minus
 * its own, then those between vectors. */
FOR_EACH_WIDTH
static void transform(double *x, size_t n) {
  const lanes one = {1, -1, 1, -1, 1, -1, 1, -1}, two = {1, 1, -1, -1, 1, 1, -1, -1},
              four = {1, 1, 1, 1, -1, -1, -1, -1};
  lanes a, b, sum;
  for (size_t i = 0; i < n; i += LANES) {
    LANES_LOAD(a, x + i);
    a = (lanes){a[1], a[0], a[3], a[2], a[5], a[4], a[7], a[6]} + one * a;
    a = (lanes){a[2], a[3], a[0], a[1], a[6], a[7], a[4], a[5]} + two * a;
    a = (lanes){a[4], a[5], a[6], a[7], a[0], a[1], a[2], a[3]} + four * a;
    LANES_STORE(x + i, a);
  }
  for (size_t h = LANES; h < n; h *= 2) {
    for (size_t from = 0; from < n; from += 2 * h) {
      for (size_t i = from; i < from + h; i += LANES) {
        LANES_LOAD(a, x + i);
        LANES_LOAD(b, x + i + h);
        sum = a + b;
        a -= b;
        LANES_STORE(x + i, sum);
        LANES_STORE(x + i + h, a);
      }
    }
  }
}

void walsh_hadamard(double *x, size_t n) {
  if (n >= LANES) {
    transform(x, n);
    return;
  }
  for (size_t h = 1; h < n; h *= 2) {
    for (size_t i = 0; i < n; i++) {
      if ((i & h) == 0) {
        double a = x[i], b = x[i + h];
        x[i] = a + b;
        x[i + h] = a - b;
      }
    }
  }
}

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
