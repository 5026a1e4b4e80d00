/* What every kind of noise must keep, for each entry of the table (random/noise.h) on every body
 * that its rows allow: the axioms of a norm; R_K bounds every row that the bounds allow, and
 * verify's own R_K agrees; ‖b‖_K has the law of the radius; the density at b and at b − x differs
 * by exp(β(‖b − x‖ − ‖b‖)), which is what ε rests on; signs are balanced; rms, mean, quantiles and
 * limits agree with draws; draws scale with 1/β. noise_direction_test.c has the laws of directions
 * kind by kind, property/sampling_error_test.c the error of a draw against MPFR.
 *
 * Distances are Kolmogorov–Smirnov's and the bounds on means Bernstein's, both with constants that
 * hold for every sample size: a single comparison raises a false alarm with probability at most
 * 1e-9 over the seeds, a test, with its at most 1000 comparisons, at most 1e-6; with the seeds
 * fixed none can come and go. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dperm/synthetic.h"
#include "kernel/features.h"
#include "mechanism/delta_rule.h"
#include "model/model.h"
#include "noise_bodies.h"
#include "random/discrete_sampling.h"
#include "random/noise.h"
#include "reference.h"
#include "verify/checks.h"

enum { DRAWS_MOST = 50000 }; /* in the long counts */
static const double rate = 1e-9;
static double sample[DRAWS_MOST];

typedef void plan_test(const noise_plan *plan, const row_bounds *bounds, uint64_t seed);

/* Runs a test for every kind on every body that it has a bound for. Every kind has at least three.
 */
static void for_every_plan(double beta, plan_test *test) {
  for (size_t k = 0; noise_at(k); k++) {
    size_t tried = 0;
    for (size_t i = 0; i < BODIES; i++) {
      if (body_fits(noise_at(k), i)) {
        const row_bounds bounds = bounds_of_body(i);
        const noise_plan plan = plan_for(noise_at(k), i, beta);
        test(&plan, &bounds, 100 * k + i);
        tried++;
      }
    }
    assert_true(tried >= 3);
  }
}

static size_t draws(void) {
  return repetitions(DRAWS_MOST / 2, DRAWS_MOST);
}

static size_t draws_for(const noise_plan *plan) {
  return plan->dims > 20 ? draws() / 4 : draws();
}

static double norm(const noise_plan *plan, const double *b) {
  return plan->kind->norm(plan, b);
}

/* ---- the table */

TEST(entries_are_whole_and_names_are_unique) {
  size_t count = 0;
  for (; noise_at(count); count++) {
    const noise_kind *kind = noise_at(count);
    assert_true(kind->radius && kind->row_bound && kind->norm && kind->draw);
    assert_ptr_equal(noise_kind_of(kind->number), kind);
    assert_ptr_equal(noise_named(kind->name), kind);
    assert_string_equal(dperm_noise_name(kind->number), kind->name);
    assert_non_null(noise_shape_find(kind->name)); /* verify knows it, and agrees on its use */
    assert_true(noise_shape_find(kind->name)->output == kind->output);
  }
  assert_string_equal(dperm_noise_name(DPERM_NOISE_AUTO), "auto");
  for (size_t i = 0; i <= count; i++) { /* numbers have no gaps: names are listed by them */
    assert_non_null(dperm_noise_name((dperm_noise)i));
  }
  assert_null(dperm_noise_name((dperm_noise)(count + 1)));
  assert_null(noise_kind_of(DPERM_NOISE_AUTO));
  assert_null(noise_named("auto"));
}

/* ---- the norm and the bound of a row */

