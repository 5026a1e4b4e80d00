/* See interval.h. MPFR rounds each operation correctly in the direction asked for. Its numbers
 * point to their digits; a copy's digits have moved with it, which `bounded` tells MPFR first
 * ("custom interface" in its manual). */
#include "verify/interval.h"

#include <math.h>

static bool bounded(interval *a) {
  mpfr_custom_move(a->low, a->digits[0]);
  mpfr_custom_move(a->high, a->digits[1]);
  return mpfr_number_p(a->low) && mpfr_number_p(a->high);
}

static void open_line(interval *a) {
  mpfr_custom_init_set(a->low, -MPFR_INF_KIND, 0, INTERVAL_BITS, a->digits[0]);
  mpfr_custom_init_set(a->high, MPFR_INF_KIND, 0, INTERVAL_BITS, a->digits[1]);
}

/* Every result passes here: what left the range of finite numbers says nothing any more. */
static interval settled(interval *a) {
  if (!bounded(a)) {
    open_line(a);
  }
  return *a;
}

/* An infinite value makes the whole line. */
interval interval_of(double value) {
  interval a = {0};
  open_line(&a);
  (void)mpfr_set_d(a.low, value, MPFR_RNDD);
  (void)mpfr_set_d(a.high, value, MPFR_RNDU);
  return settled(&a);
}

interval interval_of_text(const char *decimal) {
  interval a = {0};
  open_line(&a);
  if (mpfr_set_str(a.low, decimal, 10, MPFR_RNDD) != 0 ||
      mpfr_set_str(a.high, decimal, 10, MPFR_RNDU) != 0) {
    open_line(&a);
  }
  return settled(&a);
}

typedef int binary(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

/* A function that rises with `a`, and with `b` or, if `falls`, with −b. */
static interval combined(interval a, interval b, binary *function, bool falls) {
  interval result = {0};
  open_line(&result);
  if (bounded(&a) && bounded(&b)) {
    (void)function(result.low, a.low, falls ? b.high : b.low, MPFR_RNDD);
    (void)function(result.high, a.high, falls ? b.low : b.high, MPFR_RNDU);
  }
  return settled(&result);
}

#define COMBINED(name, falls)                                                                      \
  interval interval_##name(interval a, interval b) {                                               \
    return combined(a, b, mpfr_##name, falls);                                                     \
  }
COMBINED(add, false)
COMBINED(sub, true)
COMBINED(min, false)
COMBINED(max, false)

/* The least and the largest product of two ends. */
interval interval_mul(interval a, interval b) {
  if (!bounded(&a) || !bounded(&b)) {
    return interval_of(INFINITY);
  }
  interval product = {0}, corner = {0};
  open_line(&product);
  open_line(&corner);
  for (int i = 0; i < 4; i++) {
    mpfr_srcptr x = i & 1 ? a.high : a.low, y = i & 2 ? b.high : b.low;
    (void)mpfr_mul(corner.low, x, y, MPFR_RNDD);
    (void)mpfr_mul(corner.high, x, y, MPFR_RNDU);
    (void)mpfr_min(product.low, i ? product.low : corner.low, corner.low, MPFR_RNDD);
    (void)mpfr_max(product.high, i ? product.high : corner.high, corner.high, MPFR_RNDU);
  }
  return settled(&product);
}

interval interval_div(interval a, interval b) {
  interval divisor = interval_above_zero(b) ? b : interval_of(INFINITY);
  return interval_mul(a, combined(interval_of(1), divisor, mpfr_div, true));
}

/* A function that is defined at both ends, and rises, or falls, between them. */
static interval monotone(interval a, int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t),
                         bool falls) {
  interval result = {0};
  open_line(&result);
  if (bounded(&a)) {
    (void)function(result.low, falls ? a.high : a.low, MPFR_RNDD);
    (void)function(result.high, falls ? a.low : a.high, MPFR_RNDU);
  }
  return settled(&result);
}

/* Outside their domains MPFR gives NaN, which is not bounded, or −∞: the whole line. */
#define MONOTONE(name, falls)                                                                      \
  interval interval_##name(interval a) {                                                           \
    return monotone(a, mpfr_##name, falls);                                                        \
  }
MONOTONE(log1p, false)
MONOTONE(exp, false)
MONOTONE(erfc, true)
MONOTONE(sqrt, false)

bool interval_at_most(interval a, interval b) {
  return bounded(&a) && bounded(&b) && mpfr_lessequal_p(a.high, b.low);
}

bool interval_near(interval a, interval b, double part) {
  const interval slack = interval_mul(b, interval_of(part));
  return interval_at_most(a, interval_add(b, slack)) && interval_at_most(interval_sub(b, slack), a);
}

bool interval_above_zero(interval a) {
  return bounded(&a) && mpfr_sgn(a.low) > 0;
}

double interval_lower(interval a) {
  (void)bounded(&a);
  return mpfr_get_d(a.low, MPFR_RNDD);
}

double interval_upper(interval a) {
  (void)bounded(&a);
  return mpfr_get_d(a.high, MPFR_RNDU);
}
