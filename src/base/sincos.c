/* Eight angles at once. With n the integer next to a·2/π, r = a − n·π/2 in three steps (Cody &
 * Waite): the first two parts of π/2 have 33 bits, so that their products with |n| < 2^20 are exact
 * and the first difference is too; |r| ≤ 0.7855. Then Taylor's series of sin and cos, which leave
 * out less than 2^−58 on that range, exchanged and turned by the quadrant.
 *
 * Errors: r is off by less than 1.5 units of 2^−53·|r|. sin r = r + r³·p rounds twice near its size
 * (below 0.71, units of 2^−53 there are halves) and r³·p, a tenth of it, three times. cos r = 1 −
 * (r²/2 − r⁴·q) rounds by half a unit of 1 and by less of r²/2 ≤ 0.31. Each is within 1.3·2^−53 of
 * sin r and cos r at the r that was computed: so their squares sum to 1 within 2·√2·1.3·2^−53,
 * whatever the error of r; and they are within 4·2^−53 of those of the angle itself. Where n = 0, r
 * is the angle, and sin r is within a relative 2u, as r²·p is small with r. */
#include <math.h>

#include "base/dispatch.h"
#include "base/functions.h"

/* s and c of eight angles, all within ±10^5. */
LANE_INLINE void sincos_lanes(const lanes *angles, lanes *s, lanes *c) {
  const double shift = 0x1.8p52, inverse = 6.36619772367581382433e-01;
  const double first = 1.57079632673412561417e+00, second = 6.07710050630396597660e-11,
               third = 2.02226624879595063154e-21;
  lanes a = *angles, shifted = a * inverse + shift, n = shifted - shift;
  lanes r = ((a - n * first) - n * second) - n * third, square = r * r, less = -square;
  lanes p = less * inverse_factorials[15] + inverse_factorials[13];
  lanes q = less * inverse_factorials[14] + inverse_factorials[12];
  for (int i = 11; i > 1; i -= 2) {
    p = p * less + inverse_factorials[i];
    q = q * less + inverse_factorials[i - 1];
  }
  p = p * less + inverse_factorials[1];
  lanes sin_r = r - (r * square) * p, cos_r = 1.0 - (0.5 * square - (square * square) * q);
  lane_bits quadrant = (lane_bits)shifted; /* its low bits are n */
  lane_bits odd = -(quadrant & 1), below = (quadrant & 2) << 62,
            turned = ((quadrant + 1) & 2) << 62;
  *s = (lanes)((lane_bits)LANES_CHOOSE(odd, cos_r, sin_r) ^ below);
  *c = (lanes)((lane_bits)LANES_CHOOSE(odd, sin_r, cos_r) ^ turned);
}

/* The double next to 2π, by a relative 2^−54: taking turns of it from a far angle amounts to less
 * than half of what the angle's own rounding leaves open. */
static const double two_pi = 6.283185307179586;

/* Whole vectors; `count` is a multiple of LANES. */
FOR_EACH_WIDTH
static void sincos_many(const double *angles, size_t count, double scale, double *cosines,
                        double *sines) {
  for (size_t i = 0; i < count; i += LANES) {
    lanes a, s, c;
    LANES_LOAD(a, angles + i);
    for (size_t j = 0; j < LANES; j++) {
      if (!(fabs(angles[i + j]) <= 1e5)) { /* less whole turns */
        a[j] = fmod(angles[i + j], two_pi);
      }
    }
    sincos_lanes(&a, &s, &c);
    c *= scale;
    s *= scale;
    LANES_STORE(cosines + i, c);
    LANES_STORE(sines + i, s);
  }
}

void math_sincos_scaled(const double *angles, size_t count, double scale, double *cosines,
                        double *sines) {
  size_t whole = count - count % LANES, rest = (count - whole) * sizeof *angles;
  double last[LANES] = {0}, last_cosines[LANES], last_sines[LANES];
  sincos_many(angles, whole, scale, cosines, sines);
  memcpy(last, angles + whole, rest);
  sincos_many(last, LANES, scale, last_cosines, last_sines);
  memcpy(cosines + whole, last_cosines, rest);
  memcpy(sines + whole, last_sines, rest);
}

void math_sincos(double x, double *sine, double *cosine) {
  math_sincos_scaled(&x, 1, 1, cosine, sine);
}