static void check_axioms(const noise_plan *plan, const row_bounds *bounds, uint64_t seed) {
  random_source r = seeded(seed);
  double x[MOST], y[MOST], sum[MOST], zero[MOST] = {0};
  assert_true(norm(plan, zero) == 0);
  for (int round = 0; round < 300; round++) {
    double scale = ldexp(random_unit(&r) - 0.5, (int)random_below(&r, 21) - 10);
    for (size_t j = 0; j < plan->dims; j++) {
      x[j] = random_below(&r, 8) > 0 ? random_unit(&r) - 0.5 : 0;
      y[j] = random_below(&r, 8) > 0 ? random_unit(&r) - 0.5 : 0;
      sum[j] = x[j] + y[j];
    }
    assert_true(norm(plan, sum) <= (norm(plan, x) + norm(plan, y)) * (1 + 1e-13));
    for (size_t j = 0; j < plan->dims; j++) {
      sum[j] = scale * x[j];
    }
    assert_close(norm(plan, sum), fabs(scale) * norm(plan, x), 1e-13 * norm(plan, sum));
    double reach = plan->kind->reach ? plan->kind->reach(plan) : 1;
    assert_true(l2_of(x, plan->dims) <= reach * norm(plan, x) * (1 + 1e-13));
  }
}

TEST(the_norm_is_a_norm) {
  for_every_plan(1, check_axioms);
}

/* A row with one entry at most in each block, scaled until one of its bounds is reached. */
static void hostile_row(const row_bounds *bounds, random_source *r, double *x) {
  double two = 0, one = 0, least = INFINITY;
  size_t at = 0, dims = body_dims(&bounds->body);
  uint64_t rare = random_below(r, 8);
  memset(x, 0, dims * sizeof *x);
  for (size_t i = 0; i < body_count(&bounds->body); i++) {
    const body_run *run = body_at(&bounds->body, i);
    for (size_t g = 0; g < run->groups; g++, at += run->width) {
      double size = run->radius * (random_below(r, 2) ? 1 : random_unit(r));
      if (random_below(r, 8) >= rare) {
        x[at + random_below(r, run->width)] = random_below(r, 2) ? size : -size;
        least = size > 0 ? fmin(least, run->radius / size) : least;
      }
    }
  }
  for (size_t j = 0; j < dims; j++) {
    two += x[j] * x[j];
    one += fabs(x[j]);
  }
  double scale = fmin(fmin(least, bounds->norm2 / sqrt(two)), bounds->norm1 / one);
  for (size_t j = 0; j < dims && one > 0; j++) {
    x[j] *= scale;
  }
}

static void check_row_bound(const noise_plan *plan, const row_bounds *bounds, uint64_t seed) {
  random_source r = seeded(seed);
  double x[MOST], bound = plan->kind->row_bound(bounds, plan->dims), most = 0;
  for (int round = 0; round < 3000; round++) {
    hostile_row(bounds, &r, x);
    most = fmax(most, norm(plan, x) / bound);
  }
  if (!(most <= 1 + 1e-13 && most > 0.5)) { /* it holds, and is not far too large */
    fail_msg("%s, d = %zu: rows reach %g of their bound", plan->kind->name, plan->dims, most);
  }
}

TEST(hostile_rows_stay_within_the_bound) {
  for_every_plan(1, check_row_bound);
}

/* ---- verify's own bound */

enum { OF_SCHEMA, OF_NORM, OF_FEATURES, ROW_KINDS };

/* A model of some rows with this noise; NULL where nothing is known of them that it could use. */
static dperm_model *model_for(int rows, dperm_noise noise) {
  const char *text = dperm_synthetic_census_schema();
  auto_file *path = file_with_text("");
  OWNED(test_rows_free_at) test_rows *memory = test_rows_random(5, 300, 4, 0.8);
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  OWNED(dperm_data_free_at) dperm_data *data = NULL;
  dperm_model *model = NULL;
  dperm_options options = options_for(0.5);
  options.delta = noise == DPERM_NOISE_GAUSSIAN ? 1e-5 : 0;
  options.noise = noise;
  assert_ok(dperm_schema_parse(text, strlen(text), "census", &schema, err));
  assert_ok(dperm_synthetic_census_write(path, 300, 1, err));
  const dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  if (rows == OF_SCHEMA) {
    assert_ok(dperm_data_read(&source, NULL, &data, err));
  } else {
    assert_ok(dperm_data_from_dense(300, 4, memory->x, memory->labels, 2.5, &data, err));
  }
  if (rows == OF_FEATURES) {
    options.kernel = (dperm_kernel){DPERM_KERNEL_GAUSSIAN, 0.5, 12, 0, 3};
  }
  dperm_status status = dperm_train(data, &options, &model, NULL);
  assert_true(status == DPERM_OK || status == DPERM_INVALID_ARGUMENT);
  return model;
}

