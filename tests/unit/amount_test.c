/* Exact decimals: what is written comes back, ten tenths are one, what does not fit is refused; and
 * the promise that a charge covers what a fit uses, by rational arithmetic. */
#include <gmp.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "ledger/amount.h"
#include "privacy/guarantee.h"
#include "release/numerics.h"
#include "support.h"

static amount parsed(const char *text) {
  amount a;
  if (!amount_parse(text, &a)) {
    fail_msg("\"%s\" is an amount", text);
  }
  return a;
}

static void assert_text(const amount *a, const char *expected) {
  char text[DPERM_AMOUNT_SIZE];
  amount_text(a, text);
  assert_string_equal(text, expected);
}

TEST(decimals_have_one_way_to_be_written) {
  static const char *const pairs[][2] = {{"1", "1"},
                                         {"0", "0"},
                                         {"0.10", "0.1"},
                                         {".5", "0.5"},
                                         {"5.", "5"},
                                         {"007.250", "7.25"},
                                         {"1e3", "1000"},
                                         {"2.5E-3", "0.0025"},
                                         {"1e+2", "100"},
                                         {"0e99999", "0"},
                                         {"12.5e1", "125"},
                                         {"9999999999", "9999999999"},
                                         {"1e-30", "0.000000000000000000000000000001"},
                                         {"0.00000000000000000000100e20", "0.1"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    amount a = parsed(pairs[i][0]);
    assert_text(&a, pairs[i][1]);
  }
}

TEST(what_is_no_amount_is_refused) {
  static const char *const texts[] = {
      "",  "-1", "+1", "1,5",   "0x1",  "nan",    "inf",         "1e",   "1e+",          "e5",
      ".", "1 ", " 1", "1.2.3", "1e5x", "1e-111", "10000000000", "1e10", "1e99999999999"};
  amount a;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (amount_parse(texts[i], &a)) {
      fail_msg("\"%s\" is no amount", texts[i]);
    }
  }
  assert_true(amount_parse("1e-110", &a));
}

TEST(ten_tenths_are_one) {
  amount sum = parsed("0"), tenth, one = parsed("1"), most = parsed("9999999999");
  assert_true(amount_of_double(0.1, &tenth));
  assert_text(&tenth, "0.1");
  for (int i = 0; i < 10; i++) {
    assert_true(amount_compare(&sum, &one) < 0);
    assert_true(amount_add(&sum, &tenth, &sum));
  }
  assert_int_equal(amount_compare(&sum, &one), 0);
  amount_subtract(&one, &tenth, &sum);
  assert_text(&sum, "0.9");
  assert_false(amount_add(&most, &one, &sum));
}

TEST(doubles_become_their_shortest_decimal) {
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0.1, "0.1"},
               {1, "1"},
               {0.25, "0.25"},
               {1.0 / 3, "0.3333333333333333"},
               {1e-6, "0.000001"},
               {123456, "123456"},
               {0, "0"},
               {0x1p-40, "0.0000000000009094947017729282379150390625"}}; /* few bits: exactly */
  amount a;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_true(amount_of_double(cases[i].value, &a));
    assert_text(&a, cases[i].text);
  }
  assert_false(amount_of_double(-1, &a));
  assert_false(amount_of_double((double)NAN, &a));
  assert_false(amount_of_double((double)INFINITY, &a));
  assert_false(amount_of_double(1e11, &a));
}

TEST(brief_texts_are_for_people) {
  static const char *const pairs[][2] = {
      {"0.25", "0.25"},
      {"1e-30", "1e-30"},
      {"9.8534443761603e-44", "9.85e-44"},
      {"1234567890.12345678901234567890", "1234567890.123456789"}};
  char text[DPERM_AMOUNT_SIZE];
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    amount a = parsed(pairs[i][0]);
    amount_brief(&a, text);
    assert_string_equal(text, pairs[i][1]);
  }
}

/* ---- a charge covers what runs */

static void set_amount(mpq_t out, double value) {
  amount a;
  char text[DPERM_AMOUNT_SIZE];
  assert_true(amount_of_double(value, &a));
  amount_text(&a, text);
  char *point = strchr(text, '.');
  size_t places = point ? strlen(point + 1) : 0;
  if (point) {
    memmove(point, point + 1, places + 1);
  }
  assert_int_equal(mpz_set_str(mpq_numref(out), text, 10), 0);
  mpz_ui_pow_ui(mpq_denref(out), 10, places);
  mpq_canonicalize(out);
}

