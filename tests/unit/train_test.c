/* dperm_train through the public interface: which options it refuses and how, what it fills in,
 * and that the same rows give the same model however they came in. */
#include <math.h>
#include <stdlib.h>

#include "dperm/score.h"
#include "model/model.h"
#include "support.h"

enum { ROWS = 300, DIMS = 5 };

static double rows[ROWS * DIMS], labels[ROWS];

static int make_rows(void **state) {
  random_source r;
  if (random_seeded(1, &r, NULL) != DPERM_OK) {
    return 1;
  }
  for (size_t i = 0; i < ROWS * (size_t)DIMS; i++) {
    rows[i] = random_unit(&r) < 0.6 ? 0.4 * random_normal(&r) : 0.0;
  }
  for (size_t i = 0; i < ROWS; i++) {
    labels[i] = rows[i * DIMS] - rows[i * DIMS + 3] + 0.2 * random_normal(&r) > 0 ? 1 : -1;
  }
  return 0;
}

static dperm_data *dense_data(double norm) {
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_dense(ROWS, DIMS, rows, labels, norm, &data, err));
  return data;
}

static dperm_data *sparse_data(double norm) {
  static size_t starts[ROWS + 1];
  static uint32_t columns[ROWS * DIMS];
  static double values[ROWS * DIMS];
  dperm_data *data = NULL;
  size_t entries = 0;
  for (size_t i = 0; i < ROWS; i++) {
    for (size_t j = 0; j < DIMS; j++) {
      if (rows[i * DIMS + j] != 0) {
        columns[entries] = (uint32_t)j;
        values[entries++] = rows[i * DIMS + j];
      }
    }
    starts[i + 1] = entries;
  }
  assert_ok(dperm_data_from_csr(ROWS, DIMS, starts, columns, values, labels, norm, &data, err));
  return data;
}

static dperm_options plain(void) {
  dperm_options options = USUAL(dperm_options);
  options.mechanism = DPERM_MECHANISM_NONE;
  return options;
}

/* ---- refusals: a status, a sentence, and no output */

static void check_refused(const dperm_options *options, dperm_status status, const char *text) {
  auto_data *data = dense_data(1.0);
  dperm_model *model = NULL;
  dperm_unsafe_diagnostics seen = {.iterations = 12345};
  dperm_options asked = *options;
  asked.unsafe_diagnostics = &seen;
  assert_fails(dperm_train(data, &asked, &model, err), status, text);
  assert_int_equal(dperm_train(data, &asked, &model, NULL), status);
  assert_null(model);
  assert_int_equal(seen.iterations, 12345);
}

TEST(numbers_out_of_range_are_refused) {
  const double bad[] = {0, -0.0, -1e-10, -(double)INFINITY, (double)INFINITY};
  const int threads[] = {-1, 4097, INT32_MIN, INT32_MAX, 5000};
  for (size_t i = 0; i < 5; i++) {
    dperm_options options = plain();
    options.lambda = bad[i];
    check_refused(&options, DPERM_INVALID_ARGUMENT, "lambda");
    options = plain();
    options.gradient_tolerance = i ? bad[i] : (double)NAN;
    check_refused(&options, DPERM_INVALID_ARGUMENT, "tolerance");
    options = plain();
    options.threads = threads[i];
    check_refused(&options, DPERM_INVALID_ARGUMENT, "threads");
  }
}

TEST(regularizers_must_be_strongly_convex) {
  const double weights[DIMS] = {1, 1, 0.999, 1, 1}, prior[DIMS] = {0, 0, 0, 0, (double)NAN};
  dperm_options options = plain();
  options.regularizer.weights = weights;
  check_refused(&options, DPERM_INVALID_ARGUMENT, "weight 2");
  options = plain();
  options.regularizer.prior = prior;
  check_refused(&options, DPERM_INVALID_ARGUMENT, "prior 4");
}

