/* The draws against the real numbers they stand for (privacy.md 6). A second sampler, written here
 * from the definitions with MPFR at 300 bits, reads the same random bits as the library and, where
 * the library stops after 63 bits of mantissa, 192 more from a stream of its own. The distance
 * between the two must stay below the stated bounds: for vectors below two thirds of
 * noise_relative_error, in the norm and in each coordinate. Bits come from seeds, and from buffers
 * made of extreme words: many zeros, all ones. The largest errors seen are printed. */
#include <math.h>
#include <stdlib.h>

#include "exact_noise.h"

static const double u = 0x1p-53;

/* ---- errors */

/* |drawn − exact| in units of u·|drawn|; `exact` becomes the difference. */
static double error_in_u(double drawn, mpfr_t exact) {
  mpfr_sub_d(exact, exact, drawn, MPFR_RNDN);
  return fabs(mpfr_get_d(exact, MPFR_RNDN)) / fabs(drawn) / u;
}

/* Bits of a seed, a quarter of the first 128 words replaced by ones with many zeros in front, by
 * all ones, by all ones behind zeros or by nothing but zeros. */
static random_source extreme(uint64_t seed) {
  random_source r = seeded(seed), how;
  assert_ok(random_public(seed, "how", &how, err));
  (void)random_bits(&r); /* fills the buffer */
  for (size_t i = 0; i < sizeof r.buffer / 8; i++) {
    uint64_t choice = random_bits(&how), shift = choice >> 8 & 63, word = random_bits(&how);
    const uint64_t words[] = {word >> shift, UINT64_MAX, UINT64_MAX >> shift,
                              choice >> 16 & 1 ? 0 : UINT64_C(1) << 63};
    if (choice % 4 == 0) {
      for (size_t k = 0; k < 8; k++) {
        r.buffer[8 * i + k] = (unsigned char)(words[choice >> 4 & 3] >> (8 * k));
      }
    }
  }
  r.used = 0;
  return r;
}

/* Where bits come from: `seeded`, or `extreme`. */
typedef random_source bits_of(uint64_t seed);

static const char *name_of(bits_of *bits) {
  return bits == seeded ? "seeded" : "extreme";
}

/* Both samplers have read the same words, no more and no fewer. */
static void assert_in_step(random_source *a, random_source *b) {
  assert_true(random_bits(a) == random_bits(b));
}

typedef struct errors {
  double norm, coordinate; /* largest seen, in u */
} errors;

static void compare_noise(const noise_plan *plan, const random_source *bits, uint64_t seed,
                          double *drawn, mpfr_t *b, errors *most) {
  random_source source = *bits;
  exact_source exact;
  long double squares = 0, difference = 0;
  exact_open(&exact, bits, seed);
  noise_draw(plan, &source, drawn);
  exact_noise(&exact, plan, b);
  assert_in_step(&source, &exact.bits);
  for (size_t j = 0; j < plan->dims; j++) {
    most->coordinate = fmax(most->coordinate, error_in_u(drawn[j], b[j]));
    long double d = mpfr_get_ld(b[j], MPFR_RNDN);
    difference += d * d;
    squares += (long double)drawn[j] * drawn[j];
  }
  most->norm = fmax(most->norm, (double)sqrtl(difference / squares) / u);
  exact_close(&exact);
}

static void check_plan(noise_plan plan, size_t draws, bits_of *bits) {
  size_t dims = plan.dims;
  static const double betas[] = {1.0, 0.04524, 3.7e7};
  OWNED_MEMORY double *drawn = calloc(dims, sizeof *drawn);
  mpfr_t *b = calloc(dims + 1, sizeof *b);
  errors most = {0, 0};
  assert_true(drawn && b);
  for (size_t j = 0; j <= dims; j++) {
    mpfr_init2(b[j], PRECISION);
  }
  for (size_t k = 0; k < draws; k++) {
    plan.beta = betas[k % 3];
    random_source source = bits(1000 * dims + k);
    compare_noise(&plan, &source, k, drawn, b, &most);
  }
  double eta = noise_relative_error(&plan) / u;
  print_message("# %s, d = %zu, %zu %s draws: norm off by at most %.2f u, coordinates by %.2f u; "
                "stated %g u\n",
                plan.kind->name, dims, draws, name_of(bits), most.norm, most.coordinate, eta);
  assert_true(most.norm <= eta / 1.5 && most.coordinate <= eta / 1.5);
  for (size_t j = 0; j <= dims; j++) {
    mpfr_clear(b[j]);
  }
  free(b);
}

/* l1, group and linf noise; groups of different widths and radii, together `dims` columns. Mixed
 * noise where there are enough, with columns alone in front, between and behind, and without. */
static void check_shapes(size_t dims, size_t draws, bits_of *bits) {
  size_t half = dims / 2;
  const body_run runs[] = {{1, dims - half, 0.35}, {half, 1, 1.7e-5}};
  const noise_body body = {runs, half ? 2 : 1, {0, 0, 0}};
  check_plan((noise_plan){&noise_l1, dims, 1.0, {0}, 1}, draws, bits);
  check_plan((noise_plan){&noise_group, dims, 1.0, body, 1}, draws, bits);
  check_plan((noise_plan){&noise_linf, dims, 1.0, body, 1}, draws, bits);
  check_plan((noise_plan){&noise_gaussian, dims, 1.0, body, 1}, draws, bits);
  const body_run long_runs[] = {
      {1, 1, 1}, {1, 3, 0.07}, {half - 2, 1, 1}, {1, dims - half - 3, 0.9}, {1, 1, 1}};
  const body_run blocks[] = {{1, 2, 0.3}, {1, dims - 2, 0.8}};
  const noise_body ways[] = {{blocks, 2, {0, 0, 0}}, {long_runs, 5, {0, 0, 0}}};
  for (size_t i = 0; i < (dims >= 10 ? 2U : dims >= 3); i++) {
    check_plan((noise_plan){&noise_mixed, dims, 1.0, ways[i], 1}, draws, bits);
  }
}

