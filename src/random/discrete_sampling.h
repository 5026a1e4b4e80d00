/* Random choices made with integers only: no rounding stands between the law on paper and the law
 * that runs (Canonne, Kamath & Steinke 2020; privacy.md 7). */
#pragma once

#include "random/random_source.h"

__extension__ typedef unsigned __int128 wide_integer;
__extension__ typedef __int128 wide_signed;

/* A nonnegative rational number. */
typedef struct ratio {
  uint64_t over, under; /* under > 0 */
} ratio;

/* `value` ≥ 0 rounded down to 20 significant bits (and to a multiple of 2^-63), so
 * that products with counts fit in 128 bits. */
ratio ratio_below(double value);
double ratio_value(ratio r);

/* Uniform on 0, …, bound − 1 by rejection. bound > 0. */
uint64_t random_below(random_source *source, uint64_t bound);
/* True with probability over/under exactly; over ≤ under. */
bool random_bernoulli(random_source *source, wide_integer over, wide_integer under);
/* True with probability exp(−rate·count/divisor) exactly; rate.under·divisor is below 2^100. */
bool random_bernoulli_exp(random_source *source, ratio rate, uint64_t count, uint64_t divisor);
/* Geometric: P(k) ∝ exp(−k·over/under) for k ≥ 0, exactly, as below. */
wide_integer random_geometric_wide(random_source *source, wide_integer over, wide_integer under);
/* Discrete Laplace: P(y) ∝ exp(−|y|·over/under), exactly. over > 0 and 0 < under ≤ 2^100; |y| stays
 * below 2^127 since magnitudes end at 2^26·under/over, an event of probability e^(−2^26). */
wide_signed random_discrete_laplace_wide(random_source *source, wide_integer over,
                                         wide_integer under);
/* The same with P(y) ∝ exp(−rate·|y|), held within ±2^62; rate > 0. */
int64_t random_discrete_laplace(random_source *source, ratio rate);
/* Discrete gaussian: P(y) ∝ exp(−y²/2s²) exactly, s = 2^GAUSSIAN_BITS, but for what lies beyond
 * ±2^32, an event of probability below e^−2000. */
enum { GAUSSIAN_BITS = 26 };
int64_t random_discrete_gaussian(random_source *source);
/* A uniformly random order of 0, …, count − 1 (Fisher & Yates). */
void random_order(random_source *source, size_t count, size_t *order);
