/* a·b + c rounded once, for processors without an instruction for it, eight at a time: so products
 * of matrices have the same bits on all of them (matrix/gemm_block.c). The sum of the exact
 * product's halves and c is rounded to odd before the last addition, so that nothing is rounded
 * twice (Boldo & Melquiond 2008, "Emulation of a FMA and correctly rounded sums", section 3). */
#pragma once

#include <math.h>

#include "base/dispatch.h"

#define LANES_SIZE(x) ((lanes)((lane_bits)(x)&INT64_MAX))

/* a + b = *sum + *rest exactly. */
LANE_INLINE void lanes_two_sum(const lanes *a, const lanes *b, lanes *sum, lanes *rest) {
  lanes s = *a + *b, t = s - *a;
  *rest = (*a - (s - t)) + (*b - t);
  *sum = s;
}

/* *c += a·b. Marks lanes in *outside whose numbers are outside of what the proof is for, where the
 * result means nothing: factors beyond 2^500 or no numbers, a sum beyond 2^1000, and a product
 * other than zero below 2^−900. A c of −0 may count as 0. */
LANE_INLINE void lanes_fuse(const lanes *a, const lanes *b, lanes *c, lane_bits *outside) {
  const double splitter = 134217729.0; /* 2^27 + 1 */
  const lanes x = *a * splitter, y = *b * splitter, high = *a * *b;
  const lanes a1 = x - (x - *a), b1 = y - (y - *b), a2 = *a - a1, b2 = *b - b1;
  const lanes low = ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2;
  *outside |=
      ~((LANES_SIZE(*a) <= 0x1p500) & (LANES_SIZE(*b) <= 0x1p500) & (LANES_SIZE(*c) <= 0x1p1000)) |
      ((LANES_SIZE(high) < 0x1p-900) & (*a != 0) & (*b != 0));
  lanes t, t_rest, sum, sum_rest, odd, odd_rest;
  lanes_two_sum(c, &low, &t, &t_rest);
  lanes_two_sum(&high, &t, &sum, &sum_rest);
  lanes_two_sum(&t_rest, &sum_rest, &odd, &odd_rest);
  /* away from zero where the rest goes there, else towards it, if anything is left and odd is even
   */
  const lane_bits up = (odd_rest > 0) == (odd > 0), step = up * -2 - 1;
  odd = (lanes)((lane_bits)odd + (step & (odd_rest != 0) & ~-((lane_bits)odd & 1)));
  *c = sum + odd;
}
