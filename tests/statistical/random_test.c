/* Random bits, and the uniform, exponential and gamma variables made of them, have the laws that
 * noise is built on; sources repeat where they must and nowhere else. Distances are
 * Kolmogorov–Smirnov's and the bounds on means Bernstein's, with constants that hold for every
 * sample size: a single comparison raises a false alarm with probability at most 1e-9 over the
 * seeds, a test at most 1e-6; with the seeds fixed none can come and go. The last test shows that
 * wrong laws are seen. */
#include <math.h>
#include <stdlib.h>

#include "noise_bodies.h"
#include "random/random_source.h"

enum { DRAWS = 100000 };
static const double rate = 1e-9;
static double sample[DRAWS], other[DRAWS];

static double exponential_law(double x, const void *context) {
  return x > 0 ? -expm1(-x) : 0;
}
static double uniform_law(double x, const void *context) {
  return fmax(0, fmin(1, x));
}

/* ---- bits */

TEST(every_bit_is_balanced) {
  random_source r = seeded(1);
  size_t ones[64] = {0}, flips[64] = {0};
  uint64_t before = random_bits(&r);
  for (size_t i = 0; i < DRAWS; i++) {
    uint64_t bits = random_bits(&r);
    for (size_t j = 0; j < 64; j++) {
      ones[j] += bits >> j & 1;
      flips[j] += (bits ^ before) >> j & 1;
    }
    before = bits;
  }
  double limit = bernstein_limit(DRAWS, 0.25, 0.5, rate);
  for (size_t j = 0; j < 64; j++) {
    assert_close((double)ones[j] / DRAWS, 0.5, limit);
    assert_close((double)flips[j] / DRAWS, 0.5, limit);
  }
}

TEST(unit_numbers_are_uniform) {
  random_source r = seeded(2);
  for (size_t i = 0; i < DRAWS; i++) {
    sample[i] = random_unit(&r);
    assert_true(sample[i] >= 0 && sample[i] < 1);
  }
  check_law(sample, DRAWS, uniform_law, NULL, "unit");
}

TEST(a_seed_gives_the_same_bits_and_another_seed_others) {
  random_source a = seeded(3), b = seeded(3), c = seeded(4);
  size_t same = 0;
  for (size_t i = 0; i < 1000; i++) {
    uint64_t bits = random_bits(&a);
    assert_true(bits == random_bits(&b));
    same += bits == random_bits(&c);
  }
  assert_int_equal(same, 0);
  assert_true(a.seeded);
}

/* ChaCha20 under the empty key begins 76 b8 e0 ad a0 f1 3d 90 40 5d 6a e5 53 86 bd 28 (the first
 * test vector of RFC 7539, A.1). */
TEST(seeded_bits_are_chacha20) {
  random_source r = seeded(0);
  assert_true(random_bits(&r) == UINT64_C(0x903df1a0ade0b876));
  assert_true(random_bits(&r) == UINT64_C(0x28bd8653e56a5d40));
}

/* tests/cli/random_fault.bats makes the system itself fail. */
TEST(a_failed_source_goes_on_and_stays_failed) {
  random_source r;
  assert_ok(random_secure(&r, err));
  assert_ok(random_check(&r, err));
  r.failed = true;
  const noise_plan plan = {&noise_l2, 104, 1.0, {0}, 1};
  double b[104];
  noise_draw(&plan, &r, b); /* several buffers of bits */
  assert_true(l2_of(b, 104) > 0 && isfinite(l2_of(b, 104)));
  random_wipe(&r);
  assert_fails(random_check(&r, err), DPERM_UNSUPPORTED, "nothing is released");
  r = seeded(1);
  assert_ok(random_check(&r, err));
}