TEST(losses_must_be_usable) {
  dperm_options options = plain();
  options.loss = (dperm_loss){.name = "mine"}; /* of zeros alone it is the usual one */
  check_refused(&options, DPERM_INVALID_ARGUMENT, "loss");
  options = plain();
  options.loss.lipschitz = (double)NAN;
  check_refused(&options, DPERM_INVALID_ARGUMENT, "L = ");
  options = plain();
  options.loss.smoothness = 0;
  check_refused(&options, DPERM_INVALID_ARGUMENT, "c = 0");
  options = plain();
  options.loss.parameter = (double)INFINITY; /* no JSON number: the model could not be written */
  check_refused(&options, DPERM_INVALID_ARGUMENT, "parameter");
  options = plain();
  options.loss.name = "caf\xe9"; /* not UTF-8: neither could this */
  check_refused(&options, DPERM_INVALID_ARGUMENT, "name");
}

TEST(mechanism_and_analysis_must_be_known) {
  dperm_options options = plain();
  options.mechanism = (dperm_mechanism)4;
  check_refused(&options, DPERM_INVALID_ARGUMENT, "mechanism number 4");
  options = plain();
  options.analysis = (dperm_analysis)2;
  check_refused(&options, DPERM_INVALID_ARGUMENT, "analysis number 2");
}

static bool stop(void *context, const char *stage, uint64_t done, uint64_t total) {
  assert_string_equal(stage, "solving");
  assert_int_equal(total, 0);
  return true;
}

TEST(a_cancelled_fit_leaves_nothing) {
  dperm_options options = plain();
  options.progress.tick = stop;
  check_refused(&options, DPERM_CANCELLED, "stopped");
}

/* ---- results */

static dperm_model *train(dperm_data *data, const dperm_options *options) {
  dperm_model *model = NULL;
  assert_ok(dperm_train(data, options, &model, err));
  return model;
}

TEST(options_start_private_and_automatic) {
  dperm_options options;
  memset(&options, 0x5a, sizeof options);
  dperm_options_init(&options);
  assert_int_equal(options.mechanism, DPERM_MECHANISM_OBJECTIVE);
  assert_int_equal(options.analysis, DPERM_ANALYSIS_TIGHT);
  assert_true(isnan(options.epsilon) && isnan(options.lambda));
  assert_true(isnan(options.delta_reg) && isnan(options.norm_guess));
  assert_null(options.random); /* secure */
  assert_string_equal(options.loss.name, "logistic");
  assert_true(options.gradient_tolerance == 1e-10);
  assert_true(options.threads == 0 && !options.progress.tick && !options.unsafe_diagnostics);
  assert_true(!options.regularizer.weights && !options.regularizer.prior);
  assert_null(options.regularizer.eval);
}

TEST(automatic_lambda_is_one_over_the_rows) {
  auto_data *data = dense_data(1.0);
  dperm_options options = plain();
  auto_model *automatic = train(data, &options);
  options.lambda = 1.0 / ROWS;
  auto_model *given = train(data, &options);
  assert_true(automatic->plan.lambda == 1.0 / ROWS);
  assert_memory_equal(automatic->weights, given->weights, sizeof(double) * DIMS);
}

TEST(the_model_says_what_it_is) {
  auto_data *data = dense_data(2.0);
  dperm_options options = plain();
  assert_ok(dperm_loss_huber(0.25, &options.loss, err));
  options.lambda = 0.03;
  auto_model *model = train(data, &options);
  assert_int_equal(dperm_model_dims(model), DIMS);
  assert_int_equal(dperm_model_is_private(model), 0);
  assert_null(dperm_model_schema(model));
  assert_string_equal(dperm_model_class_name(model, 0), "-1");
  assert_string_equal(dperm_model_class_name(model, 1), "+1");
  assert_null(dperm_model_class_name(model, 2));
  assert_string_equal(model->loss, "huber");
  assert_int_equal(model->plan.mechanism, DPERM_MECHANISM_NONE);
  assert_non_null(strstr(model->reason, "without"));
  assert_true(model->loss_h == 0.25 && model->plan.lambda == 0.03 && model->norm_bound == 2);
  assert_true(model->rows == ROWS && model->rows_fitted == ROWS);
}

