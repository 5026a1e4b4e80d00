/* What the two smooth hinges share: they are max(0, 1 − z) where |1 − z| > h, and differ in the
 * piece between. Both are functions of the gap 1 − z. It is formed in twice the precision and
 * rounded once: near the corners, where the slope turns fast, the gap is small and so is its
 * rounding error.
 */
#pragma once

#include <math.h>

#include "loss/loss_simd.h"

/* The value at a gap, `smooth` the one of the piece between. */
static inline double hinge_value(double h, double gap, double smooth) {
  return gap > h ? gap : gap >= -h ? smooth : isnan(gap) ? gap : 0.0;
}

/* Of eight margins. `within` is the gap held between ±h, where the formula of the smooth piece does
 * for all pieces: at the ends it has the slope of the hinge, exactly. A NaN stays one. */
LANE_INLINE void hinge_gaps(double h, const double *z, const double *rest, lanes *gap,
                            lanes *within) {
  lanes margin, low, zero = {0};
  LANES_LOAD(margin, z);
  lanes s = 1.0 - margin;
  if (rest) { /* two_sum(1, −z) */
    lanes t = s - 1.0;
    LANES_LOAD(low, rest);
    s += ((1.0 - (s - t)) + (-margin - t)) - low;
  }
  *gap = s;
  *within = LANES_WITHIN(s, zero - h, zero + h);
}
