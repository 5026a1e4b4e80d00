/* Numbers between two others: every operation rounds its lower end down and its upper end up, at
 * 256 bits, so what an interval shows is proved and not merely computed. Where nothing can be said
 * (a division by what may be zero, an overflow) the result is the whole line, and no comparison
 * with it holds. Intervals are plain values: they are copied, and nothing has to be released. */
#pragma once

#include <mpfr.h>
#include <stdbool.h>

enum { INTERVAL_BITS = 256 };

typedef struct interval {
  mpfr_t low, high; /* over `digits`, as of the last operation: only interval.c looks at them */
  mp_limb_t digits[2][INTERVAL_BITS / GMP_NUMB_BITS];
} interval;

interval interval_of(double value);
/* Of a decimal number; the whole line for any other text. */
interval interval_of_text(const char *decimal);
interval interval_add(interval a, interval b);
interval interval_sub(interval a, interval b);
interval interval_mul(interval a, interval b);
/* The divisor must be above zero. */
interval interval_div(interval a, interval b);
interval interval_log1p(interval a);
interval interval_exp(interval a);
interval interval_erfc(interval a);
/* Of what is not below zero. */
interval interval_sqrt(interval a);
interval interval_min(interval a, interval b);
interval interval_max(interval a, interval b);

/* Certainly a ≤ b; a is b up to this part of b, which is above 0; certainly a > 0. */
bool interval_at_most(interval a, interval b);
bool interval_near(interval a, interval b, double part);
bool interval_above_zero(interval a);
/* The ends as doubles, rounded outwards. */
double interval_lower(interval a);
double interval_upper(interval a);