/* Random doubles with few or many bits, and decimals as people write them. */
static double some_epsilon(random_source *r, int i) {
  if (i % 3 == 0) {
    return ldexp((double)(1 + random_bits(r) % (1 << 20)), -20 - (int)(random_bits(r) % 24));
  }
  if (i % 3 == 1) {
    char text[16];
    double value = 0;
    (void)snprintf(text, sizeof text, "0.%04u", 1 + (unsigned)(random_bits(r) % 9999));
    (void)parse_double(slice_of(text), &value);
    return value;
  }
  return ldexp(1 + random_unit(r), (int)(random_bits(r) % 12) - 9);
}

TEST(a_charge_covers_what_a_fit_uses) {
  random_source r;
  mpq_t charged, used, part;
  mpq_inits(charged, used, part, (mpq_ptr)NULL);
  assert_ok(random_seeded(1, &r, err));
  for (int i = 0; i < 30000; i++) {
    double epsilon = some_epsilon(&r, i);
    epsilon_split split = epsilon_divide(epsilon);
    set_amount(charged, epsilon);
    mpq_set_d(used, split.core);
    mpq_set_d(part, 2 * ratio_value(split.num));
    mpq_add(used, used, part);
    assert_true(mpq_cmp(used, charged) <= 0);
    mpq_set_d(used, ratio_value(ratio_below(epsilon))); /* a score, a choice among portions */
    assert_true(mpq_cmp(used, charged) <= 0);
    mpq_set_d(used, 3 * ratio_value(ratio_below(epsilon / 3))); /* rounds of random stopping */
    assert_true(mpq_cmp(used, charged) <= 0);
  }
  mpq_clears(charged, used, part, (mpq_ptr)NULL);
}

/* Of a run that divides epsilon, refinement, choice of a temperature and all fits together. */
TEST(a_charge_covers_all_parts_of_a_run) {
  random_source r;
  mpq_t charged, used, part;
  mpq_inits(charged, used, part, (mpq_ptr)NULL);
  assert_ok(random_seeded(3, &r, err));
  for (int i = 0; i < 30000; i++) {
    double epsilon = some_epsilon(&r, i), schema = random_unit(&r), choice = random_unit(&r) / 2;
    private_run run = {.epsilon = epsilon,
                       .rows_per_person = i % 3 ? 1 : 1 + (size_t)(random_bits(&r) % 50),
                       .classes = 2 + (size_t)(random_bits(&r) % (i % 2 ? 1 : 30)),
                       .refined = i % 5 ? schema * epsilon : 0,
                       .refined_before = i % 7 == 0,
                       .calibrated = i % 4 ? choice * (1 - schema) * epsilon : 0};
    const guarantee g = guarantee_of_run(&run);
    const epsilon_split split = epsilon_divide(g.epsilon_class);
    set_amount(charged, g.epsilon_charged);
    mpq_set_d(used, split.core);
    mpq_set_d(part, 2 * ratio_value(split.num));
    mpq_add(used, used, part);
    mpq_set_ui(part, run.rows_per_person * (run.classes > 2 ? run.classes : 1), 1);
    mpq_mul(used, used, part);
    mpq_set_d(part, run.calibrated);
    mpq_add(used, used, part);
    mpq_set_d(part, run.refined_before ? 0 : run.refined); /* that has a charge of its own */
    mpq_add(used, used, part);
    if (mpq_cmp(used, charged) > 0) {
      fail_msg("epsilon %.17g, of which %.17g and %.17g are taken: the fit uses more than the rest",
               epsilon, run.refined, run.calibrated);
    }
  }
  mpq_clears(charged, used, part, (mpq_ptr)NULL);
}

TEST(rows_of_a_person_stay_within_epsilon) {
  random_source r;
  mpq_t total, row;
  mpq_inits(total, row, (mpq_ptr)NULL);
  assert_ok(random_seeded(2, &r, err));
  for (int i = 0; i < 30000; i++) {
    size_t k = 1 + (size_t)(random_bits(&r) % (i % 2 ? 10 : 1000000));
    double epsilon = some_epsilon(&r, i), each = epsilon_share(epsilon, k);
    mpq_set_d(row, each);
    mpq_set_ui(total, k, 1);
    mpq_mul(row, row, total);
    mpq_set_d(total, epsilon);
    assert_true(mpq_cmp(row, total) <= 0);
    assert_true(each >= epsilon / (double)k * (1 - 1e-15));
  }
  mpq_clears(total, row, (mpq_ptr)NULL);
}
