/* Random choices against their exact laws: uniform integers, Bernoulli(p/q), Bernoulli(e^−x),
 * discrete Laplace, uniform orders. Each check of frequencies raises a false alarm with probability
 * at most 1e-6 (frequencies.h); seeds are fixed, so a pass stays a pass. Beside the laws: rates are
 * never rounded up, and no product overflows at the largest counts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "frequencies.h"
#include "random/discrete_sampling.h"

enum { DRAWS = 200000 };

/* ---- ratio_below */

static int significant_bits(uint64_t n) {
  int bits = 0;
  while (n > 0 && n % 2 == 0) {
    n /= 2;
  }
  for (; n > 0; n /= 2) {
    bits++;
  }
  return bits;
}

/* over/under against `value`, exactly: `under` is a power of two, so the product is a double. */
static void check_below(double value) {
  ratio r = ratio_below(value);
  assert_true(r.under > 0 && (r.under & (r.under - 1)) == 0);
  assert_true(r.over < UINT64_C(1) << 53);
  double back = ratio_value(r);
  assert_true(back * (double)r.under == (double)r.over);
  if (!(back <= value)) {
    fail_msg("%.17g became %.17g, which is above", value, back);
  }
  assert_true(back >= value * (1 - 0x1p-19));
  assert_true(significant_bits(r.over) <= 20);
}

TEST(ratios_are_never_above_and_keep_twenty_bits) {
  random_source r = seeded(1);
  for (double base = 1e-9; base <= 100; base *= 1.0007) {
    check_below(base);
    check_below(nextafter(base, 0));
    check_below(base * (1 + random_unit(&r)));
  }
  for (int e = -40; e <= 40; e++) {
    check_below(ldexp(1, e));
    check_below(nextafter(ldexp(1, e), 0));
    check_below(nextafter(ldexp(1, e), INFINITY));
    check_below(ldexp(1048575, e - 20));
    check_below(ldexp(1048575.9999, e - 20));
  }
}

TEST(dyadic_ratios_of_twenty_bits_are_exact_and_reduced) {
  random_source r = seeded(2);
  for (int i = 0; i < 100000; i++) {
    double value = ldexp((double)(1 + random_below(&r, (1 << 20) - 1)), -(int)random_below(&r, 50));
    ratio q = ratio_below(value);
    assert_true(ratio_value(q) == value);
    assert_true(q.under == 1 || q.over % 2 == 1);
    ratio again = ratio_below(ratio_value(q));
    assert_true(again.over == q.over && again.under == q.under);
  }
  assert_true(ratio_below(0.5).over == 1 && ratio_below(0.5).under == 2);
  assert_true(ratio_below(100).over == 100 && ratio_below(100).under == 1);
  assert_true(ratio_below(3).over == 3 && ratio_below(3).under == 1);
}

/* Outside all that is asked for: still defined, still not above. */
TEST(ratios_at_the_ends_of_the_doubles_are_never_above) {
  for (int e = -1074; e <= 1023; e++) {
    double value = ldexp(1.75, e);
    ratio r = ratio_below(value);
    assert_true(r.under > 0 && ratio_value(r) <= value);
  }
  assert_int_equal(ratio_below(0).over, 0);
  assert_true(ratio_below(0).under > 0);
}

/* ---- uniform integers */

TEST(whole_numbers_below_a_bound_are_uniform) {
  static const uint64_t bounds[] = {1, 2, 3, 5, 7, 10, 64, 100, 127};
  random_source r = seeded(3);
  for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
    uint64_t counts[127] = {0};
    double p[127];
    for (int i = 0; i < DRAWS; i++) {
      uint64_t draw = random_below(&r, bounds[b]);
      assert_true(draw < bounds[b]);
      counts[draw]++;
    }
    for (size_t i = 0; i < bounds[b]; i++) {
      p[i] = 1.0 / (double)bounds[b];
    }
    assert_frequencies("random_below", counts, p, bounds[b]);
  }
}

/* A bound of 3·2^62: taking the remainder without rejection would hit the first third of the range
 * twice as often. */
TEST(rejection_leaves_no_bias_at_large_bounds) {
  random_source r = seeded(4);
  const uint64_t bound = UINT64_C(3) << 62;
  uint64_t counts[3] = {0};
  for (int i = 0; i < DRAWS; i++) {
    uint64_t draw = random_below(&r, bound);
    assert_true(draw < bound);
    counts[draw >> 62]++;
  }
  assert_frequencies("random_below 3*2^62", counts, (const double[]){1.0 / 3, 1.0 / 3, 1.0 / 3}, 3);
  uint64_t high = 0;
  for (int i = 0; i < DRAWS; i++) {
    high += random_below(&r, UINT64_MAX) >> 63;
  }
  assert_frequency("random_below 2^64-1", high, DRAWS, 0.5);
}

