/* dperm_plan_make: what it refuses, with a sentence that names the number, and that every field
 * follows from the public numbers by the formula that the header and docs/privacy.md give. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "reference.h"
#include "statistics.h"

static const double infinite = (double)INFINITY, none = (double)NAN;

static dperm_options asking(dperm_mechanism mechanism, double epsilon) {
  dperm_options options = options_for(epsilon);
  options.mechanism = mechanism;
  return options;
}

static dperm_plan plan_for(size_t rows, size_t dims, double norm, const dperm_options *options) {
  dperm_plan plan;
  assert_ok(dperm_plan_make(rows, dims, norm, options, &plan, err));
  return plan;
}

/* Refused by the plan and by training alike, and nothing is written. */
static void check_refused(const dperm_options *options, dperm_status status, const char *text) {
  static const double x[] = {0.5, 0.1, 0, -0.3, 0.2, 0.9}, labels[] = {1, -1};
  auto_data *data = NULL;
  dperm_plan plan = {.rows = 77};
  dperm_model *model = NULL;
  assert_fails(dperm_plan_make(2, 3, 1, options, &plan, err), status, text);
  assert_int_equal(dperm_plan_make(2, 3, 1, options, &plan, NULL), status);
  assert_int_equal(plan.rows, 77);
  assert_ok(dperm_data_from_dense(2, 3, x, labels, 1, &data, err));
  assert_fails(dperm_train(data, options, &model, err), status, text);
  assert_null(model);
}

/* ---- refusals */

TEST(epsilon_must_promise_something) {
  const double bad[] = {0, -0.0, -1, none, infinite, -infinite, 1e3, 1e300, 1e-12, 5e-324};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const char *words = isnan(bad[i]) ? "epsilon is missing: it has no default" : "epsilon = ";
    dperm_options options = asking(DPERM_MECHANISM_OBJECTIVE, bad[i]);
    check_refused(&options, DPERM_INVALID_ARGUMENT, words);
    options = asking(DPERM_MECHANISM_OUTPUT, bad[i]);
    check_refused(&options, DPERM_INVALID_ARGUMENT, words);
  }
  const dperm_options unused = asking(DPERM_MECHANISM_NONE, none);
  (void)plan_for(2, 3, 1, &unused);
}

/* The message names a Δ that suffices. */
TEST(a_delta_reg_that_leaves_no_slack_is_refused_with_one_that_does) {
  for (int analysis = DPERM_ANALYSIS_TIGHT; analysis <= DPERM_ANALYSIS_PAPER; analysis++) {
    dperm_options options = asking(DPERM_MECHANISM_OBJECTIVE, 0.1);
    dperm_error error = {DPERM_OK, ""};
    dperm_plan plan;
    options.analysis = (dperm_analysis)analysis;
    options.lambda = 1e-3;
    options.delta_reg = 0;
    check_refused(&options, DPERM_INVALID_ARGUMENT, "delta-reg of at least");
    assert_int_equal(dperm_plan_make(2, 3, 1, &options, &plan, &error), DPERM_INVALID_ARGUMENT);
    options.delta_reg = strtod(strstr(error.message, "at least ") + 9, NULL);
    plan = plan_for(2, 3, 1, &options);
    assert_true(plan.delta_reg == options.delta_reg);
    options.delta_reg = none;
    plan = plan_for(2, 3, 1, &options);
    assert_true(plan.delta_reg > 0);
  }
}

