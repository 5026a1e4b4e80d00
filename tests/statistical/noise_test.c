/* The noise has the law that the proofs need: exponential and gamma variables, ‖b‖ ~ Gamma(d, 1/β),
 * direction uniform and independent of the length. Distances are Kolmogorov–Smirnov's and the
 * bounds on moments Bernstein's, both with constants that hold for every sample size. Every single
 * comparison raises a false alarm with probability at most 1e-9 over the seeds, every test, with
 * its at most 1000 comparisons, at most 1e-6 (the two tests of all second moments share 1e-6 out
 * themselves); with the seeds fixed none can come and go. The last test shows that the same
 * machinery sees the wrong laws. */
#include <math.h>
#include <stdlib.h>

#include "dperm/random.h"
#include "random/exponential.h"
#include "random/noise_law.h"
#include "random/random_handle.h"
#include "statistics.h"

enum { DRAWS = 100000 };
static const double rate = 1e-9;
static const double pi = 3.14159265358979323846;

/* A sample that fits in memory once, for all tests. */
static double sample[DRAWS], other[DRAWS];

static double exponential_law(double x, const void *context) {
  (void)context;
  return x > 0 ? -expm1(-x) : 0;
}
static double gamma_law(double x, const void *shape) {
  return gamma_cdf(*(const double *)shape, x);
}
static double uniform_law(double x, const void *context) {
  (void)context;
  return fmax(0, fmin(1, x));
}
/* One coordinate of a uniform point on the sphere in 2 and 3 dimensions. */
static double circle_law(double x, const void *context) {
  (void)context;
  return 1 - acos(fmax(-1, fmin(1, x))) / pi;
}
static double sphere_law(double x, const void *context) {
  (void)context;
  return fmax(0, fmin(1, (1 + x) / 2));
}
/* In 7 dimensions its density is (15/16)(1 − x²)². */
static double seven_law(double x, const void *context) {
  (void)context;
  x = fmax(-1, fmin(1, x));
  return 0.5 + 15.0 / 16 * (x - 2 * x * x * x / 3 + x * x * x * x * x / 5);
}

static void check_law(double *values, size_t count, law *f, const void *context, const char *what) {
  double distance = ks_distance(values, count, f, context), limit = ks_limit(count, rate);
  if (!(distance <= limit)) {
    fail_msg("%s: distance %g, limit %g", what, distance, limit);
  }
}

static double norm_of(const double *b, size_t dims) {
  long double sum = 0;
  for (size_t j = 0; j < dims; j++) {
    sum += (long double)b[j] * b[j];
  }
  return (double)sqrtl(sum);
}

static double mean_norm(const noise_plan *plan) {
  noise_law figures;
  noise_law_of(plan, &figures);
  return noise_law_mean(&figures);
}

static double norm_quantile(const noise_plan *plan, double p) {
  noise_law figures;
  noise_law_of(plan, &figures);
  return noise_law_quantile(&figures, p);
}

static random_source seeded(uint64_t seed) {
  random_source r;
  assert_ok(random_seeded(seed, &r, err));
  return r;
}

/* ---- bits */