static void check_verified_bound(int rows, const dperm_model *model) {
  const noise_kind *kind = model->plan.noise.kind;
  const row_bounds bounds = rows == OF_SCHEMA     ? model->schema->bounds
                            : rows == OF_FEATURES ? features_bounds(model->dims)
                                                  : row_bounds_of_norm(model->dims, 2.5);
  char *text = NULL;
  size_t length = 0;
  assert_ok(dperm_model_to_text(model, &text, &length, err));
  json_t *root = json_loadb(text, length, 0, NULL);
  verifier v = {.root = root, .holds = true};
  interval rk;
  assert_true(noise_shape_find(kind->name)->row_bound(&v, interval_of(bounds.norm2), &rk));
  assert_close(interval_upper(rk) / kind->row_bound(&bounds, model->dims), 1, 1e-13);
  json_decref(root);
  dperm_text_free(text);
}

/* Of rows of a schema, of a norm, and of random features. */
TEST(verify_derives_the_same_bound) {
  for (size_t k = 0; noise_at(k); k++) {
    size_t found = 0;
    for (int rows = 0; rows < ROW_KINDS; rows++) {
      OWNED(dperm_model_free_at) dperm_model *model = model_for(rows, noise_at(k)->number);
      if (model) {
        check_verified_bound(rows, model);
        found++;
      }
    }
    assert_true(found > 0);
  }
}

/* ---- draws */

static void check_radius(const noise_plan *plan, const row_bounds *bounds, uint64_t seed) {
  random_source r = seeded(1000 + seed);
  double b[MOST], shape = (double)plan->dims;
  size_t count = draws_for(plan);
  for (size_t k = 0; k < count; k++) {
    noise_draw(plan, &r, b);
    sample[k] = plan->beta * norm(plan, b);
    sample[k] = plan->kind->needs_delta ? sample[k] * sample[k] / 2 : sample[k];
  }
  shape = plan->kind->needs_delta ? shape / 2 : shape; /* χ²/2 is Gamma(d/2) */
  check_law(sample, count, gamma_law, &shape, plan->kind->name);
}

/* Density ∝ exp(−β‖b‖_K), or ∝ exp(−β²‖b‖_K²/2). */
TEST(the_norm_has_the_gamma_law) {
  for_every_plan(250, check_radius);
}

/* Of gaussian noise with ‖x‖ = 1 the log-ratio of densities is v = (‖b + x‖² − ‖b‖²)/2, and the
 * mean of max(0, 1 − e^{ε−v}) is δ_G(ε; 1). */
static void check_gaussian_density(const noise_plan *plan, const row_bounds *bounds,
                                   uint64_t seed) {
  random_source r = seeded(2000 + seed);
  double x[MOST] = {0}, b[MOST], there[MOST], size = 0, sum = 0, epsilon = 0.5;
  while (size == 0) {
    hostile_row(bounds, &r, x);
    size = norm(plan, x);
  }
  for (size_t k = 0; k < draws(); k++) {
    noise_draw(plan, &r, b);
    for (size_t j = 0; j < plan->dims; j++) {
      there[j] = b[j] + x[j] / size;
    }
    double far = norm(plan, there), near = norm(plan, b), v = (far * far - near * near) / 2;
    sum += fmax(0, 1 - exp(epsilon - v)) / (double)draws();
  }
  assert_close(sum, delta_gaussian(epsilon, 1), bernstein_limit(draws(), 0.25, 1, rate));
}

