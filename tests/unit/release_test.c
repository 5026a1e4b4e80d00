/* The release: rounding to the lattice is to the nearest point, exactly; the integer noise has the
 * law it should have; candidates that the theorem allows give the same lattice points, each about
 * as often; and the public numbers behind it (the promised gradient, τ, g, S and ε's shares) are
 * what privacy.md 6 says, recomputed here in other arithmetic for thousands of public numbers. */
#include <math.h>
#include <stdlib.h>

#include "frequencies.h"
#include "loss/link.h"
#include "model/model.h"
#include "precise.h"
#include "random/random_source.h"
#include "release/numerics.h"
#include "statistics.h"

/* ---- the nearest point */

/* So little noise that it is zero but for e^−200. */
static release_plan quiet_plan(int exponent) {
  return (release_plan){.epsilon = {1, {200, 1}}, .step_exponent = exponent, .sensitivity = 1};
}

/* Whether `weight` is k·2^exponent, rounded to a double, for a k nearest to f + rest. */
static bool is_nearest(double f, double rest, int exponent, double weight) {
  mpfr_t *t = precise_array(3);
  for (int i = 0; i < 3; i++) {
    mpfr_set_prec(t[i], 2500); /* f and its rest may be far apart */
  }
  precise_sum(t[0], f, rest);
  mpfr_mul_2si(t[0], t[0], -exponent, MPFR_RNDN);
  mpfr_floor(t[1], t[0]);
  mpfr_sub(t[2], t[0], t[1], MPFR_RNDN);
  int side = mpfr_cmp_d(t[2], 0.5);
  double below = ldexp(mpfr_get_d(t[1], MPFR_RNDN), exponent);
  mpfr_add_ui(t[1], t[1], 1, MPFR_RNDN);
  double above = ldexp(mpfr_get_d(t[1], MPFR_RNDN), exponent);
  precise_array_free(t, 3);
  return (side <= 0 && weight == below) || (side >= 0 && weight == above);
}

static void check_nearest(double f, double rest, int exponent) {
  const release_plan plan = quiet_plan(exponent);
  random_source source = seeded(1);
  double weight = (double)NAN;
  assert_ok(release_weights(&plan, &(solution){&f, &rest}, 1, &source, &weight, err));
  if (!is_nearest(f, rest, exponent, weight)) {
    fail_msg("%a + %a in steps of 2^%d gives %a", f, rest, exponent, weight);
  }
}

TEST(a_candidate_goes_to_the_nearest_point) {
  random_source r = seeded(2);
  for (int i = 0; i < 30000; i++) {
    int exponent = (int)(random_bits(&r) % 1200) - 700;
    double f = ldexp(2 * random_unit(&r) - 1, exponent + (int)(random_bits(&r) % 61));
    double rest = f * 0x1p-53 * (2 * random_unit(&r) - 1);
    check_nearest(f, i % 4 ? rest : 0, exponent);
  }
}

/* Half-way but for the rest, which may be as small as doubles go. */
TEST(a_tie_is_broken_by_the_rest) {
  static const double rests[] = {0, 0x1p-55, -0x1p-55, 0x1p-200, -0x1p-200, 0x1p-1074, -0x1p-1074};
  for (int k = -9; k <= 9; k++) {
    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
      check_nearest(k + 0.5, rests[i], 0);
      check_nearest(k, rests[i], 0);
    }
  }
  for (int e = 40; e <= 59; e++) { /* where f is whole and all depends on the rest */
    for (int k = -65; k <= 65; k++) {
      check_nearest(ldexp(1 + 0x1p-52, e), 0.5 * k * ldexp(1, e - 59), 0);
      check_nearest(-ldexp(1.5, e), 0.5 * k * ldexp(1, e - 59), 0);
    }
  }
}

TEST(what_is_on_no_lattice_is_not_released) {
  const double bad[][2] = {{(double)NAN, 0},
                           {0, (double)NAN},
                           {(double)INFINITY, 0},
                           {0, -(double)INFINITY},
                           {0x1p62, 0},
                           {-0x1p62, 0},
                           {1e300, 0},
                           {0, 0x1p62}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const release_plan plan = quiet_plan(0);
    random_source source;
    double f[2] = {1, bad[i][0]}, rest[2] = {0, bad[i][1]}, weights[2];
    assert_ok(random_seeded(3, &source, err));
    assert_fails(release_weights(&plan, &(solution){f, rest}, 2, &source, weights, err),
                 DPERM_NUMERIC_ERROR, "not a number on the lattice");
  }
}

