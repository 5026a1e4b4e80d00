/* Squares of doubles are whole multiples of 2^−2148, so a sum of them is one long integer, which is
 * compared without any rounding. */
#include "exact_norm.h"

#include <math.h>

#include "support.h"

__extension__ typedef unsigned __int128 wide;

/* Σ v² in units of 2^−2148. The largest square is below 2^2048, so 4196 bits and some carries. */
enum { LIMBS = 67 };
typedef struct exact {
  uint64_t limb[LIMBS];
} exact;

static void add_square(exact *sum, double v) {
  int exponent = 0;
  double fraction = frexp(fabs(v), &exponent); /* v = fraction·2^exponent, fraction < 1 */
  uint64_t mantissa = (uint64_t)ldexp(fraction, 53);
  int shift = exponent - 53;
  while (mantissa != 0 && shift < -1074) { /* subnormal: its low bits are zeros */
    assert_true(mantissa % 2 == 0);
    mantissa /= 2;
    shift++;
  }
  if (mantissa == 0) {
    return;
  }
  wide square = (wide)mantissa * mantissa;
  size_t bits = (size_t)(2 * shift + 2148), at = bits / 64, offset = bits % 64;
  uint64_t parts[3] = {(uint64_t)(square << offset), (uint64_t)((square << offset) >> 64),
                       offset ? (uint64_t)(square >> (128 - offset)) : 0};
  unsigned carry = 0;
  for (size_t i = 0; i < 3 || carry; i++) {
    assert_true(at + i < LIMBS);
    wide total = (wide)sum->limb[at + i] + (i < 3 ? parts[i] : 0) + carry;
    sum->limb[at + i] = (uint64_t)total;
    carry = (unsigned)(total >> 64);
  }
}

static exact sum_of_squares(const double *values, size_t count) {
  exact sum = {{0}};
  for (size_t i = 0; i < count; i++) {
    add_square(&sum, values[i]);
  }
  return sum;
}

int compare_norm(const double *values, size_t count, double bound) {
  exact sum = sum_of_squares(values, count), limit = sum_of_squares(&bound, 1);
  for (size_t i = LIMBS; i-- > 0;) {
    if (sum.limb[i] != limit.limb[i]) {
      return sum.limb[i] < limit.limb[i] ? -1 : 1;
    }
  }
  return 0;
}