/* With f ∝ exp(−‖b‖) and ‖x‖ = 1, w = f(b − x)/f(b) = exp(‖b‖ − ‖b − x‖) is between 1/e and e and
 * has mean 1; and of S, the points that are nearer to x than to 0, E[w; b ∈ S] = P(b + x ∈ S). */
static void check_density(const noise_plan *plan, const row_bounds *bounds, uint64_t seed) {
  random_source r = seeded(2000 + seed);
  const double e = exp(1);
  double x[MOST], b[MOST], there[MOST], back[MOST];
  if (plan->kind->needs_delta) {
    check_gaussian_density(plan, bounds, seed);
    return;
  }
  double all = 0, weighted = 0, shifted = 0, plain = 0, n = (double)draws_for(plan);
  do {
    hostile_row(bounds, &r, x);
  } while (norm(plan, x) == 0);
  double size = norm(plan, x);
  for (size_t k = 0; k < draws_for(plan); k++) {
    noise_draw(plan, &r, b);
    for (size_t j = 0; j < plan->dims; j++) {
      there[j] = b[j] + x[j] / size;
      back[j] = b[j] - x[j] / size;
    }
    double w = exp(norm(plan, b) - norm(plan, back));
    bool inside = norm(plan, back) < norm(plan, b);
    assert_true(w < e * (1 + 1e-9) && w > (1 - 1e-9) / e);
    all += w / n;
    weighted += inside ? w / n : 0;
    plain += inside ? 1 / n : 0;
    shifted += norm(plan, b) < norm(plan, there) ? 1 / n : 0;
  }
  double of_w = bernstein_limit((size_t)n, e - 1, e - 1, rate);
  double of_one = bernstein_limit((size_t)n, 0.25, 1, rate);
  assert_close(all, 1, of_w);
  assert_close(weighted, shifted, of_w + of_one);
  assert_true(shifted <= e * plain + (1 + e) * of_one);
}

TEST(shifted_draws_have_the_density_that_epsilon_rests_on) {
  for_every_plan(1, check_density);
}

static double drawn[DRAWS_MOST][13];

/* All signs of two coordinates are equally likely. */
static void check_signs(const noise_plan *plan, const row_bounds *bounds, uint64_t seed) {
  random_source r = seeded(3000 + seed);
  for (size_t k = 0; k < draws() && plan->dims <= 13; k++) {
    noise_draw(plan, &r, drawn[k]);
  }
  for (size_t i = 0; plan->dims <= 13 && i < plan->dims; i++) {
    for (size_t j = 0; j <= i; j++) {
      size_t minus = 0;
      for (size_t k = 0; k < draws(); k++) {
        minus += (drawn[k][i] < 0) ^ (i != j && drawn[k][j] < 0);
      }
      assert_close((double)minus / (double)draws(), 0.5, bernstein_limit(draws(), 0.25, 0.5, rate));
    }
  }
}

TEST(signs_are_balanced_and_independent) {
  for_every_plan(1, check_signs);
}

/* ---- figures */

/* Mean, rms, quantiles and the limit against draws. Those of draws are themselves off by a few
 * times 10⁻³: seven standard errors are allowed besides, 3e-12 for a normal mean and below 1e-10
 * with the skewness of ‖b‖² at this many draws. */
