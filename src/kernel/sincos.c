/* Eight angles at once. With n the integer next to a·2/π, r = a − n·π/2 in three steps (Cody &
 * Waite): the first two parts of π/2 have 33 bits, so that their products with |n| < 2^20 are exact
 * and the first difference is too; |r| ≤ 0.7855. Then the polynomials of fdlibm for sin and cos on
 * that range, each within 2^−58 of the function, exchanged and turned by the quadrant.
 *
 * Errors: r is off by less than 1.5 units of 2^−53·|r|. sin r = r + r³·p rounds twice near its size
 * (below 0.71, units of 2^−53 there are halves) and r³·p, a tenth of it, three times. cos r = 1 −
 * (r²/2 − r⁴·q) rounds by half a unit of 1 and by less of r²/2 ≤ 0.31. Each is within 1.3·2^−53 of
 * sin r and cos r at the r that was computed: so their squares sum to 1 within 2·√2·1.3·2^−53,
 * whatever the error of r; and they are within 4·2^−53 of those of the angle itself. */
#define _GNU_SOURCE
#include <math.h>

#include "base/dispatch.h"
#include "kernel/features.h"

static const double sine[] = {-1.66666666666666324348e-01, 8.33333333332248946124e-03,
                              -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                              -2.50507602534068634195e-08, 1.58969099521155010221e-10};
static const double cosine[] = {4.16666666666666019037e-02, -1.38888888888741095749e-03,
                                2.48015872894767294178e-05, -2.75573143513906633035e-07,
                                2.08757232129817482790e-09, -1.13596475577881948265e-11};

/* s and c of eight angles, all within ±10^5. */
LANE_INLINE void sincos_lanes(const lanes *angles, lanes *s, lanes *c) {
  const double shift = 0x1.8p52, inverse = 6.36619772367581382433e-01;
  const double first = 1.57079632673412561417e+00, second = 6.07710050630396597660e-11,
               third = 2.02226624879595063154e-21;
  lanes a = *angles, shifted = a * inverse + shift, n = shifted - shift;
  lanes r = ((a - n * first) - n * second) - n * third, square = r * r;
  lanes p = square * sine[5] + sine[4], q = square * cosine[5] + cosine[4];
  for (int i = 3; i >= 0; i--) {
    p = p * square + sine[i];
    q = q * square + cosine[i];
  }
  lanes sin_r = r + (r * square) * p, cos_r = 1.0 - (0.5 * square - (square * square) * q);
  lane_bits quadrant = (lane_bits)shifted; /* its low bits are n */
  lane_bits odd = -(quadrant & 1), below = (quadrant & 2) << 62,
            turned = ((quadrant + 1) & 2) << 62;
  *s = (lanes)((lane_bits)LANES_CHOOSE(odd, cos_r, sin_r) ^ below);
  *c = (lanes)((lane_bits)LANES_CHOOSE(odd, sin_r, cos_r) ^ turned);
}

/* Whole vectors; `count` is a multiple of LANES. */
FOR_EACH_WIDTH
static void sincos_many(const double *angles, size_t count, double scale, double *cosines,
                        double *sines) {
  for (size_t i = 0; i < count; i += LANES) {
    lanes a, s, c;
    LANES_LOAD(a, angles + i);
    sincos_lanes(&a, &s, &c);
    for (size_t j = 0; j < LANES; j++) {
      if (!(fabs(angles[i + j]) <= 1e5)) { /* out of range */
        double far_s = 0, far_c = 0;
        sincos(angles[i + j], &far_s, &far_c);
        s[j] = far_s;
        c[j] = far_c;
      }
    }
    c *= scale;
    s *= scale;
    LANES_STORE(cosines + i, c);
    LANES_STORE(sines + i, s);
  }
}

void sincos_scaled(const double *angles, size_t count, double scale, double *cosines,
                   double *sines) {
  size_t whole = count - count % LANES, rest = (count - whole) * sizeof *angles;
  double last[LANES] = {0}, last_cosines[LANES], last_sines[LANES];
  sincos_many(angles, whole, scale, cosines, sines);
  memcpy(last, angles + whole, rest);
  sincos_many(last, LANES, scale, last_cosines, last_sines);
  memcpy(cosines + whole, last_cosines, rest);
  memcpy(sines + whole, last_sines, rest);
}