/* ---- the noise */

TEST(the_noise_is_discrete_laplace) {
  enum { REACH = 200, CELLS = 2 * REACH + 2, DIMS = 1000, ROUNDS = 300 };
  static const ratio shares[] = {{1, 4}, {3, 7}, {1, 1000}};
  static const uint64_t sensitivities[] = {1, 5, 2};
  for (int i = 0; i < 3; i++) {
    const release_plan plan = {
        .epsilon = {1, shares[i]}, .step_exponent = -3, .sensitivity = sensitivities[i]};
    double f[DIMS], rest[DIMS] = {0}, weights[DIMS], probabilities[CELLS], left = 1;
    uint64_t counts[CELLS] = {0};
    random_source source = seeded(4);
    for (size_t j = 0; j < DIMS; j++) {
      f[j] = (double)j / 8;
    }
    for (int round = 0; round < ROUNDS; round++) {
      assert_ok(release_weights(&plan, &(solution){f, rest}, DIMS, &source, weights, err));
      for (size_t j = 0; j < DIMS; j++) {
        double y = 8 * (weights[j] - f[j]);
        assert_true(y == rint(y));
        counts[fabs(y) <= REACH ? (size_t)(y + REACH) : CELLS - 1]++;
      }
    }
    double rate = ratio_value(shares[i]) / (double)sensitivities[i];
    for (int y = -REACH; y <= REACH; y++) { /* tanh(r/2)·e^(−r|y|) */
      probabilities[y + REACH] = tanh(rate / 2) * exp(-rate * abs(y));
      left -= probabilities[y + REACH];
    }
    probabilities[CELLS - 1] = fmax(left, 0);
    assert_frequencies("lattice noise", counts, probabilities, CELLS);
  }
}

/* ---- candidates that belong to the same ideal result */

enum { SPAN = 25, PLACES = SPAN * SPAN, DRAWS = 400000 };

/* How often each point of the plane within ±SPAN/2 comes out of a candidate. */
static void count_points(const release_plan *plan, double f[2], uint64_t seed, uint64_t *counts) {
  double rest[2] = {0, 0}, weights[2];
  random_source source = seeded(seed);
  memset(counts, 0, PLACES * sizeof *counts);
  for (int i = 0; i < DRAWS; i++) {
    assert_ok(release_weights(plan, &(solution){f, rest}, 2, &source, weights, err));
    double a = ldexp(weights[0], -plan->step_exponent) + SPAN / 2;
    double b = ldexp(weights[1], -plan->step_exponent) + SPAN / 2;
    assert_true(a == rint(a) && b == rint(b));
    if (a >= 0 && a < SPAN && b >= 0 && b < SPAN) {
      counts[(size_t)a * SPAN + (size_t)b]++;
    }
  }
}

/* P(k) ≤ e^ε P′(k) for all points k: of m draws that hit k, at most a share e^ε/(1 + e^ε) come from
 * the first, up to Hoeffding's bound. Returns the largest log ratio among points seen often. */
static double check_ratios(const uint64_t *first, const uint64_t *second, double epsilon) {
  double share = 1 / (1 + exp(-epsilon)), most = 0;
  for (size_t i = 0; i < PLACES; i++) {
    double m = (double)(first[i] + second[i]);
    double stray = sqrt(log(2 * PLACES / FALSE_ALARM) / (2 * fmax(m, 1)));
    if (!((double)first[i] <= m * (share + stray) && (double)second[i] <= m * (share + stray))) {
      fail_msg("point %zu: %g and %g times", i, (double)first[i], (double)second[i]);
    }
    if (first[i] >= 2000 && second[i] >= 2000) {
      most = fmax(most, fabs(log((double)first[i] / (double)second[i])));
    }
    assert_true(m < 500 || (first[i] > 0 && second[i] > 0)); /* both reach it */
  }
  return most;
}