TEST(numbers_out_of_range_are_refused_by_name) {
  enum { OBJECTIVE = 1, OUTPUT = 2, BOTH = 3 };
  static const struct {
    size_t at;
    int mechanisms;
    const char *text;
    double bad[5];
    size_t count;
  } cases[] = {{offsetof(dperm_options, delta_reg),
                OBJECTIVE,
                "delta-reg = ",
                {-1, -1e-300, INFINITY, -INFINITY},
                4},
               {offsetof(dperm_options, delta_reg),
                OUTPUT,
                "delta-reg is for objective perturbation",
                {0, 1, -1, INFINITY},
                4},
               {offsetof(dperm_options, norm_guess),
                OBJECTIVE,
                "norm-guess = ",
                {0, -0.0, -3, INFINITY, -INFINITY},
                5},
               {offsetof(dperm_options, lambda),
                BOTH,
                "lambda = ",
                {5e-324, 1e-310, 1e-201, 1e201, 1e308},
                5}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    for (size_t i = 0; i < 2 * cases[c].count; i++) {
      dperm_mechanism mechanism = i % 2 ? DPERM_MECHANISM_OUTPUT : DPERM_MECHANISM_OBJECTIVE;
      for (int paper = 0; paper < 2 && cases[c].mechanisms & (i % 2 ? OUTPUT : OBJECTIVE);
           paper++) {
        dperm_options options = asking(mechanism, 1);
        options.analysis = paper ? DPERM_ANALYSIS_PAPER : DPERM_ANALYSIS_TIGHT;
        memcpy((char *)&options + cases[c].at, &cases[c].bad[i / 2], sizeof(double));
        check_refused(&options, DPERM_INVALID_ARGUMENT, cases[c].text);
      }
    }
  }
}