/* ---- Bernoulli */

/* Also above 64 bits, and just beside the border. */
TEST(bernoulli_has_its_probability) {
  const wide_integer one = 1;
  const wide_integer cases[][2] = {{0, 1},
                                   {1, 1},
                                   {1, 2},
                                   {1, 3},
                                   {2, 3},
                                   {999, 1000},
                                   {1, 1000},
                                   {1, 20},
                                   {123457, 1048576},
                                   {one << 63, (one << 64) - 1},
                                   {one << 63, one << 64},
                                   {one << 63, (one << 64) + 1},
                                   {(one << 100) / 3, one << 100},
                                   {one << 126, (one << 127) + (one << 126)},
                                   {(one << 126) - 1, one << 126}};
  random_source r = seeded(5);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    uint64_t hits = 0;
    for (int i = 0; i < DRAWS; i++) {
      hits += random_bernoulli(&r, cases[c][0], cases[c][1]);
    }
    assert_frequency("bernoulli", hits, DRAWS, (double)cases[c][0] / (double)cases[c][1]);
  }
}

/* ---- Bernoulli(e^−x) */

static void check_exp(random_source *r, ratio rate, uint64_t count, uint64_t divisor, int draws) {
  char name[100];
  uint64_t hits = 0;
  double x = ratio_value(rate) * (double)count / (double)divisor;
  (void)snprintf(name, sizeof name, "exp(-%g)", x);
  for (int i = 0; i < draws; i++) {
    hits += random_bernoulli_exp(r, rate, count, divisor);
  }
  assert_frequency(name, hits, (uint64_t)draws, exp(-x));
}

TEST(exponential_bernoulli_has_its_probability) {
  static const double rates[] = {1e-9, 1e-4, 0.01, 0.1, 0.5, 0.999, 1, 1.5, 2, 3.7, 10, 100};
  random_source r = seeded(7);
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    check_exp(&r, ratio_below(rates[i]), 0, 2, 1000);
    check_exp(&r, ratio_below(rates[i]), 1, 1, DRAWS);
    check_exp(&r, ratio_below(rates[i]), 1, 2, DRAWS);
    check_exp(&r, ratio_below(rates[i]), 7, 2, DRAWS);
  }
  /* Rare but not too rare: a tail that is cut off or doubled shows. */
  check_exp(&r, (ratio){1, 1}, 5, 1, 2000000);
  check_exp(&r, (ratio){3, 2}, 5, 1, 2000000);
  check_exp(&r, ratio_below(0.1), 160, 2, 2000000);
}

TEST(zero_gap_is_always_accepted_and_a_huge_one_never) {
  random_source r = seeded(9);
  for (int i = 0; i < 10000; i++) {
    assert_true(random_bernoulli_exp(&r, ratio_below(10), 0, 2));
    assert_false(random_bernoulli_exp(&r, ratio_below(10), 5000, 2));
    assert_false(random_bernoulli_exp(&r, ratio_below(0.1), UINT64_C(1) << 40, 2));
    assert_false(random_bernoulli_exp(&r, ratio_below(100), UINT64_MAX, 1));
  }
}

/* 2^40 rows at the smallest ε: 2^40·1e-12 is about 1.1, all in products of over 80 bits. */
TEST(counts_of_terabytes_of_rows_do_not_overflow) {
  random_source r = seeded(10);
  check_exp(&r, ratio_below(1e-12), UINT64_C(1) << 40, 2, DRAWS);
  check_exp(&r, ratio_below(1e-9), UINT64_C(1) << 30, 2, DRAWS);
  check_exp(&r, ratio_below(1e-9), (UINT64_C(1) << 31) - 1, 2, DRAWS);
  check_exp(&r, ratio_below(0x1.fffffp-1), UINT64_C(1) << 40, UINT64_C(1) << 40, DRAWS);
  check_exp(&r, (ratio){1, UINT64_C(1) << 63}, UINT64_MAX, 2, DRAWS);
  check_exp(&r, (ratio){UINT64_C(1) << 63, UINT64_C(1) << 63}, UINT64_MAX >> 30, UINT64_MAX >> 30,
            DRAWS);
}

/* ---- discrete Laplace */

enum { SPAN = 400 };

/* Draws from −SPAN to SPAN, and those beyond on either side. */
typedef struct cells {
  uint64_t counts[2 * SPAN + 3];
} cells;

static void count_draw(cells *c, wide_signed y) {
  c->counts[y < -SPAN ? 0 : y > SPAN ? 2 * SPAN + 2 : (int)y + SPAN + 1]++;
}