/* The objective at f, by the definition. */
static double objective_at(const dperm_data *data, const dperm_options *options, const double *f) {
  double total = 0, row[DIMS], penalty = 0;
  for (size_t i = 0; i < ROWS; i++) {
    double z = 0, value = 0;
    assert_ok(dperm_data_row(data, i, row, err));
    for (size_t j = 0; j < DIMS; j++) {
      z += row[j] * f[j];
    }
    z *= dperm_data_labels(data)[i];
    options->loss.eval(&options->loss, 1, &z, &value, NULL, NULL);
    total += value;
  }
  for (size_t j = 0; j < DIMS; j++) {
    penalty += 0.5 * f[j] * f[j];
  }
  return total / ROWS + options->lambda * penalty;
}

TEST(diagnostics_are_filled_and_true) {
  auto_data *data = dense_data(1.0);
  for (int which = 0; which < 3; which++) {
    static const char *const names[] = {"logistic", "huber", "smooth-hinge"};
    dperm_unsafe_diagnostics seen = {.solve_seconds = -1};
    dperm_options options = plain();
    options.lambda = 1e-3;
    options.unsafe_diagnostics = &seen;
    assert_ok(dperm_loss_by_name(names[which], 0.5, &options.loss, err));
    auto_model *model = train(data, &options);
    dperm_metrics m;
    assert_ok(dperm_model_score(model, data, &m, err));
    assert_in_range(seen.iterations, 1, 50);
    assert_true(seen.gradient_norm >= 0 && seen.gradient_norm <= 1e-10);
    assert_true(seen.solve_seconds >= 0 && seen.solve_seconds < 60);
    assert_close(seen.training_error, m.error_rate, 0);
    double least = objective_at(data, &options, dperm_model_weights(model));
    assert_close(seen.objective, least, 1e-13);
    for (size_t j = 0; j < DIMS; j++) { /* a step either way goes up */
      double f[DIMS];
      for (int side = -1; side <= 1; side += 2) {
        memcpy(f, dperm_model_weights(model), sizeof f);
        f[j] += side * 1e-3;
        assert_true(objective_at(data, &options, f) > least);
      }
    }
  }
}

TEST(dense_and_sparse_rows_give_the_same_model) {
  for (double norm = 0.3; norm < 4; norm *= 3) { /* the small ones clip */
    auto_data *dense = dense_data(norm), *sparse = sparse_data(norm);
    dperm_options options = plain();
    options.lambda = 0.01;
    auto_model *first = train(dense, &options), *second = train(sparse, &options);
    for (size_t j = 0; j < DIMS; j++) {
      assert_close(first->weights[j], second->weights[j], 1e-9);
    }
  }
}

TEST(threads_do_not_change_the_model) {
  auto_data *data = sparse_data(1.0);
  dperm_options options = plain();
  auto_model *first = train(data, &options);
  for (int threads = 1; threads <= 3; threads++) {
    options.threads = threads;
    auto_model *model = train(data, &options);
    assert_memory_equal(model->weights, first->weights, sizeof(double) * DIMS);
  }
}

/* Legal however odd: one row, one class, huge norms, huge weights on the penalty. */
TEST(odd_but_legal_data_are_fitted) {
  const double norms[] = {1e-100, 1e-3, 1.0, 1e3, 1e6, 1e100};
  for (size_t i = 0; i < 6; i++) {
    for (int which = 0; which < 3; which++) {
      static const char *const names[] = {"logistic", "huber", "smooth-hinge"};
      const double long_rows[] = {1e150, 1e150, -1e150, 1e149, 0, 0}, ys[] = {1, 1, 1};
      auto_data *data = NULL;
      dperm_options options = plain();
      assert_ok(dperm_loss_by_name(names[which], 0.5, &options.loss, err));
      assert_ok(dperm_data_from_dense(3, 2, long_rows, ys, norms[i], &data, err));
      auto_model *model = train(data, &options);
      assert_true(isfinite(model->weights[0]) && isfinite(model->weights[1]));
    }
  }
}

TEST(heavy_penalties_are_fitted) {
  const double weights[DIMS] = {1, 1e3, 1e6, 1e9, 1e12}, prior[DIMS] = {1, -1, 1, -1, 1.0 / 3};
  auto_data *data = dense_data(1.0);
  dperm_options options = plain();
  options.lambda = 1;
  options.regularizer.weights = weights;
  options.regularizer.prior = prior;
  auto_model *model = train(data, &options);
  assert_close(model->weights[4], 1.0 / 3, 1e-11);
}

TEST_GROUP(make_rows, NULL)