/* ---- the tests */

static void check_scalars(bits_of *bits) {
  enum { SEEDS = 5000, EACH = 20 };
  double most_w = 0, most_e = 0;
  mpfr_t value;
  mpfr_init2(value, PRECISION);
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    random_source source = bits(seed);
    exact_source exact;
    exact_open(&exact, &source, seed);
    for (int i = 0; i < EACH; i++) {
      double w = random_half_uniform(&source);
      exact_half_uniform(&exact, value);
      most_w = fmax(most_w, error_in_u(w, value));
      double e = random_exponential(&source);
      exact_exponential(&exact, value);
      most_e = fmax(most_e, error_in_u(e, value));
    }
    assert_in_step(&source, &exact.bits);
    exact_close(&exact);
  }
  mpfr_clear(value);
  print_message("# %d %s draws: uniform off by at most %.3f u, exponential by %.3f u\n",
                SEEDS * EACH, name_of(bits), most_w, most_e);
  assert_true(most_w <= 1.01 && most_e <= 5.5);
}

TEST(uniform_and_exponential_numbers_keep_their_bounds) {
  check_scalars(seeded);
  check_scalars(extreme);
}

TEST(gamma_numbers_keep_their_bound) {
  static const size_t shapes[] = {1, 2, 3, 5, 10, 100, 1000};
  mpfr_t value;
  mpfr_init2(value, PRECISION);
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    double most = 0;
    for (uint64_t seed = 0; seed < 1 + 2000 / shapes[i]; seed++) {
      random_source source = seeded(seed);
      exact_source exact;
      exact_open(&exact, &source, seed);
      double g = random_gamma(&source, shapes[i]);
      exact_gamma(&exact, shapes[i], value);
      most = fmax(most, error_in_u(g, value));
      exact_close(&exact);
    }
    print_message("# gamma of shape %zu off by at most %.2f u\n", shapes[i], most);
    assert_true(most <= 5.5 + ceil(log2((double)shapes[i])));
  }
  mpfr_clear(value);
}

TEST(l2_noise_keeps_its_bound) {
  static const struct {
    size_t dims, draws;
    bits_of *bits;
  } cases[] = {{1, 10000, seeded}, {2, 10000, seeded}, {3, 5000, seeded},  {5, 3000, seeded},
               {10, 2000, seeded}, {100, 200, seeded}, {1000, 20, seeded}, {10000, 4, seeded},
               {1, 3000, extreme}, {2, 3000, extreme}, {3, 2000, extreme}, {7, 1000, extreme}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const noise_plan plan = {&noise_l2, cases[i].dims, 1.0, {0}, 1};
    check_plan(plan, cases[i].draws, cases[i].bits);
  }
}

/* Every entry of the table for blocks beside single columns, and the shapes. */
TEST(every_kind_keeps_its_bound) {
  static const struct {
    size_t dims, quick, full;
    bits_of *bits;
  } cases[] = {{1, 1500, 5000, seeded},  {2, 1500, 5000, seeded},  {3, 700, 2000, seeded},
               {10, 300, 1000, seeded},  {104, 30, 100, seeded},   {5000, 1, 3, seeded},
               {1, 2000, 2000, extreme}, {3, 2000, 2000, extreme}, {11, 500, 500, extreme}};
  for (size_t k = 0; noise_at(k); k++) {
    check_plan(plan_for(noise_at(k), WOVEN, 1), repetitions(300, 1000), seeded);
    check_plan(plan_for(noise_at(k), WOVEN, 1), 500, extreme);
  }
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    check_shapes(cases[i].dims, repetitions(cases[i].quick, cases[i].full), cases[i].bits);
  }
}

TEST(the_stated_error_is_that_of_the_design) {
  static const size_t dims[] = {1, 2, 3, 4, 5, 1000, 1024, 1025, (size_t)1 << 31};
  for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
    for (size_t k = 0; noise_at(k); k++) {
      const noise_plan plan = {noise_at(k), dims[i], 1.0, {0}, 1};
      size_t shape = dims[i] + noise_at(k)->extra;
      assert_true(noise_relative_error(&plan) == (64 + 4 * ceil(log2((double)shape))) * u);
    }
  }
}

/* The comparison has teeth: an angle of plain 2^−53 steps, as a sampler without a lazily drawn
 * exponent has it, is far off where it is small. */
TEST(a_coarse_angle_would_be_seen) {
  mpfr_t value;
  mpfr_init2(value, PRECISION);
  random_source r = seeded(1), more = seeded(2);
  double most = 0;
  for (int i = 0; i < 1000; i++) {
    double coarse = 0.5 * random_unit(&r);
    exact_set_word(value, random_bits(&more));
    mpfr_mul_2si(value, value, -64 - 54, MPFR_RNDN);
    mpfr_add_d(value, value, coarse, MPFR_RNDN);
    most = fmax(most, error_in_u(coarse, value));
  }
  mpfr_clear(value);
  assert_true(most > 64);
}

static int free_caches(void **state) {
  mpfr_free_cache();
  return 0;
}

TEST_GROUP(NULL, free_caches)