/* P(y) = tanh(x/2)·e^(−x·|y|). */
static void check_laplace(const char *what, const cells *c, double x) {
  double p[2 * SPAN + 3];
  for (int y = -SPAN; y <= SPAN; y++) {
    p[y + SPAN + 1] = tanh(x / 2) * exp(-x * abs(y));
  }
  p[0] = p[2 * SPAN + 2] = exp(-x * (SPAN + 1)) / (1 + exp(-x));
  assert_frequencies(what, c->counts, p, 2 * SPAN + 3);
}

TEST(discrete_laplace_has_its_law) {
  static const double rates[] = {0.01, 0.05, 0.1, 0.3333, 0.5, 1, 1.7, 2, 5, 10, 33};
  random_source r = seeded(11);
  for (size_t c = 0; c < sizeof rates / sizeof *rates; c++) {
    ratio rate = ratio_below(rates[c]);
    cells found = {{0}};
    for (int i = 0; i < DRAWS; i++) {
      count_draw(&found, random_discrete_laplace(&r, rate));
    }
    check_laplace("discrete Laplace", &found, ratio_value(rate));
  }
}

/* Where single values cannot be counted: the sign, and quartiles of the size. P(|Y| ≥ k) =
 * 2e^(−xk)/(1 + e^(−x)). */
TEST(discrete_laplace_has_its_law_at_small_rates) {
  static const double rates[] = {1e-3, 1e-6, 1e-9, 0x1p-40};
  random_source r = seeded(12);
  for (size_t c = 0; c < sizeof rates / sizeof *rates; c++) {
    ratio rate = ratio_below(rates[c]);
    double x = ratio_value(rate);
    uint64_t counts[8] = {0}, negative = 0, odd = 0;
    double p[8], above = 1;
    for (int i = 0; i < DRAWS; i++) {
      int64_t y = random_discrete_laplace(&r, rate);
      double cell = floor(fabs((double)y) * x * 2);
      counts[cell > 7 ? 7 : (int)cell]++;
      negative += y < 0;
      odd += (uint64_t)(y & 1);
    }
    for (int i = 0; i < 8; i++) {
      double next = i == 7 ? 0 : 2 * exp(-x * ceil((i + 1) / (2 * x))) / (1 + exp(-x));
      p[i] = above - next;
      above = next;
    }
    assert_frequencies("discrete Laplace, sizes", counts, p, 8);
    assert_frequency("discrete Laplace, sign", negative, DRAWS, exp(-x) / (1 + exp(-x)));
    /* P(odd) = 2·tanh(x/2)·e^(−x)/(1 − e^(−2x)) */
    assert_frequency("discrete Laplace, parity", odd, DRAWS,
                     2 * tanh(x / 2) * exp(-x) / -expm1(-2 * x));
  }
}

/* The law depends on over/under only: the same rate as a ratio of small numbers and of ones beside
 * and beyond 64 bits. */
TEST(wide_discrete_laplace_has_the_law_of_its_ratio) {
  static const uint64_t ratios[][2] = {{3, 5}, {1, 7}, {2, 1}, {5, 64}, {999, 1000}};
  const wide_integer one = 1;
  const wide_integer factors[] = {
      1,         (one << 32) + 15,    one << 57,      (one << 62) + 1, (one << 64) - 1,
      one << 64, (one << 70) + 12345, (one << 90) - 3};
  random_source r = seeded(21);
  for (size_t c = 0; c < sizeof ratios / sizeof *ratios; c++) {
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
      wide_integer over = ratios[c][0] * factors[f], under = ratios[c][1] * factors[f];
      cells found = {{0}};
      for (int i = 0; i < DRAWS; i++) {
        count_draw(&found, random_discrete_laplace_wide(&r, over, under));
      }
      check_laplace("wide discrete Laplace", &found, (double)ratios[c][0] / (double)ratios[c][1]);
    }
  }
}

/* Magnitudes far beyond 64 bits: cells of |y|·rate, whose law is exponential up to 1e-20, and the
 * lowest digits, which a rounded product would lose. */
static void check_huge_laplace(random_source *r, wide_integer over, wide_integer under) {
  enum { CELLS = 24 };
  uint64_t counts[CELLS] = {0}, digits[7] = {0}, negative = 0, odd = 0;
  double p[CELLS], sevenths[7];
  for (int i = 0; i < DRAWS; i++) {
    wide_signed y = random_discrete_laplace_wide(r, over, under);
    wide_integer size = (wide_integer)(y < 0 ? -y : y);
    wide_integer cell = size / (under / over / 4);
    counts[cell < CELLS ? (int)cell : CELLS - 1]++;
    negative += y < 0;
    odd += (uint64_t)(size & 1);
    digits[size % 7]++;
  }
  for (int i = 0; i < CELLS; i++) {
    p[i] = exp(-i / 4.0) - (i == CELLS - 1 ? 0 : exp(-(i + 1) / 4.0));
    sevenths[i % 7] = 1.0 / 7;
  }
  assert_frequencies("huge discrete Laplace, sizes", counts, p, CELLS);
  assert_frequencies("huge discrete Laplace, digits", digits, sevenths, 7);
  assert_frequency("huge discrete Laplace, sign", negative, DRAWS, 0.5);
  assert_frequency("huge discrete Laplace, parity", odd, DRAWS, 0.5);
}

