/* Arithmetic of twice the precision against MPFR: sums and products of doubles are exact, every
 * other operation is within the unit that certificates count with, for exponents far apart, for
 * operands that cancel in their high halves, in both halves or altogether, for zeros and signs. */
#include "base/double_double.h"

#include <math.h>

#include "precise.h"

enum { PAIRS = 100000, WIDE = 2500 }; /* bits that hold every sum below exactly */

/* ---- operands */

/* A double of either sign with an exponent within ±reach, seldom zero or a power of two. */
static double any_double(random_source *r, int reach) {
  int exponent = (int)(random_bits(r) % (uint64_t)(2 * reach + 1)) - reach;
  double mantissa = 1 + random_unit(r), sign = random_bits(r) >> 63 ? -1 : 1;
  switch (random_bits(r) % 64) {
  case 0:
    return 0;
  case 1:
    return sign * ldexp(1, exponent);
  case 2:
    return sign * ldexp(2 - 0x1p-52, exponent);
  default:
    return sign * ldexp(mantissa, exponent);
  }
}

/* With a low half anywhere from nothing to half a unit in the last place of the high one. */
static double_double any_dd(random_source *r, int reach) {
  double hi = any_double(r, reach);
  double lo = hi * 0x1p-53 * (2 * random_unit(r) - 1);
  if (random_bits(r) % 4 == 0) {
    lo = ldexp(lo, -(int)(random_bits(r) % 100));
  }
  return two_sum(hi, random_bits(r) % 16 ? lo : 0);
}

/* One that cancels a: in all, in the high half, or in some leading bits. */
static double_double cancelling(random_source *r, double_double a) {
  switch (random_bits(r) % 4) {
  case 0:
    return (double_double){-a.hi, -a.lo};
  case 1:
    return two_sum(-a.hi, a.hi * 0x1p-53 * (2 * random_unit(r) - 1));
  case 2:
    return two_sum(-a.hi, -a.lo * (1 - 0x1p-40));
  default:
    return two_sum(-a.hi * (1 + ldexp(1, -(int)(random_bits(r) % 60))), a.lo);
  }
}

/* ---- comparison */

typedef struct exact {
  mpfr_t value, got;
} exact;

static void exact_new(exact *e) {
  mpfr_inits2(WIDE, e->value, e->got, (mpfr_ptr)0);
}

static void exact_free(exact *e) {
  mpfr_clears(e->value, e->got, (mpfr_ptr)0);
}

/* |got − value| ≤ units·|value|; both halves in order. Returns the error in units of 2^−106. */
static double check_within(exact *e, double_double got, double units, const char *what) {
  if (!(got.hi + got.lo == got.hi)) {
    fail_msg("%s: halves %a and %a overlap", what, got.hi, got.lo);
  }
  precise_sum(e->got, got.hi, got.lo);
  mpfr_sub(e->got, e->got, e->value, MPFR_RNDN);
  if (mpfr_zero_p(e->got)) {
    return 0;
  }
  assert_false(mpfr_zero_p(e->value)); /* what is zero comes out as zero */
  mpfr_div(e->got, e->got, e->value, MPFR_RNDN);
  double error = fabs(mpfr_get_d(e->got, MPFR_RNDA));
  if (!(error <= units)) {
    fail_msg("%s: %a + %a is off by a relative %g", what, got.hi, got.lo, error);
  }
  return ldexp(error, 106);
}

/* ---- tests */

TEST(sums_and_products_of_doubles_are_exact) {
  exact e;
  random_source r = seeded(1);
  exact_new(&e);
  for (int i = 0; i < PAIRS; i++) {
    double a = any_double(&r, 400), b = i % 2 ? any_double(&r, 400) : a * random_unit(&r);
    mpfr_set_d(e.value, a, MPFR_RNDN);
    mpfr_add_d(e.value, e.value, b, MPFR_RNDN);
    (void)check_within(&e, two_sum(a, b), 0, "two_sum");
    if (fabs(a) >= fabs(b) || a == 0) {
      (void)check_within(&e, quick_two_sum(a, b), 0, "quick_two_sum");
    }
    mpfr_set_d(e.value, a, MPFR_RNDN);
    mpfr_mul_d(e.value, e.value, b, MPFR_RNDN);
    (void)check_within(&e, two_product(a, b), 0, "two_product");
  }
  exact_free(&e);
}

