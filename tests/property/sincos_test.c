/* Cosines and sines of random features against MPFR: within 2^−52 where 2^−51 is claimed, up to
 * 10^5 and those of an angle within 2^−53 of itself beyond, squares that sum to 1 for every angle,
 * and bits that do not depend on the neighbours. */
#include "base/functions.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "random/random_source.h"
#include "support.h"

enum { POINTS = 40000 };

static double some_angle(random_source *r, int i) {
  double sign = random_bits(r) >> 63 ? -1 : 1;
  switch (i % 5) {
  case 0: /* near a multiple of π/4, by a few units in the last place or so */
    return sign * (double)(random_bits(r) % 120000) * 0.785398163397448309616 *
           (1 + (random_unit(r) - 0.5) * ldexp(1, -(int)(random_bits(r) % 52)));
  case 1:
    return sign * random_unit(r);
  case 2:
    return sign * ldexp(1 + random_unit(r), -(int)(random_bits(r) % 1000));
  case 3:
    return sign * 1e5 * random_unit(r);
  default:
    return sign * 20 * random_unit(r);
  }
}

/* Less what the angle's own rounding leaves open, where it is far. */
static double error_of(double found, int (*exact)(mpfr_t, mpfr_srcptr, mpfr_rnd_t), double angle) {
  mpfr_t t;
  mpfr_init2(t, 200);
  mpfr_set_d(t, angle, MPFR_RNDN);
  exact(t, t, MPFR_RNDN);
  mpfr_sub_d(t, t, found, MPFR_RNDN);
  double error = fabs(mpfr_get_d(t, MPFR_RNDA));
  mpfr_clear(t);
  return error - (fabs(angle) > 1e5 ? fabs(angle) * 0x1p-53 : 0);
}

TEST(waves_are_close_to_cos_and_sin) {
  double *angles = calloc(POINTS, sizeof *angles), *c = calloc(POINTS, sizeof *c),
         *s = calloc(POINTS, sizeof *s), worst = 0, longest = 0;
  assert_true(angles && c && s);
  random_source r = seeded(1);
  for (int i = 0; i < POINTS; i++) {
    angles[i] = some_angle(&r, i);
  }
  math_sincos_scaled(angles, POINTS, 1.0, c, s);
  for (int i = 0; i < POINTS; i++) {
    worst = fmax(worst, error_of(c[i], mpfr_cos, angles[i]));
    worst = fmax(worst, error_of(s[i], mpfr_sin, angles[i]));
    long double square = (long double)c[i] * c[i] + (long double)s[i] * s[i];
    longest = fmax(longest, fabs((double)(square - 1)));
  }
  print_message("# errors of at most %.3f of 2^-52, squares off 1 by %.3f of 2^-50\n",
                worst * 0x1p52, longest * 0x1p50);
  assert_true(worst <= 0x1p-52 && longest <= 0x1p-50 * 0.8);
  free(angles);
  free(c);
  free(s);
}

/* Huge angles, zeros and what is not a number, each among others and alone. */
TEST(neighbours_do_not_matter) {
  random_source r = seeded(2);
  for (int round = 0; round < 3000; round++) {
    double angles[13], c[13], s[13];
    size_t count = 1 + random_bits(&r) % 13;
    for (size_t i = 0; i < count; i++) {
      uint64_t kind = random_bits(&r) % 12;
      angles[i] = kind == 0   ? 1e300 * random_unit(&r)
                  : kind == 1 ? (double)NAN
                  : kind == 2 ? (double)INFINITY
                  : kind == 3 ? 1e5 * (1 + 0x1p-50)
                              : some_angle(&r, (int)kind);
    }
    math_sincos_scaled(angles, count, 0.3, c, s);
    for (size_t i = 0; i < count; i++) {
      double alone[2];
      math_sincos_scaled(&angles[i], 1, 0.3, &alone[0], &alone[1]);
      if (isnan(angles[i]) || isinf(angles[i])) {
        assert_true(isnan(c[i]) && isnan(s[i]) && isnan(alone[0]) && isnan(alone[1]));
        continue;
      }
      assert_true(c[i] == alone[0] && s[i] == alone[1]);
    }
  }
}