static void check_figures(const noise_plan *plan, const row_bounds *bounds, uint64_t seed) {
  static const double levels[] = {0.5, 0.95};
  random_source r = seeded(4000 + seed);
  size_t count = draws_for(plan), below[2] = {0, 0}, low[2] = {0, 0}, beyond = 0;
  double b[MOST], mean = 0, square = 0, fourth = 0, n = (double)count;
  double within = seed % 100 == LONG ? 0.02 : plan->kind->mean_square ? 0.005 : 1e-9;
  const noise_figures figures = noise_figures_of(plan);
  const double q[2] = {figures.q50, figures.q95};
  for (size_t k = 0; k < count; k++) {
    noise_draw(plan, &r, b);
    double length = l2_of(b, plan->dims);
    mean += length / n;
    square += length * length / n;
    fourth += length * length * length * length / n;
    beyond += length > noise_norm_limit(plan, 2);
    for (int i = 0; i < 2; i++) {
      below[i] += length <= q[i] * (1 + 2 * within);
      low[i] += length <= q[i] * (1 - 2 * within);
    }
  }
  double rms = noise_rms_norm(plan), slack = 7 * sqrt((square - mean * mean) / n) / mean;
  assert_close(square / (rms * rms), 1, 7 * sqrt((fourth / (square * square) - 1) / n));
  assert_close(figures.mean / mean, 1, within + slack);
  for (int i = 0; i < 2; i++) {
    double limit = bernstein_limit(count, levels[i] * (1 - levels[i]), 1, rate);
    if (!((double)below[i] / n >= levels[i] - limit && (double)low[i] / n <= levels[i] + limit)) {
      fail_msg("%s, d = %zu: the %g-quantile is that of %g to %g", plan->kind->name, plan->dims,
               levels[i], (double)low[i] / n, (double)below[i] / n);
    }
  }
  assert_true((double)beyond / n <= exp(-2) + bernstein_limit(count, exp(-2), 1, rate));
}

TEST(figures_agree_with_draws) {
  for_every_plan(0.7, check_figures);
}

/* Seven standard errors of each coordinate's mean square, as above. */
static void check_coordinates(const noise_plan *plan, const row_bounds *bounds, uint64_t seed) {
  random_source r = seeded(6000 + seed);
  const size_t count = draws_for(plan);
  double b[MOST], said[MOST], square[MOST] = {0}, fourth[MOST] = {0}, n = (double)count;
  noise_coordinate_rms(plan, said);
  assert_close(l2_of(said, plan->dims) / noise_rms_norm(plan), 1, 1e-12);
  for (size_t k = 0; k < count; k++) {
    noise_draw(plan, &r, b);
    for (size_t j = 0; j < plan->dims; j++) {
      square[j] += b[j] * b[j] / n;
      fourth[j] += b[j] * b[j] * b[j] * b[j] / n;
    }
  }
  for (size_t j = 0; j < plan->dims; j++) {
    const double error = 7 * sqrt((fourth[j] / (square[j] * square[j]) - 1) / n);
    assert_close(square[j] / (said[j] * said[j]), 1, error);
  }
}

TEST(coordinates_have_the_rms_that_is_said) {
  for_every_plan(0.7, check_coordinates);
}

static void check_scales(const noise_plan *plan, const row_bounds *bounds, uint64_t seed) {
  static const double scales[] = {1e-190, 1e-100, 1e-3, 1e3, 1e100, 1e190};
  for (size_t i = 0; i < 6; i++) {
    noise_plan other = *plan;
    random_source a = seeded(seed), b = seeded(seed);
    other.beta = scales[i];
    assert_true(noise_in_range(&other));
    for (int k = 0; k < 20; k++) {
      double x[MOST], y[MOST];
      noise_draw(plan, &a, x);
      noise_draw(&other, &b, y);
      for (size_t j = 0; j < plan->dims; j++) {
        assert_close(y[j] * scales[i] / x[j], 1, 1e-14);
      }
    }
  }
  noise_plan wild = *plan;
  wild.beta = 1e-250;
  assert_false(noise_in_range(&wild));
  wild.beta = 1e250;
  assert_false(noise_in_range(&wild));
}

TEST(noise_of_every_scale_is_finite_and_scales) {
  for_every_plan(1, check_scales);
  const noise_plan tiny = {&noise_linf, 1, 1e100, {NULL, 0, {1, 1, 1e-120}}, 1};
  assert_false(noise_in_range(&tiny));
}