/* The worst that τ allows: on either side of a boundary in both coordinates. Then, elsewhere. */
TEST(candidates_within_tau_are_hidden_from_each_other) {
  const double g = 0x1p-10, tau = 0.6 * g;
  const release_plan plan = {.epsilon = {1, {1, 2}},
                             .solution_error = tau,
                             .step_exponent = -10,
                             .sensitivity = 2}; /* ⌊2 + √2·0.6⌋ */
  static uint64_t first[PLACES], second[PLACES];
  double low[2] = {0.499 * g, 0.499 * g}, high[2] = {0.501 * g, 0.501 * g};
  count_points(&plan, low, 5, first);
  count_points(&plan, high, 6, second);
  double seen = check_ratios(first, second, 0.5);
  print_message("# largest log ratio %.3f of 0.5\n", seen);
  assert_true(seen > 0.45); /* and no less noise would do */
  random_source r = seeded(7);
  for (uint64_t i = 0; i < 4; i++) {
    double angle = 6.28 * random_unit(&r);
    double ideal[2] = {3 * g * random_unit(&r), 3 * g * random_unit(&r)};
    double found[2] = {ideal[0] + tau * cos(angle), ideal[1] + tau * sin(angle)};
    count_points(&plan, ideal, 10 + i, first);
    count_points(&plan, found, 20 + i, second);
    (void)check_ratios(first, second, 0.5);
  }
}

/* Rows and labels of one data set, and the same with another first record. */
static dperm_data *neighbour(int which) {
  auto_rows *t = test_rows_random(8, 200, 4, 0.9);
  dperm_data *data = NULL;
  for (size_t j = 0; which && j < 4; j++) {
    t->x[j] = -0.49;
  }
  t->labels[0] = which ? -t->labels[0] : t->labels[0];
  assert_ok(dperm_data_from_dense(200, 4, t->x, t->labels, 1, &data, err));
  return data;
}

/* Trained models of neighbours lie on one lattice, which public numbers fix. */
TEST(neighbours_share_their_lattice) {
  for (int i = 0; i < 40; i++) {
    auto_data *data = neighbour(i / 2 % 2);
    auto_model *model = NULL;
    dperm_options options = options_for(1);
    options.mechanism = i % 2 ? DPERM_MECHANISM_OUTPUT : DPERM_MECHANISM_OBJECTIVE;
    options.lambda = 1e-3;
    options.threads = 1;
    assert_ok(dperm_train(data, &options, &model, err));
    static int exponents[2];
    static uint64_t sensitivities[2];
    exponents[i % 2] = i < 2 ? model->release.step_exponent : exponents[i % 2];
    sensitivities[i % 2] = i < 2 ? model->release.sensitivity : sensitivities[i % 2];
    assert_int_equal(model->release.step_exponent, exponents[i % 2]);
    assert_int_equal(model->release.sensitivity, sensitivities[i % 2]);
    for (size_t j = 0; j < 4; j++) {
      double place = ldexp(model->weights[j], -exponents[i % 2]);
      assert_true(place == rint(place));
    }
  }
}

/* ---- public numbers */

typedef struct numbers {
  public_numbers given;
  privacy_plan plan;
  dperm_loss loss;
} numbers;

static void random_numbers(random_source *r, numbers *out) {
  double h = random_scale(r, 1e-9, 1e3);
  out->loss = library_loss((reference_loss)(random_bits(r) % 3), h);
  double epsilon = random_scale(r, 1e-6, 20);
  size_t dims = (size_t)random_scale(r, 1, 1e5);
  out->given = (public_numbers){
      .rows = (size_t)random_scale(r, 1, 1e9),
      .dims = dims,
      .bounds = row_bounds_of_norm(dims, random_scale(r, 1e-3, 1e3)),
      .noise = DPERM_NOISE_L2,
      .loss = &out->loss,
      .epsilon = epsilon,
      .epsilon_core = epsilon_divide(epsilon).core,
      .mechanism = random_bits(r) % 2 ? DPERM_MECHANISM_OUTPUT : DPERM_MECHANISM_OBJECTIVE,
      .analysis = random_bits(r) % 4 ? DPERM_ANALYSIS_TIGHT : DPERM_ANALYSIS_PAPER,
      .lambda = random_bits(r) % 4 ? random_scale(r, 1e-9, 10) : (double)NAN,
      .delta_reg = (double)NAN,
      .norm_guess = (double)NAN,
      .pull = random_bits(r) % 2 ? random_scale(r, 1e-3, 1e6) : 0,
      .stiffness = random_bits(r) % 2 ? random_scale(r, 1e-3, 1e6) : 0};
}

