/* Clopper and Pearson's bounds against published values, closed forms and the binomial sums that
 * define them; the incomplete beta function against its own identities. */
#include <math.h>

#include "audit/attack.h"
#include "statistics.h"

/* Σ_{k ≥ hits} of Bin(n, p), in long double. */
static long double upper_tail(size_t hits, size_t n, long double p) {
  long double sum = 0;
  for (size_t k = hits; k <= n; k++) {
    sum += expl(lgammal((long double)n + 1) - lgammal((long double)k + 1) -
                lgammal((long double)(n - k) + 1) + (long double)k * logl(p) +
                (long double)(n - k) * log1pl(-p));
  }
  return sum;
}

TEST(bounds_have_the_published_values) {
  /* 95 percent, two-sided, from tables of exact binomial limits */
  assert_close(probability_below(5, 10, 0.025), 0.1871, 5e-5);
  assert_close(probability_above(5, 10, 0.025), 0.8129, 5e-5);
  assert_close(probability_below(1, 20, 0.025), 0.0013, 5e-5);
  assert_close(probability_above(1, 20, 0.025), 0.2487, 5e-5);
  assert_close(probability_below(10, 100, 0.025), 0.0490, 5e-5);
  assert_close(probability_above(10, 100, 0.025), 0.1762, 5e-5);
}

TEST(bounds_at_the_ends_are_the_closed_forms) {
  static const size_t sizes[] = {1, 7, 400, 400000, 100000000};
  for (size_t i = 0; i < 5; i++) {
    size_t n = sizes[i];
    assert_true(probability_below(0, n, 1e-3) == 0);
    assert_true(probability_above(n, n, 1e-3) == 1);
    double least = exp(log(1e-3) / (double)n); /* pⁿ = 10⁻³ */
    assert_close(probability_below(n, n, 1e-3), least, 1e-12);
    assert_close(probability_above(0, n, 1e-3), -expm1(log(1e-3) / (double)n), 1e-12);
  }
}

TEST(bounds_are_where_the_binomial_tails_are_the_rate) {
  random_source r;
  assert_ok(random_seeded(1, &r, err));
  for (int round = 0; round < 400; round++) {
    size_t n = (size_t)random_scale(&r, 1, 3000), hits = random_bits(&r) % (n + 1);
    double rate = random_scale(&r, 1e-6, 0.3);
    double low = probability_below(hits, n, rate), high = probability_above(hits, n, rate);
    assert_true(low <= (double)hits / (double)n && (double)hits / (double)n <= high);
    if (hits > 0) {
      assert_close((double)upper_tail(hits, n, low), rate, 1e-8 * rate + 1e-12);
    }
    if (hits < n) {
      assert_close((double)(1 - upper_tail(hits + 1, n, high)), rate, 1e-8 * rate + 1e-12);
    }
  }
}

TEST(large_numbers_agree_with_the_normal_law) {
  size_t n = 100000000, hits = 30000000;
  double spread = 3.0902 * sqrt(0.3 * 0.7 / (double)n);
  assert_close(probability_below(hits, n, 1e-3), 0.3 - spread, 1e-3 * spread);
  assert_close(probability_above(hits, n, 1e-3), 0.3 + spread, 1e-3 * spread);
}

TEST(beta_law_keeps_its_identities) {
  random_source r;
  assert_ok(random_seeded(2, &r, err));
  for (int round = 0; round < 2000; round++) {
    double a = random_scale(&r, 0.3, 1e4), b = random_scale(&r, 0.3, 1e4), x = random_unit(&r);
    assert_close(beta_cdf(x, a, b), 1 - beta_cdf(1 - x, b, a), 1e-11);
    assert_close(beta_cdf(x, a, 1), pow(x, a), 1e-11);
  }
  assert_close(beta_cdf(0.5, 0.5, 0.5), 0.5, 1e-14); /* a coordinate in the plane: arcsine */
  assert_close(beta_cdf(0.25, 0.5, 0.5), 2 / 3.14159265358979324 * asin(0.5), 1e-13);
  assert_close(beta_cdf(0.3, 1, 1), 0.3, 1e-14); /* and in space: uniform */
  assert_true(beta_cdf(0, 2, 3) == 0 && beta_cdf(1, 2, 3) == 1 && beta_cdf(-1, 2, 3) == 0);
}