static void sum(random_source *r, int i, exact *e, double_double *got) {
  int reach = i % 4 == 0 ? 2 : i % 4 == 1 ? 60 : 400;
  double_double a = any_dd(r, reach);
  double_double b = i % 4 == 3 ? cancelling(r, a) : any_dd(r, reach);
  precise_sum(e->value, a.hi, a.lo);
  mpfr_add_d(e->value, e->value, b.hi, MPFR_RNDN);
  mpfr_add_d(e->value, e->value, b.lo, MPFR_RNDN);
  *got = dd_add(a, b);
}

static void product(random_source *r, int i, exact *e, double_double *got) {
  int reach = i % 2 ? 2 : 400;
  double_double a = any_dd(r, reach);
  double b = any_double(r, reach);
  precise_sum(e->value, a.hi, a.lo);
  mpfr_mul_d(e->value, e->value, b, MPFR_RNDN);
  *got = dd_scale(a, b);
}

static void quotient(random_source *r, int i, exact *e, double_double *got) {
  int reach = i % 2 ? 2 : 400;
  double_double a = any_dd(r, reach);
  double b = i % 4 ? any_double(r, reach) : 1 + (double)(random_bits(r) % 2000000000);
  b = b != 0 ? b : 1;
  precise_sum(e->value, a.hi, a.lo);
  mpfr_div_d(e->value, e->value, b, MPFR_RNDN);
  *got = dd_divide(a, b);
}

TEST(every_operation_is_within_the_unit) {
  static const struct {
    const char *name;
    void (*make)(random_source *r, int i, exact *e, double_double *got);
    int pairs;
  } operations[] = {{"dd_add", sum, 4 * PAIRS},
                    {"dd_scale", product, 2 * PAIRS},
                    {"dd_divide", quotient, 2 * PAIRS}};
  random_source r;
  exact e;
  exact_new(&e);
  for (size_t k = 0; k < 3; k++) {
    double most = 0;
    assert_ok(random_seeded(2 + k, &r, err));
    for (int i = 0; i < operations[k].pairs; i++) {
      double_double got;
      operations[k].make(&r, i, &e, &got);
      most = fmax(most, check_within(&e, got, DD_UNIT, operations[k].name));
    }
    print_message("# %s: %.2f u²\n", operations[k].name, most);
  }
  exact_free(&e);
}

/* Ten thousand terms that all but cancel: within their number of units of what was added up. */
TEST(long_sums_are_within_their_length) {
  enum { TERMS = 10000 };
  exact e;
  double_double sum = {0, 0};
  double size = 0;
  random_source r = seeded(5);
  exact_new(&e);
  mpfr_set_zero(e.value, 1);
  for (int i = 0; i < TERMS; i++) {
    double_double term = any_dd(&r, 30);
    if (i % 2) {
      term = (double_double){-sum.hi * (1 - 0x1p-30), term.lo * 0x1p-60};
    }
    sum = dd_add(sum, term);
    mpfr_add_d(e.value, e.value, term.hi, MPFR_RNDN);
    mpfr_add_d(e.value, e.value, term.lo, MPFR_RNDN);
    size += fabs(term.hi);
  }
  precise_sum(e.got, sum.hi, sum.lo);
  mpfr_sub(e.got, e.got, e.value, MPFR_RNDN);
  assert_true(fabs(mpfr_get_d(e.got, MPFR_RNDA)) <= TERMS * DD_UNIT * size);
  exact_free(&e);
}

/* What is not a number shows: a certificate must not take it for one. */
TEST(what_is_not_a_number_stays_so) {
  const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  const double_double one = {1, 0x1p-60};
  for (int i = 0; i < 3; i++) {
    double_double a = {bad[i], 0};
    assert_true(!isfinite(dd_add(one, a).hi));
    assert_true(!isfinite(dd_add(a, one).hi));
    assert_true(!isfinite(dd_scale(a, 2).hi));
    assert_true(!isfinite(dd_scale(one, bad[i]).hi));
    assert_true(!isfinite(dd_divide(a, 2).hi));
  }
}