/* E of privacy.md 6.3 in twice the precision, at ‖f‖ = F and ‖b‖ = B, with the noise's own error,
 * without anything on top for rounding. */
static long double gradient_error(const numbers *t, long double noise, long double *furthest) {
  const public_numbers *g = &t->given;
  const long double u = 0x1p-53L, v = 0x1p-102L, R = g->bounds.norm2, L = t->loss.lipschitz;
  long double n = (long double)g->rows, d = (long double)g->dims, lambda = t->plan.lambda;
  bool objective = g->mechanism == DPERM_MECHANISM_OBJECTIVE;
  long double linear = objective ? noise / n : 0, total = lambda + t->plan.delta_reg;
  long double F = 3 * (L * R + lambda * g->pull + linear) / total;
  long double penalty = g->pull + (1 + (long double)g->stiffness) * F;
  long double doubling = 0; /* ⌈log₂ d⌉ */
  while (powl(2, doubling) < d) {
    doubling++;
  }
  long double eta = (64 + 4 * doubling) * u;
  *furthest = F + (objective ? 0 : noise);
  return R * (t->loss.smoothness * (d + 2) * v * R * F + t->loss.slope_error + (n + 8) * v * L) +
         8 * v * lambda * penalty + 6 * v * t->plan.delta_reg * F + (6 * v + 2 * u) * linear +
         eta * (objective ? linear : lambda * noise);
}

/* ε_core + 2ε_num ≤ ε without any rounding, and little is lost. */
static void check_split(double epsilon, epsilon_split split) {
  mpfr_t *t = precise_array(2);
  mpfr_set_uj(t[0], split.num.over, MPFR_RNDN);
  mpfr_div_d(t[0], t[0], (double)split.num.under, MPFR_RNDN); /* a power of two */
  mpfr_mul_ui(t[0], t[0], 2, MPFR_RNDN);
  mpfr_add_d(t[0], t[0], split.core, MPFR_RNDN);
  assert_true(mpfr_cmp_d(t[0], epsilon) <= 0);
  mpfr_set_d(t[1], epsilon, MPFR_RNDN);
  mpfr_mul_d(t[1], t[1], 1 - 1e-15, MPFR_RNDN);
  assert_true(mpfr_cmp(t[0], t[1]) >= 0);
  assert_true(split.num.over > 0 && (split.num.under & (split.num.under - 1)) == 0);
  assert_close(2 * ratio_value(split.num), 0.002 * epsilon, 1e-5 * 0.002 * epsilon);
  precise_array_free(t, 2);
}

/* S ≥ ⌊d + √d·τ/g⌋, at most one more. */
static void check_sensitivity(double dims, const release_plan *made) {
  mpfr_t *t = precise_array(1);
  mpfr_set_d(t[0], dims, MPFR_RNDN);
  mpfr_sqrt(t[0], t[0], MPFR_RNDN);
  mpfr_mul_d(t[0], t[0], made->solution_error, MPFR_RNDN);
  mpfr_mul_2si(t[0], t[0], -made->step_exponent, MPFR_RNDN);
  mpfr_add_d(t[0], t[0], dims, MPFR_RNDN);
  mpfr_floor(t[0], t[0]);
  assert_true(mpfr_cmp_ui(t[0], made->sensitivity) <= 0);
  mpfr_add_ui(t[0], t[0], 1, MPFR_RNDN);
  assert_true(mpfr_cmp_ui(t[0], made->sensitivity) >= 0);
  precise_array_free(t, 1);
}

