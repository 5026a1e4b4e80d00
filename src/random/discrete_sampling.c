/* Rates are at most a few thousand with 20-bit numerators; counts are numbers of rows. Numbers are
 * 128 bits wide, but a uniform one below a bound of 64 bits, the common case, is drawn with 64. */
#include "random/discrete_sampling.h"

#include <math.h>

typedef wide_integer wide;

ratio ratio_below(double value) {
  int exponent = 0;
  double mantissa = frexp(value, &exponent); /* value = mantissa·2^exponent, mantissa ∈ [½, 1) */
  uint64_t over = (uint64_t)floor(ldexp(mantissa, 20));
  int shift = exponent - 20;
  if (shift < -63) { /* fewer bits below 2^-44, none at all below 2^-63 */
    over = shift > -63 - 20 ? over >> (-63 - shift) : 0;
    shift = -63;
  }
  while (shift < 0 && over % 2 == 0) {
    over /= 2;
    shift++;
  }
  if (shift >= 0) { /* 2^63 stands for all beyond it */
    return (ratio){exponent <= 63 ? over << shift : UINT64_C(1) << 63, 1};
  }
  return (ratio){over, UINT64_C(1) << -shift};
}

double ratio_value(ratio r) {
  return (double)r.over / (double)r.under;
}

uint64_t random_below(random_source *source, uint64_t bound) {
  uint64_t rest = (0 - bound) % bound, draw = 0; /* 2^64 mod bound: the draws to refuse */
  do {
    draw = random_bits(source);
  } while (draw < rest);
  return draw % bound;
}

static wide wide_below(random_source *source, wide bound) {
  if (bound <= UINT64_MAX) {
    return random_below(source, (uint64_t)bound);
  }
  wide rest = (0 - bound) % bound, draw = 0;
  do {
    draw = (wide)random_bits(source) << 64 | random_bits(source);
  } while (draw < rest);
  return draw % bound;
}

bool random_bernoulli(random_source *source, wide over, wide under) {
  return wide_below(source, under) < over;
}

/* exp(−over/under) for over ≤ under: the parity of the first failure of Bernoulli(γ/1),
 * Bernoulli(γ/2), …, each as Bernoulli(1/k) and Bernoulli(γ), so that no product can overflow. */
static bool bernoulli_exp_below_one(random_source *source, wide over, wide under) {
  uint64_t k = 1;
  while ((k == 1 || random_below(source, k) == 0) && random_bernoulli(source, over, under)) {
    k++;
  }
  return k % 2 == 1;
}

bool random_bernoulli_exp(random_source *source, ratio rate, uint64_t count, uint64_t divisor) {
  wide over = (wide)rate.over * count, under = (wide)rate.under * divisor;
  for (; over > under; over -= under) { /* e^−1 for each whole part */
    if (!bernoulli_exp_below_one(source, 1, 1)) {
      return false;
    }
  }
  return bernoulli_exp_below_one(source, over, under);
}

/* Geometric with e^−1, up to an end that needs as many successes in a row. */
static uint64_t draw_geometric(random_source *source) {
  const uint64_t end = UINT64_C(1) << 26;
  uint64_t v = 0;
  while (v < end && bernoulli_exp_below_one(source, 1, 1)) {
    v++;
  }
  return v;
}

/* Canonne, Kamath & Steinke, Algorithm 2: with rate s/t, U uniform below t accepted with e^(−U/t),
 * V geometric with e^−1, ⌊(U + tV)/s⌋. t·V ≤ 2^126. */
wide_integer random_geometric_wide(random_source *source, wide over, wide under) {
  wide u = 0;
  do {
    u = wide_below(source, under);
  } while (!bernoulli_exp_below_one(source, u, under));
  return (under * draw_geometric(source) + u) / over;
}

/* Of that magnitude; a negative zero is refused. */
wide_signed random_discrete_laplace_wide(random_source *source, wide over, wide under) {
  for (;;) {
    const wide size = random_geometric_wide(source, over, under);
    bool negative = random_bits(source) >> 63;
    if (!(negative && size == 0)) {
      return negative ? -(wide_signed)size : (wide_signed)size;
    }
  }
}

int64_t random_discrete_laplace(random_source *source, ratio rate) {
  const wide_signed most = (wide_signed)1 << 62;
  wide_signed y = random_discrete_laplace_wide(source, rate.over, rate.under);
  return (int64_t)(y > most ? most : y < -most ? -most : y);
}

/* Canonne, Kamath & Steinke, Algorithm 3: discrete Laplace of scale s, accepted with
 * e^(−(|y| − s)²/2s²). */
int64_t random_discrete_gaussian(random_source *source) {
  const uint64_t s = UINT64_C(1) << GAUSSIAN_BITS, twice = UINT64_C(1) << (2 * GAUSSIAN_BITS + 1);
  for (;;) {
    const wide_signed y = random_discrete_laplace_wide(source, 1, s);
    const wide_signed size = y < 0 ? -y : y;
    if (size >> 32 == 0) {
      const uint64_t apart = (uint64_t)(size > (wide_signed)s ? size - s : s - size);
      if (random_bernoulli_exp(source, (ratio){apart, 1}, apart, twice)) {
        return (int64_t)y;
      }
    }
  }
}

void random_order(random_source *source, size_t count, size_t *order) {
  for (size_t i = 0; i < count; i++) {
    size_t j = (size_t)random_below(source, i + 1);
    order[i] = order[j];
    order[j] = i;
  }
}