TEST(a_kernel_must_be_one_that_a_fit_takes) {
  static const struct {
    dperm_kernel kernel;
    const char *text;
  } bad[] = {{{(dperm_kernel_kind)9, 1, 4, 0, 0}, "kernel number 9"},
             {{DPERM_KERNEL_GAUSSIAN, 1, 5, 0, 0}, "5 features; give an even number"},
             {{DPERM_KERNEL_CAUCHY, 1, 0, 0, 0}, "0 features; give an even number"},
             {{DPERM_KERNEL_GAUSSIAN, (double)NAN, 4, 0, 0}, "gamma = nan"},
             {{DPERM_KERNEL_LAPLACIAN, 1e300, 4, 0, 0}, "gamma = 1e+300"},
             {{DPERM_KERNEL_GAUSSIAN, 1e32, 4, 0, 0}, "norm up to 1, whose features would be"},
             {{DPERM_KERNEL_GAUSSIAN, 5.01e7, 4, 0, 0}, "choose it at most about 5e+07, or bound"},
             {{DPERM_KERNEL_LAPLACIAN, 7072, 4, 0, 0}, "choose it at most about 7.1e+03"},
             {{DPERM_KERNEL_CAUCHY, 7072, 4, 0, 0}, "choose it at most about 7.1e+03"},
             {{DPERM_KERNEL_GAUSSIAN, 1, 4, 0, UINT64_C(1) << 53}, "below 2^53"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    dperm_options options = asking(DPERM_MECHANISM_OBJECTIVE, 1);
    options.kernel = bad[i].kernel;
    check_refused(&options, DPERM_INVALID_ARGUMENT, bad[i].text);
  }
}

/* At norm 1; γ of the gaussian kernel falls with the square of the norm. */
TEST(a_gamma_in_proportion_to_the_rows_is_taken) {
  static const dperm_kernel good[] = {{DPERM_KERNEL_GAUSSIAN, 4.999e7, 4, 0, 0},
                                      {DPERM_KERNEL_LAPLACIAN, 7071, 4, 0, 0},
                                      {DPERM_KERNEL_CAUCHY, 7071, 4, 0, 0}};
  dperm_options options = asking(DPERM_MECHANISM_OBJECTIVE, 1);
  dperm_plan plan;
  for (size_t i = 0; i < 3; i++) {
    options.kernel = good[i];
    (void)plan_for(2, 3, 1, &options);
    assert_fails(dperm_plan_make(2, 3, 1.01, &options, &plan, err), DPERM_INVALID_ARGUMENT,
                 "or bound the rows more tightly");
  }
  options.kernel = good[0];
  options.kernel.gamma = 5e5;
  (void)plan_for(2, 3, 10, &options);
}

/* max(0, 1 − z), with a curvature that it does not have. */
static void hinge_at(double z, double *value, double *slope, double *curvature) {
  *value = fmax(0, 1 - z);
  *slope = z < 1 ? -1 : 0;
  *curvature = 0;
}

TEST(a_loss_with_a_kink_is_refused) {
  loss_formula hinge = {hinge_at};
  for (int mechanism = DPERM_MECHANISM_OBJECTIVE; mechanism < DPERM_MECHANISM_NONE; mechanism++) {
    dperm_options options = asking((dperm_mechanism)mechanism, 1);
    options.loss = (dperm_loss){"hinge", none, 1, infinite, formula_eval, &hinge, 1e-14};
    check_refused(&options, DPERM_INVALID_ARGUMENT, "c = inf");
    options.loss.smoothness = none;
    check_refused(&options, DPERM_INVALID_ARGUMENT, "c = ");
    options.loss.smoothness = 0;
    check_refused(&options, DPERM_INVALID_ARGUMENT, "c = 0");
    options.loss.smoothness = 2; /* a lie that dperm_loss_check refutes */
    check_refused(&options, DPERM_INVALID_ARGUMENT, "kink");
    options.loss = library_loss(REF_HUBER, 0.1);
    options.loss.smoothness = 4.9; /* 5 in truth */
    check_refused(&options, DPERM_INVALID_ARGUMENT, "beyond its c");
    options.loss = dperm_loss_logistic();
    options.loss.lipschitz = 0.9;
    check_refused(&options, DPERM_INVALID_ARGUMENT, "beyond its L");
  }
}

TEST(sizes_and_norm_must_make_sense) {
  const double bad[] = {0, -1, none, infinite, 1e101, 1e-101};
  const dperm_options options = asking(DPERM_MECHANISM_OBJECTIVE, 1);
  dperm_plan plan;
  for (size_t i = 0; i < 6; i++) {
    assert_fails(dperm_plan_make(10, 3, bad[i], &options, &plan, err), DPERM_INVALID_ARGUMENT,
                 "norm");
  }
  assert_fails(dperm_plan_make(0, 3, 1, &options, &plan, err), DPERM_INVALID_ARGUMENT, "0 rows");
  assert_fails(dperm_plan_make(10, 0, 1, &options, &plan, err), DPERM_INVALID_ARGUMENT,
               "0 columns");
}

/* ---- fields */

static void check_noise_fields(const dperm_plan *plan) {
  double d = (double)plan->dims;
  assert_string_equal(plan->noise, "l2");
  assert_close(plan->expected_noise_norm * plan->beta, d, 1e-12 * d);
  assert_close(plan->rms_noise_norm * plan->beta, sqrt(d * (d + 1)), 1e-12 * d);
  assert_close(gamma_cdf(d, plan->beta * plan->noise_norm_q50), 0.5, 1e-10);
  assert_close(gamma_cdf(d, plan->beta * plan->noise_norm_q95), 0.95, 1e-10);
}

TEST(every_field_follows_from_the_public_numbers) {
  random_source r = seeded(1);
  const int rounds = (int)repetitions(60, 200); /* 60: every combination below */
  for (int round = 0; round < rounds; round++) {
    size_t rows = (size_t)random_scale(&r, 1, 1e6), dims = (size_t)random_scale(&r, 1, 300);
    double norm = random_scale(&r, 0.1, 10), n = (double)rows, value = 0, zero = 0;
    dperm_mechanism mechanism = round & 1 ? DPERM_MECHANISM_OUTPUT : DPERM_MECHANISM_OBJECTIVE;
    dperm_options options = asking(mechanism, random_scale(&r, 1e-3, 10));
    options.loss = library_loss((reference_loss)(round % 3), 0.5);
    options.lambda = round % 5 ? random_scale(&r, 1e-7, 1) : none;
    options.analysis = round & 2 ? DPERM_ANALYSIS_PAPER : DPERM_ANALYSIS_TIGHT;
    dperm_plan plan = plan_for(rows, dims, norm, &options);
    assert_true(plan.rows == rows && plan.dims == dims && plan.norm == norm);
    assert_true(plan.mechanism == mechanism && plan.analysis == options.analysis);
    assert_true(plan.epsilon == options.epsilon);
    check_noise_fields(&plan);
    options.loss.eval(&options.loss, 1, &zero, &value, NULL, NULL);
    double bound = fmin(norm / plan.lambda, sqrt(2 * value / plan.lambda));
    assert_close(plan.solution_norm_bound / bound, 1, 1e-12);
    double total = plan.lambda + plan.delta_reg, q50 = plan.noise_norm_q50;
    double q95 = plan.noise_norm_q95;
    if (mechanism == DPERM_MECHANISM_OUTPUT) {
      double half = (options.loss.smoothness * norm * norm + plan.lambda) / 2;
      assert_close(plan.shift_rms, plan.rms_noise_norm, 0);
      assert_close(plan.excess_objective_q50 / (half * q50 * q50), 1, 1e-12);
      assert_close(plan.excess_objective_q95 / (half * q95 * q95), 1, 1e-12);
    } else {
      double extra = plan.delta_reg / 2 * bound * bound, twice = 2 * n * n * total;
      assert_close(plan.shift_rms / (plan.rms_noise_norm / (n * total)), 1, 1e-12);
      assert_close(plan.excess_objective_q50 / (q50 * q50 / twice + extra), 1, 1e-12);
      assert_close(plan.excess_objective_q95 / (q95 * q95 / twice + extra), 1, 1e-12);
    }
  }
}

TEST(a_plan_without_noise_has_none) {
  const dperm_options options = asking(DPERM_MECHANISM_NONE, none);
  const dperm_plan plan = plan_for(1000, 7, 2, &options);
  assert_null(plan.noise);
  assert_true(plan.lambda == 1e-3 && plan.delta_reg == 0);
  assert_true(isnan(plan.beta) && isnan(plan.expected_noise_norm) && isnan(plan.rms_noise_norm));
  assert_true(isnan(plan.noise_norm_q50) && isnan(plan.noise_norm_q95) && isnan(plan.shift_rms));
  assert_true(isnan(plan.excess_objective_q50) && isnan(plan.excess_objective_q95));
  assert_true(isnan(plan.noise_to_signal) && isnan(plan.excess_loss_q95));
  assert_true(isnan(plan.epsilon_better_than_coin));
  assert_true(plan.rows_better_than_coin == 0 && plan.rows_to_halve_noise == 0);
}

/* ---- what to expect */

TEST(noise_to_signal_and_loss_follow_from_the_public_numbers) {
  for (int way = 0; way < 24; way++) {
    dperm_mechanism mechanism = way & 1 ? DPERM_MECHANISM_OUTPUT : DPERM_MECHANISM_OBJECTIVE;
    dperm_options options = asking(mechanism, way & 2 ? 0.1 : 2);
    double norm = way & 4 ? 0.5 : 3, n = 5000, zero = 0, coin = 0;
    options.loss = library_loss((reference_loss)(way % 3), 0.5);
    options.lambda = way & 8 ? none : 1e-3;
    options.norm_guess = way & 16 ? 4 : none;
    options.loss.eval(&options.loss, 1, &zero, &coin, NULL, NULL);
    const dperm_plan plan = plan_for(5000, 12, norm, &options);
    double length = way & 16 ? 4 : 10 / norm, q95 = plan.noise_norm_q95;
    double total = plan.lambda + plan.delta_reg, half = length * length / 2;
    double noise_ratio = plan.rms_noise_norm * length / (n * coin);
    double cost = q95 * q95 / (2 * n * n * total) + total * half;
    if (mechanism == DPERM_MECHANISM_OUTPUT) {
      noise_ratio = plan.rms_noise_norm / fmin(length, plan.solution_norm_bound);
      cost = plan.excess_objective_q95 + plan.lambda * half;
    }
    assert_true(plan.coin_loss == coin);
    assert_close(plan.noise_to_signal / noise_ratio, 1, 1e-12);
    assert_close(plan.excess_loss_q95 / cost, 1, 1e-12);
  }
}

TEST(more_rows_and_more_epsilon_never_make_it_worse) {
  for (int way = 0; way < 12; way++) {
    dperm_options options = asking((dperm_mechanism)(way & 1), 0);
    double noise = infinite, loss = infinite, epsilon = infinite;
    options.loss = library_loss((reference_loss)(way % 3), 0.5);
    options.lambda = way & 2 ? none : 1e-2;
    for (size_t rows = 100; rows < 10000000; rows *= 100) {
      options.epsilon = 0.2;
      const dperm_plan plan = plan_for(rows, 30, 1, &options);
      assert_true(plan.noise_to_signal <= noise * (1 + 1e-9));
      assert_true(plan.excess_loss_q95 <= loss * (1 + 1e-9));
      assert_true(!(plan.epsilon_better_than_coin > epsilon * (1 + 1e-5)));
      noise = plan.noise_to_signal;
      loss = plan.excess_loss_q95;
      epsilon = isnan(plan.epsilon_better_than_coin) ? epsilon : plan.epsilon_better_than_coin;
    }
    size_t needed = SIZE_MAX;
    noise = loss = infinite;
    for (options.epsilon = 0.001; options.epsilon < 50; options.epsilon *= 10) {
      const dperm_plan plan = plan_for(1000, 30, 1, &options);
      assert_true(plan.noise_to_signal <= noise * (1 + 1e-9));
      assert_true(plan.excess_loss_q95 <= loss * (1 + 1e-9));
      assert_true(plan.rows_better_than_coin <= needed);
      noise = plan.noise_to_signal;
      loss = plan.excess_loss_q95;
      needed = plan.rows_better_than_coin ? plan.rows_better_than_coin : needed;
    }
  }
}

static bool beats_coin(size_t rows, const dperm_options *options) {
  const dperm_plan plan = plan_for(rows, 20, 2, options);
  return plan.excess_loss_q95 < plan.coin_loss;
}

TEST(a_plan_at_the_numbers_it_names_is_what_it_said) {
  const int ways = (int)repetitions(12, 48);
  for (int way = 0; way < ways; way++) {
    dperm_options options = asking(DPERM_MECHANISM_OBJECTIVE, way & 1 ? 0.02 : 0.7);
    options.loss = library_loss((reference_loss)(way % 3), 0.5);
    options.lambda = way & 2 ? none : 1e-2;
    options.analysis = way & 4 ? DPERM_ANALYSIS_PAPER : DPERM_ANALYSIS_TIGHT;
    options.rows_per_person = way & 8 ? 3 : 1;
    const dperm_plan plan = plan_for(3000, 20, 2, &options);
    assert_true(beats_coin(plan.rows_better_than_coin, &options));
    assert_false(beats_coin(plan.rows_better_than_coin - 1, &options));
    const dperm_plan half = plan_for(plan.rows_to_halve_noise, 20, 2, &options);
    const dperm_plan fewer = plan_for(plan.rows_to_halve_noise - 1, 20, 2, &options);
    assert_true(half.noise_to_signal <= plan.noise_to_signal / 2);
    assert_true(fewer.noise_to_signal > plan.noise_to_signal / 2);
    options.epsilon = plan.epsilon_better_than_coin * 1.01;
    assert_true(beats_coin(3000, &options));
    options.epsilon = plan.epsilon_better_than_coin / 1.01;
    assert_false(beats_coin(3000, &options));
  }
}

TEST(a_lambda_that_costs_more_than_a_coin_is_never_better) {
  dperm_options options = asking(DPERM_MECHANISM_OBJECTIVE, 1);
  options.lambda = 1; /* ΛF²/2 = 50 */
  const dperm_plan plan = plan_for(1000000, 5, 1, &options);
  assert_true(isnan(plan.epsilon_better_than_coin));
  assert_true(plan.rows_better_than_coin == 0 && plan.rows_to_halve_noise > 0);
}

TEST(the_plan_is_what_training_does) {
  auto_rows *rows = test_rows_random(5, 200, 4, 0.8);
  dperm_data *data = NULL;
  for (int way = 0; way < 16; way++) {
    dperm_options options = asking((dperm_mechanism)(way & 1), 0.3);
    auto_model *model = NULL;
    double norm = way & 8 ? 5 : 0.2;
    options.analysis = (dperm_analysis)(way >> 1 & 1);
    options.lambda = way & 4 ? none : 1e-3;
    options.loss = library_loss(REF_HUBER, 0.5);
    assert_ok(dperm_data_from_dense(200, 4, rows->x, rows->labels, norm, &data, err));
    const dperm_plan plan = plan_for(200, 4, data->bounds.norm2, &options);
    assert_ok(dperm_train(data, &options, &model, err));
    assert_true(model->plan.noise.beta == plan.beta && model->plan.lambda == plan.lambda);
    assert_true(model->plan.delta_reg == plan.delta_reg &&
                model->plan.epsilon == plan.epsilon_core);
    dperm_data_free(data);
  }
}