static void check_numbers(const numbers *t, const release_plan *made) {
  const public_numbers *g = &t->given;
  double tau = made->solution_error, promised = made->promised.gradient;
  long double n = (long double)g->rows, d = (long double)g->dims, furthest = 0;
  long double noise = (d + sqrtl(2 * d * 101) + 101) / t->plan.noise.beta;
  long double error = gradient_error(t, noise, &furthest),
              pull = t->loss.lipschitz * g->bounds.norm2;
  assert_true(made->promised.noise_norm >= noise && made->promised.noise_norm <= 1.001L * noise);
  assert_true(isfinite(promised) && promised >= 8 * error);
  assert_true(promised >= 1e-6L * pull / n * (1 - 1e-15L));
  assert_true(promised <= 1.001L * fmaxl(8 * error, 1e-6L * pull / n)); /* and no more */
  long double total = (long double)t->plan.lambda + t->plan.delta_reg;
  assert_true(isfinite(tau) && tau >= promised / total && tau <= 1.001L * promised / total);
  double step = ldexp(1, made->step_exponent);
  bool fine = step <= tau / (8 * sqrtl(d)) * (1 + 1e-15L) && step > tau / (16.001L * sqrtl(d));
  bool ranged = ldexpl(step, 60) >= furthest && ldexpl(step, 58) <= furthest * 1.001L;
  assert_true(fine || ranged);
  assert_true(furthest / step < 0x1p61L);
  check_sensitivity((double)g->dims, made);
  check_split(g->epsilon, made->epsilon);
}

TEST(promises_are_what_the_formulas_say) {
  const int tries = (int)repetitions(1000, 4000);
  random_source r = seeded(9);
  int made_of = 0;
  for (int i = 0; i < tries; i++) {
    numbers t;
    release_plan made;
    random_numbers(&r, &t);
    if (privacy_plan_make(&t.given, &t.plan, NULL) == DPERM_OK) {
      assert_ok(release_plan_make(&t.given, &t.plan, &made, err));
      check_numbers(&t, &made);
      made_of++;
    }
  }
  print_message("# %d of %d public numbers have a plan\n", made_of, tries);
  assert_true(made_of > tries / 2);
}

/* Also where the number of records is private, and rounding is bounded for 2^28 of them. */
TEST(many_classes_have_a_fine_lattice) {
  static const struct {
    size_t classes;
    double most; /* of the privacy noise's length */
  } cases[] = {{3, 0.01}, {26, 0.03}, {300, 0.15}, {1000, 0.3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const dperm_loss loss = softmax_loss(cases[i].classes);
    public_numbers g = {.rows = 20000,
                        .neighbours = DPERM_NEIGHBOURS_ADD_REMOVE,
                        .rows_most = (size_t)1 << 28,
                        .dims = 8,
                        .bounds = row_bounds_of_norm(8, 1),
                        .noise = DPERM_NOISE_L2,
                        .loss = &loss,
                        .epsilon = 3,
                        .epsilon_core = epsilon_divide(3).core,
                        .mechanism = DPERM_MECHANISM_OBJECTIVE,
                        .analysis = DPERM_ANALYSIS_TIGHT,
                        .lambda = (double)NAN,
                        .delta_reg = (double)NAN,
                        .norm_guess = (double)NAN};
    privacy_plan plan;
    release_plan made;
    assert_ok(privacy_plan_make(&g, &plan, err));
    assert_ok(release_plan_make(&g, &plan, &made, err));
    double scale = ldexp((double)made.sensitivity, made.step_exponent) /
                   ratio_value(made.epsilon.num); /* of a coordinate's Laplace noise */
    double lattice = sqrt(2 * (double)(cases[i].classes * g.dims)) * scale;
    double privacy = noise_rms_norm(&plan.noise) / ((double)g.rows * plan.lambda);
    print_message("# %zu classes: %g of it\n", cases[i].classes, lattice / privacy);
    assert_true(lattice < cases[i].most * privacy);
  }
}

/* What the noise's error is stated for is all that may be promised (random/noise.h). */
TEST(noise_beyond_its_stated_error_is_refused) {
  random_source r = seeded(10);
  numbers t;
  release_plan made;
  random_numbers(&r, &t);
  t.given.mechanism = DPERM_MECHANISM_OUTPUT;
  static const double lambdas[] = {1e-180, 1e-120, 1e120, 1e180};
  for (int i = 0; i < 4; i++) {
    t.given.lambda = lambdas[i];
    if (privacy_plan_make(&t.given, &t.plan, NULL) == DPERM_OK) {
      assert_fails(release_plan_make(&t.given, &t.plan, &made, err), DPERM_INVALID_ARGUMENT,
                   "beyond what doubles can hold");
    }
  }
}

TEST(epsilon_is_divided_exactly) {
  random_source r = seeded(11);
  for (int i = 0; i < 100000; i++) {
    double epsilon = random_scale(&r, 1e-9, 100);
    check_split(epsilon, epsilon_divide(epsilon));
  }
}
