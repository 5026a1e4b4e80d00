/* Rationals by GMP. Doubles have at most 2,100 binary places in all, so nothing here grows. */
#include "verify/exact.h"

#include <gmp.h>
#include <math.h>
#include <mpfr.h>

static void set_sum(mpq_t sum, double a, unsigned long k, double b) {
  mpq_t times;
  mpq_init(times);
  mpq_set_d(sum, b);
  mpq_set_ui(times, k, 1);
  mpq_mul(sum, sum, times);
  mpq_set_d(times, a);
  mpq_add(sum, sum, times);
  mpq_clear(times);
}

bool exact_sum_at_most(double a, unsigned long k, double b, double bound) {
  mpq_t sum, limit;
  mpq_inits(sum, limit, (mpq_ptr)NULL);
  set_sum(sum, a, k, b);
  mpq_set_d(limit, bound);
  bool holds = mpq_cmp(sum, limit) <= 0;
  mpq_clears(sum, limit, (mpq_ptr)NULL);
  return holds;
}

double exact_sum_upper(double a, unsigned long k, double b) {
  mpq_t sum;
  mpfr_t rounded;
  mpq_init(sum);
  mpfr_init2(rounded, 53);
  set_sum(sum, a, k, b);
  (void)mpfr_set_q(rounded, sum, MPFR_RNDU);
  double upper = mpfr_get_d(rounded, MPFR_RNDU);
  mpfr_clear(rounded);
  mpq_clear(sum);
  return upper;
}

bool exact_lattice_covers(uint64_t s, uint64_t d, double tau, double g) {
  if (s < d) {
    return false;
  }
  mpq_t slack, step, need, dims;
  mpq_inits(slack, step, need, dims, (mpq_ptr)NULL);
  mpq_set_d(slack, (double)(s - d + 1));
  mpq_set_d(step, g);
  mpq_mul(slack, slack, step);
  mpq_mul(slack, slack, slack);
  mpq_set_d(need, tau);
  mpq_mul(need, need, need);
  mpq_set_d(dims, (double)d);
  mpq_mul(need, need, dims);
  bool holds = mpq_cmp(slack, need) > 0;
  mpq_clears(slack, step, need, dims, (mpq_ptr)NULL);
  return holds;
}

bool exact_has_bits(double value, int bits) {
  int exponent = 0;
  double scaled = ldexp(frexp(value, &exponent), bits);
  return scaled == floor(scaled);
}

bool exact_is_power_of_two(double value) {
  int exponent = 0;
  return frexp(value, &exponent) == 0.5;
}

bool exact_is_multiple(double value, double step) {
  return fmod(value, step) == 0; /* fmod is exact */
}
