/* By what the processor answers, not by what its control word says: the bounds rest on the answers.
 * Operands are volatile, so that no compiler computes them beforehand. */
#include "base/arithmetic.h"

#include <fenv.h>
#include <float.h>
#include <stdbool.h>

#if FLT_EVAL_METHOD != 0 || FLT_RADIX != 2 || DBL_MANT_DIG != 53
#error                                                                                             \
    "dperm's error bounds are for IEEE doubles, evaluated as doubles (on 32-bit x86: -mfpmath=sse)"
#endif

static bool rounds_to_nearest(void) {
  volatile double one = 1.0, half_unit = 0x1p-53, more = 0x1.8p-53, third = 3.0;
  double tie = one + half_unit, up = one + more, minus_up = -one - more;
  return fegetround() == FE_TONEAREST && tie == 1.0 && up == 1.0 + 0x1p-52 &&
         minus_up == -1.0 - 0x1p-52 && one / third == 0x1.5555555555555p-2;
}

/* As results and as operands: where operands are flushed, two subnormal numbers compare as equal,
 * so they are compared with normal ones and with zero only. */
static bool keeps_subnormals(void) {
  volatile double smallest_normal = 0x1p-1022, half = 0.5, smallest = 0x1p-1074;
  volatile double halved = smallest_normal * half;
  return halved > 0 && halved + halved == smallest_normal && smallest > 0;
}

bool arithmetic_sound(void) {
  return rounds_to_nearest() && keeps_subnormals();
}

dperm_status arithmetic_check(dperm_error *err) {
  FAIL_IF(
      !arithmetic_sound(), err, DPERM_NUMERIC_ERROR,
      "this program has changed the processor's rounding mode, or has it flush subnormal numbers "
      "to zero; the privacy claim is for IEEE arithmetic, rounded to nearest, so nothing is "
      "released: set it back (fesetround(FE_TONEAREST); flushing often comes with -ffast-math)");
  return DPERM_OK;
}