TEST(the_secure_source_is_no_seeded_one_and_never_repeats) {
  auto_random *fixed = NULL;
  random_source first, second;
  assert_ok(random_secure(&first, err));
  assert_ok(random_secure(&second, err));
  assert_ok(dperm_random_seeded(0, &fixed, err));
  assert_false(first.seeded || second.seeded);
  assert_true(fixed->source.seeded);
  const noise_plan plan = {&noise_l2, 3, 1.0, {0}, 1};
  double a[3], b[3], c[3], d[3];
  noise_draw(&plan, &first, a);
  noise_draw(&plan, &first, b);
  noise_draw(&plan, &second, c);
  noise_draw(&plan, &fixed->source, d);
  for (size_t j = 0; j < 3; j++) { /* equal with probability 2^−50 or so */
    assert_true(a[j] != b[j] && a[j] != c[j] && b[j] != c[j] && a[j] != d[j]);
  }
}

TEST(a_wiped_source_forgets_what_it_drew_ahead) {
  random_source r;
  assert_ok(random_secure(&r, err));
  (void)random_bits(&r);
  random_wipe(&r);
  for (size_t i = 0; i < sizeof r.buffer; i++) {
    assert_int_equal(r.buffer[i], 0);
  }
  assert_int_equal(r.used, sizeof r.buffer); /* the next draw refills, and repeats nothing */
}

/* ---- exponential and gamma */

TEST(exponential_numbers_are_exponential) {
  random_source r = seeded(5);
  for (size_t i = 0; i < DRAWS; i++) {
    sample[i] = random_exponential(&r);
    assert_true(sample[i] > 0 && isfinite(sample[i]));
  }
  check_law(sample, DRAWS, exponential_law, NULL, "exponential");
}

/* Bits chosen by hand: the coin, then `zeros` zero bits of exponent, then the mantissa. The answer
 * is −log U of the U that these bits name, to a few units, however small or large it is; a plain
 * −log of a multiple of 2^−53 has nothing between 0 and 1.1e-16. */
TEST(exponential_numbers_are_exact_down_to_the_smallest) {
  random_source bits = seeded(6);
  for (unsigned zeros = 0; zeros < 300; zeros++) {
    for (int coin = 0; coin < 2; coin++) {
      random_source r = seeded(0);
      uint64_t words[8] = {coin ? UINT64_MAX : UINT64_MAX >> 1};
      size_t count = 1 + zeros / 64;
      words[count++] = UINT64_MAX >> zeros % 64;
      words[count] = random_bits(&bits);
      uint64_t mantissa = words[count++] | UINT64_C(1) << 63;
      for (size_t i = 0; i < 8 * count; i++) {
        r.buffer[i] = (unsigned char)(words[i / 8] >> (8 * (i % 8)));
      }
      r.used = 0;
      long double w = ldexpl((long double)mantissa, -65 - (int)zeros);
      long double exact = coin ? -logl(w) : -log1pl(-w);
      double drawn = random_exponential(&r);
      assert_int_equal(r.used, 8 * count); /* it used these bits and no others */
      if (!(fabsl(drawn - exact) <= 4 * 0x1p-53L * exact)) {
        fail_msg("zeros %u, coin %d: %.17g for %.20Lg", zeros, coin, drawn, exact);
      }
    }
  }
}

TEST(gamma_numbers_are_gamma_and_wrong_ones_are_seen) {
  static const size_t shapes[] = {2, 3, 10, 104};
  for (size_t i = 0; i < 4; i++) {
    size_t count = shapes[i] > 10 ? 30000 : DRAWS;
    double d = (double)shapes[i], limit = ks_limit(count, rate);
    random_source r = seeded(80 + i);
    for (size_t k = 0; k < count; k++) {
      sample[k] = random_gamma(&r, shapes[i] - 1); /* the shape one short */
      other[k] = random_gamma(&r, shapes[i]);
    }
    assert_true(ks_distance(sample, count, gamma_law, &d) > 2 * limit);
    assert_true(ks_distance(other, count, gamma_law, &d) <= limit);
    for (size_t k = 0; k < count; k++) {
      sample[k] = other[k] / 1.2; /* too little noise by a fifth */
    }
    assert_true(ks_distance(sample, count, gamma_law, &d) > 2 * limit);
  }
}