TEST(wide_discrete_laplace_is_right_far_beyond_64_bits) {
  const wide_integer one = 1;
  random_source r = seeded(22);
  check_huge_laplace(&r, 1, (one << 63) - 1);
  check_huge_laplace(&r, 1, (one << 64) + 1);
  check_huge_laplace(&r, 1048573, (one << 90) - 33);
  check_huge_laplace(&r, 1, one << 100);
  check_huge_laplace(&r, (one << 21) - 1, (one << 100) - 15);
}

/* At 2^−63 a magnitude can be beyond 64 bits; it is held at 2^62 and never wraps around. */
TEST(narrow_discrete_laplace_is_held_within_its_type) {
  const int64_t most = INT64_C(1) << 62;
  random_source r = seeded(23);
  uint64_t held = 0, negative = 0;
  for (int i = 0; i < DRAWS; i++) {
    int64_t y = random_discrete_laplace(&r, (ratio){1, UINT64_C(1) << 63});
    assert_true(y >= -most && y <= most);
    held += y == most || y == -most;
    negative += y < 0;
  }
  assert_frequency("held at 2^62", held, DRAWS, exp(-0.5));
  assert_frequency("held at 2^62, sign", negative, DRAWS, 0.5);
}

/* ---- orders */

static void check_orders(size_t count, size_t all) {
  random_source r = seeded(13 + count);
  uint64_t counts[24] = {0};
  double p[24];
  for (int i = 0; i < DRAWS; i++) {
    size_t order[4] = {9, 9, 9, 9}, code = 0;
    random_order(&r, count, order);
    for (size_t a = 0; a < count; a++) { /* Lehmer's code, and that it is a permutation */
      size_t smaller = 0;
      assert_true(order[a] < count);
      for (size_t b = a + 1; b < count; b++) {
        assert_true(order[a] != order[b]);
        smaller += order[b] < order[a];
      }
      code = code * (count - a) + smaller;
    }
    counts[code]++;
  }
  for (size_t i = 0; i < all; i++) {
    p[i] = 1.0 / (double)all;
  }
  assert_frequencies("orders", counts, p, all);
}

TEST(orders_are_uniform_over_all_permutations) {
  enum { LONG = 10000 };
  static size_t order[LONG];
  static bool seen[LONG];
  check_orders(1, 1);
  check_orders(2, 2);
  check_orders(3, 6);
  check_orders(4, 24);
  random_source r = seeded(20);
  random_order(&r, LONG, order);
  for (size_t i = 0; i < LONG; i++) {
    assert_true(order[i] < LONG && !seen[order[i]]);
    seen[order[i]] = true;
  }
  random_order(&r, 0, order);
}

/* ---- the checks themselves */

TEST(the_chi_square_tail_is_right) {
  assert_close(chi_square_tail(1, 3.841458820694124), 0.05, 1e-12);
  assert_close(chi_square_tail(10, 18.307038053275146), 0.05, 1e-12);
  assert_close(chi_square_tail(2, 40) / exp(-20), 1, 1e-12);
  assert_close(chi_square_tail(100, 50), 0.99999278, 1e-6);
}

/* In units of 2^26 it is next to normal: the largest distance of the two distribution functions
 * passes 2.5/√n for n draws with probability 2e^−12.5, 7e-6. */
TEST(discrete_gaussians_are_next_to_normal) {
  enum { CELLS = 64 };
  size_t below[CELLS] = {0};
  double squares = 0;
  random_source r = seeded(9);
  for (int i = 0; i < DRAWS; i++) {
    double y = ldexp((double)random_discrete_gaussian(&r), -GAUSSIAN_BITS);
    squares += y * y;
    for (int c = 0; c < CELLS; c++) {
      below[c] += y <= (c - CELLS / 2) / 8.0;
    }
  }
  for (int c = 0; c < CELLS; c++) {
    double normal = erfc(-(c - CELLS / 2) / 8.0 / sqrt(2)) / 2;
    assert_true(fabs((double)below[c] / DRAWS - normal) <= 2.5 / sqrt(DRAWS));
  }
  assert_true(fabs(squares / DRAWS - 1) <= 5 * sqrt(2.0 / DRAWS));
}