static void every_bit_is_balanced(void **state) {
  (void)state;
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

static void unit_numbers_are_uniform(void **state) {
  (void)state;
  random_source r = seeded(2);
  for (size_t i = 0; i < DRAWS; i++) {
    sample[i] = random_unit(&r);
    assert_true(sample[i] >= 0 && sample[i] < 1);
  }
  check_law(sample, DRAWS, uniform_law, NULL, "unit");
}

static void a_seed_gives_the_same_bits_and_another_seed_others(void **state) {
  (void)state;
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
static void seeded_bits_are_chacha20(void **state) {
  (void)state;
  random_source r = seeded(0);
  assert_true(random_bits(&r) == UINT64_C(0x903df1a0ade0b876));
  assert_true(random_bits(&r) == UINT64_C(0x28bd8653e56a5d40));
}

/* tests/cli/random_fault.bats makes the system itself fail. */
static void a_failed_source_goes_on_and_stays_failed(void **state) {
  (void)state;
  random_source r;
  assert_ok(random_secure(&r, err));
  assert_ok(random_check(&r, err));
  r.failed = true;
  const noise_plan plan = {&noise_l2, 104, 1.0, {0}};
  double b[104];
  noise_draw(&plan, &r, b); /* several buffers of bits */
  assert_true(norm_of(b, 104) > 0 && isfinite(norm_of(b, 104)));
  random_wipe(&r);
  assert_fails(random_check(&r, err), DPERM_UNSUPPORTED, "nothing is released");
  r = seeded(1);
  assert_ok(random_check(&r, err));
}

static void the_secure_source_is_no_seeded_one_and_never_repeats(void **state) {
  (void)state;
  dperm_random *first = NULL, *second = NULL, *fixed = NULL;
  assert_ok(dperm_random_secure(&first, err));
  assert_ok(dperm_random_secure(&second, err));
  assert_ok(dperm_random_seeded(0, &fixed, err));
  assert_false(first->source.seeded);
  assert_false(second->source.seeded);
  assert_true(fixed->source.seeded);
  const noise_plan plan = {&noise_l2, 3, 1.0, {0}};
  double a[3], b[3], c[3], d[3];
  noise_draw(&plan, &first->source, a);
  noise_draw(&plan, &first->source, b);
  noise_draw(&plan, &second->source, c);
  noise_draw(&plan, &fixed->source, d);
  for (size_t j = 0; j < 3; j++) { /* equal with probability 2^−50 or so */
    assert_true(a[j] != b[j] && a[j] != c[j] && b[j] != c[j] && a[j] != d[j]);
  }
  dperm_random_free(first);
  dperm_random_free(second);
  dperm_random_free(fixed);
}

static void a_wiped_source_forgets_what_it_drew_ahead(void **state) {
  (void)state;
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

static void exponential_numbers_are_exponential(void **state) {
  (void)state;
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
static void exponential_numbers_are_exact_down_to_the_smallest(void **state) {
  (void)state;
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

static void gamma_numbers_are_gamma(void **state) {
  (void)state;
  static const size_t shapes[] = {1, 2, 3, 7, 50, 1000};
  for (size_t i = 0; i < 6; i++) {
    random_source r = seeded(10 + i);
    size_t count = shapes[i] > 50 ? 5000 : 50000;
    double shape = (double)shapes[i];
    for (size_t k = 0; k < count; k++) {
      sample[k] = random_gamma(&r, shapes[i]);
    }
    check_law(sample, count, gamma_law, &shape, "gamma");
  }
}

/* ---- noise: length */

static const size_t dims_tried[] = {1, 2, 3, 10, 104};
static const double betas[] = {1.0, 1e-7, 250.0, 3.7, 1e4};

static size_t draws_for(size_t dims) {
  return dims > 10 ? 30000 : DRAWS;
}

static void noise_norm_has_the_gamma_law(void **state) {
  (void)state;
  for (size_t i = 0; i < 5; i++) {
    random_source r = seeded(20 + i);
    const noise_plan plan = {&noise_l2, dims_tried[i], betas[i], {0}};
    double b[104], shape = (double)plan.dims, mean = 0, square = 0;
    size_t count = draws_for(plan.dims), below[3] = {0};
    static const double levels[] = {0.05, 0.5, 0.95};
    double quantiles[3];
    for (size_t q = 0; q < 3; q++) {
      quantiles[q] = norm_quantile(&plan, levels[q]);
    }
    for (size_t k = 0; k < count; k++) {
      noise_draw(&plan, &r, b);
      double length = norm_of(b, plan.dims);
      sample[k] = plan.beta * length;
      mean += length / (double)count;
      square += length * length / (double)count;
      for (size_t q = 0; q < 3; q++) {
        below[q] += length <= quantiles[q];
      }
    }
    for (size_t q = 0; q < 3; q++) {
      double p = levels[q], limit = bernstein_limit(count, p * (1 - p), 1, rate);
      assert_close((double)below[q] / (double)count, p, limit);
    }
    /* 7 standard errors are 3e-12 for a normal mean, and below 1e-10 with the skewness of
     * ‖b‖² at this many draws */
    double n = (double)count, deviation = sqrt(shape) / plan.beta;
    assert_close(mean, mean_norm(&plan), 7 * deviation / sqrt(n));
    double rms = noise_rms_norm(&plan);
    assert_close(square / (rms * rms), 1, 7 * sqrt((4 * shape + 6) / (shape * (shape + 1)) / n));
    check_law(sample, count, gamma_law, &shape, "norm of noise");
  }
}

static void noise_quantiles_are_those_of_the_gamma_law(void **state) {
  (void)state;
  static const size_t dims[] = {1, 2, 5, 104, 1000, 20000};
  static const double levels[] = {1e-6, 0.01, 0.5, 0.95, 0.999, 1 - 1e-9};
  for (size_t i = 0; i < 6; i++) {
    for (size_t q = 0; q < 6; q++) {
      const noise_plan plan = {&noise_l2, dims[i], 0.37, {0}};
      double at = norm_quantile(&plan, levels[q]);
      double p = gamma_cdf((double)dims[i], 0.37 * at);
      assert_close(p, levels[q], 1e-9 * fmin(1, 1e4 * fmin(levels[q], 1 - levels[q])) + 1e-14);
    }
  }
}

/* Against the exact tail, and not looser than the formula. */
static void noise_norm_limits_hold(void **state) {
  (void)state;
  static const size_t dims[] = {1, 2, 5, 104, 1000, 20000};
  static const double ts[] = {0, 0.01, 1, 5, 20};
  for (size_t i = 0; i < 6; i++) {
    for (size_t q = 0; q < 5; q++) {
      const noise_plan plan = {&noise_l2, dims[i], 0.37, {0}};
      double limit = noise_norm_limit(&plan, ts[q]), d = (double)dims[i];
      assert_true(1 - gamma_cdf(d, 0.37 * limit) <= exp(-ts[q]));
      assert_true(0.37 * limit >= d + sqrt(2 * d * ts[q]) + ts[q]);
      assert_close(0.37 * limit / (d + sqrt(2 * d * ts[q]) + ts[q]), 1, 1e-12);
    }
  }
}

/* ---- noise: direction */

static void check_halves(const double *signs, size_t count) {
  double mean = 0;
  for (size_t i = 0; i < count; i++) {
    assert_true(fabs(signs[i]) == 1);
    mean += signs[i] / (double)count;
  }
  assert_close(mean, 0, bernstein_limit(count, 1, 1, rate));
}

static const size_t few_dims[] = {1, 2, 3, 7};
static double drawn[DRAWS][7];

static void draw_many(size_t dims, uint64_t seed) {
  const noise_plan plan = {&noise_l2, dims, 2.0, {0}};
  random_source r = seeded(seed);
  for (size_t k = 0; k < DRAWS; k++) {
    noise_draw(&plan, &r, drawn[k]);
  }
}

static void directions_in_few_dimensions_have_their_exact_law(void **state) {
  (void)state;
  law *const laws[] = {NULL, circle_law, sphere_law, seven_law};
  for (size_t i = 0; i < 4; i++) {
    size_t dims = few_dims[i];
    draw_many(dims, 30 + dims);
    for (size_t j = 0; j < dims; j++) {
      for (size_t k = 0; k < DRAWS; k++) {
        sample[k] = drawn[k][j] / norm_of(drawn[k], dims);
      }
      if (dims == 1) {
        check_halves(sample, DRAWS);
      } else {
        check_law(sample, DRAWS, laws[i], NULL, "coordinate of the direction");
      }
    }
  }
}

/* All patterns of signs are equally likely if and only if the product of the signs over every
 * nonempty set of coordinates has mean 0: 138 sets in all. */
static void signs_are_balanced_and_independent(void **state) {
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    size_t dims = few_dims[i], negative[128] = {0};
    draw_many(dims, 100 + dims);
    for (size_t k = 0; k < DRAWS; k++) {
      for (size_t set = 1; set < (size_t)1 << dims; set++) {
        bool minus = false;
        for (size_t j = 0; j < dims; j++) {
          minus ^= (set >> j & 1) && drawn[k][j] < 0;
        }
        negative[set] += minus;
      }
    }
    for (size_t set = 1; set < (size_t)1 << dims; set++) {
      assert_close((double)negative[set] / DRAWS, 0.5, bernstein_limit(DRAWS, 0.25, 0.5, rate));
    }
  }
}

/* The angle in the plane of two neighbouring coordinates, the last beside the first: a law of its
 * own, which coordinates one by one do not fix. Pairs are drawn together; 3 and 7 also have planes
 * across two pairs, and across the one whose other half was dropped. */
static void directions_turn_uniformly_in_every_plane(void **state) {
  (void)state;
  for (size_t i = 1; i < 4; i++) {
    size_t dims = few_dims[i];
    draw_many(dims, 37 + dims);
    for (size_t plane = 0; plane < dims; plane++) {
      for (size_t k = 0; k < DRAWS; k++) {
        sample[k] = 0.5 + atan2(drawn[k][plane], drawn[k][(plane + 1) % dims]) / (2 * pi);
      }
      check_law(sample, DRAWS, uniform_law, NULL, "angle");
    }
  }
}

/* A coordinate of a uniform direction has mean 0, mean square 1/d and variance of the square
 * 2(d−1)/(d²(d+2)); the product of two has mean 0 and variance 1/(d(d+2)). */
static void check_moments(size_t dims, uint64_t seed) {
  const noise_plan plan = {&noise_l2, dims, 5.0, {0}};
  random_source r = seeded(seed);
  size_t count = draws_for(dims);
  double d = (double)dims, n = (double)count, share = 1e-6 / (d * d + 2 * d), b[104];
  double *first = calloc(dims, sizeof *first), *second = calloc(dims * dims, sizeof *second);
  assert_true(first && second);
  for (size_t k = 0; k < count; k++) {
    noise_draw(&plan, &r, b);
    double length = norm_of(b, dims);
    for (size_t i = 0; i < dims; i++) {
      double u = b[i] / length;
      first[i] += u;
      for (size_t j = 0; j <= i; j++) {
        second[i * dims + j] += u * b[j] / length;
      }
    }
  }
  double means = bernstein_limit(count, 1 / d, 1, share);
  double squares = bernstein_limit(count, 2 * (d - 1) / (d * d * (d + 2)), 1, share);
  double products = bernstein_limit(count, 1 / (d * (d + 2)), 0.5, share);
  for (size_t i = 0; i < dims; i++) {
    assert_close(first[i] / n, 0, means);
    assert_close(second[i * dims + i] / n, 1 / d, squares);
    for (size_t j = 0; j < i; j++) {
      assert_close(second[i * dims + j] / n, 0, products);
    }
  }
  free(first);
  free(second);
}

static void directions_in_ten_dimensions_are_isotropic(void **state) {
  (void)state;
  check_moments(10, 50);
}

static void directions_in_many_dimensions_are_isotropic(void **state) {
  (void)state;
  check_moments(104, 51);
}

static void length_and_direction_are_independent(void **state) {
  (void)state;
  for (size_t dims = 2; dims <= 3; dims++) {
    const noise_plan plan = {&noise_l2, dims, 1.0, {0}};
    random_source r = seeded(60 + dims);
    double half = norm_quantile(&plan, 0.5), b[3];
    size_t near = 0, far = 0;
    for (size_t k = 0; k < DRAWS; k++) {
      noise_draw(&plan, &r, b);
      double length = norm_of(b, dims), u = b[0] / length;
      if (length <= half) {
        sample[near++] = u;
      } else {
        other[far++] = u;
      }
    }
    law *f = dims == 2 ? circle_law : sphere_law;
    check_law(sample, near, f, NULL, "direction of short noise");
    check_law(other, far, f, NULL, "direction of long noise");
  }
}

static void noise_of_every_scale_is_finite_and_scales(void **state) {
  (void)state;
  static const double scales[] = {1e-290, 1e-100, 1e-3, 1e3, 1e100, 1e290};
  for (size_t i = 0; i < 6; i++) {
    const noise_plan unit = {&noise_l2, 7, 1.0, {0}}, plan = {&noise_l2, 7, scales[i], {0}};
    random_source a = seeded(70), b = seeded(70);
    for (int k = 0; k < 100; k++) {
      double x[7], y[7];
      noise_draw(&unit, &a, x);
      noise_draw(&plan, &b, y);
      for (size_t j = 0; j < 7; j++) {
        assert_close(y[j] * scales[i] / x[j], 1, 1e-14);
      }
    }
  }
}

/* ---- teeth */

static void wrong_laws_are_seen(void **state) {
  (void)state;
  static const size_t dims[] = {2, 3, 10, 104};
  for (size_t i = 0; i < 4; i++) {
    size_t count = draws_for(dims[i]);
    double d = (double)dims[i], limit = ks_limit(count, rate);
    random_source r = seeded(80 + i);
    for (size_t k = 0; k < count; k++) {
      sample[k] = random_gamma(&r, dims[i] - 1); /* the shape one short */
      other[k] = random_gamma(&r, dims[i]);
    }
    assert_true(ks_distance(sample, count, gamma_law, &d) > 2 * limit);
    assert_true(ks_distance(other, count, gamma_law, &d) <= limit);
    for (size_t k = 0; k < count; k++) {
      sample[k] = other[k] / 1.2; /* too little noise by a fifth */
    }
    assert_true(ks_distance(sample, count, gamma_law, &d) > 2 * limit);
  }
  for (size_t dim = 2; dim <= 3; dim++) { /* a point of a cube, brought to length 1 */
    random_source r = seeded(90 + dim);
    for (size_t k = 0; k < DRAWS; k++) {
      double b[3];
      for (size_t j = 0; j < dim; j++) {
        b[j] = 2 * random_unit(&r) - 1;
      }
      sample[k] = b[0] / norm_of(b, dim);
    }
    law *f = dim == 2 ? circle_law : sphere_law;
    assert_true(ks_distance(sample, DRAWS, f, NULL) > 1.5 * ks_limit(DRAWS, rate));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_bit_is_balanced),
      cmocka_unit_test(unit_numbers_are_uniform),
      cmocka_unit_test(a_seed_gives_the_same_bits_and_another_seed_others),
      cmocka_unit_test(seeded_bits_are_chacha20),
      cmocka_unit_test(a_failed_source_goes_on_and_stays_failed),
      cmocka_unit_test(the_secure_source_is_no_seeded_one_and_never_repeats),
      cmocka_unit_test(a_wiped_source_forgets_what_it_drew_ahead),
      cmocka_unit_test(exponential_numbers_are_exponential),
      cmocka_unit_test(exponential_numbers_are_exact_down_to_the_smallest),
      cmocka_unit_test(gamma_numbers_are_gamma),
      cmocka_unit_test(noise_norm_has_the_gamma_law),
      cmocka_unit_test(noise_quantiles_are_those_of_the_gamma_law),
      cmocka_unit_test(noise_norm_limits_hold),
      cmocka_unit_test(directions_in_few_dimensions_have_their_exact_law),
      cmocka_unit_test(signs_are_balanced_and_independent),
      cmocka_unit_test(directions_turn_uniformly_in_every_plane),
      cmocka_unit_test(directions_in_ten_dimensions_are_isotropic),
      cmocka_unit_test(directions_in_many_dimensions_are_isotropic),
      cmocka_unit_test(length_and_direction_are_independent),
      cmocka_unit_test(noise_of_every_scale_is_finite_and_scales),
      cmocka_unit_test(wrong_laws_are_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
