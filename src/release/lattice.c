/* Rounding and noise are integers of 128 bits; what follows, to the nearest double, sees released
 * integers only. A double next to k·2^e is a multiple of 2^e too. */
#include "release/numerics.h"

#include <math.h>

#include "base/defect.h"
#include "base/double_double.h"

/* The integer nearest to f + rest in steps of 2^exponent, and whether there is one within 62 bits:
 * scaling is exact, so is the sum of what f leaves and the rest, and a tie goes by the sign of what
 * is left of that. */
static bool nearest_point(double f, double rest, int exponent, wide_signed *out) {
  double scaled = ldexp(f, -exponent), whole = rint(scaled);
  double_double left = two_sum(scaled - whole, ldexp(rest, -exponent));
  double more = rint(left.hi);
  if (fabs(left.hi - more) == 0.5 && left.lo != 0) {
    more = left.hi + copysign(0.5, left.lo);
  }
  if (!(fabs(whole) < 0x1p62 && fabs(more) < 0x1p62)) { /* not a NaN either */
    return false;
  }
  *out = (wide_signed)whole + (wide_signed)more;
  return true;
}

dperm_status release_weights(const release_plan *plan, const solution *from, size_t dims,
                             random_source *source, double *weights, dperm_error *err) {
  /* P(y) ∝ exp(−|y|·over/(under·S)). */
  wide_integer over = plan->epsilon.num.over;
  wide_integer under = (wide_integer)plan->epsilon.num.under * plan->sensitivity;
  for (size_t j = 0; j < dims; j++) {
    wide_signed place = 0;
    if (!nearest_point(from->f[j], from->rest[j], plan->step_exponent, &place)) {
      FAIL(err, DPERM_NUMERIC_ERROR,
           "a weight is not a number on the lattice, against all that was certified; nothing is "
           "released");
    }
    if (!DEFECT("lattice-silent")) {
      place += random_discrete_laplace_wide(source, over, under);
    }
    weights[j] = ldexp((double)place, plan->step_exponent);
  }
  return DPERM_OK;
}
