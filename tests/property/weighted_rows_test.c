/* Rows that count for a share of themselves: the objective, its gradient, its curvature and its
 * derivatives along a line agree with the reference and with each other; a fit with weights of
 * classes is the fit to rows that stand there so many times; weights that are all equal change
 * nothing; and privacy's figures are those of a fit without. */
#include <math.h>
#include <stdlib.h>

#include "reference.h"
#include "run/fit.h"

static const double shares_of_labels[2] = {0.25, 1};

/* ---- derivatives */

static point point_new(const problem *p, scratch *work) {
  point at;
  assert_ok(point_take(p, work, NULL, &at, err));
  return at;
}

static void check_derivatives(const test_problem *t, const matrix *x, uint64_t seed) {
  problem p = problem_for(t, x);
  scratch work = {0};
  size_t cols = x->cols;
  OWNED_MEMORY long double *gradient = calloc(cols, sizeof *gradient);
  OWNED_MEMORY double *direction = calloc(cols, sizeof *direction), *q = calloc(x->rows, sizeof *q);
  double objective = 0, step = 1e-5, along[3], bend[3];
  assert_true(gradient && direction && q);
  random_source r = seeded(seed);
  point at = point_new(&p, &work);
  for (size_t j = 0; j < cols; j++) {
    at.f[j] = 2 * random_normal(&r);
    direction[j] = random_normal(&r);
  }
  assert_ok(problem_evaluate(&p, false, &at, err));
  assert_ok(problem_objective(&p, at.f, &objective, err));
  assert_close(objective, (double)reference_objective(t, at.f, gradient), 1e-12);
  double slope = 0, second = 0;
  for (size_t j = 0; j < cols; j++) {
    assert_close(at.gradient[j], (double)gradient[j], 1e-12);
    slope += at.gradient[j] * direction[j];
  }
  assert_ok(matrix_apply(x, direction, 1, q, err));
  for (int i = 0; i < 3; i++) {
    assert_ok(problem_along(&p, &at, direction, q, (i - 1) * step, &along[i], &bend[i], err));
  }
  assert_close(along[1], slope, 1e-10 * (1 + fabs(slope)));
  for (size_t i = 0; i < x->rows; i++) { /* the curvature of rows is what the line sees */
    second += at.curvature[i] * q[i] * q[i] / (double)x->rows;
  }
  for (size_t j = 0; j < cols; j++) {
    second += (t->lambda + t->ridge) * direction[j] * direction[j];
  }
  assert_close(bend[1], second, 1e-10 * (1 + second));
  assert_close((along[2] - along[0]) / (2 * step), bend[1], 1e-4 * (1 + bend[1]));
  scratch_free(&work);
}

TEST(derivatives_are_those_of_the_weighted_objective) {
  for (uint64_t seed = 0; seed < 12; seed++) {
    OWNED(test_rows_free_at) test_rows *data = test_rows_random(seed, 700, 1 + seed % 7, 0.6);
    OWNED(test_problem_clear) test_problem t;
    test_rows_share(data, seed);
    test_problem_init(&t, seed, data, (reference_loss)(seed % 3), 0.5, 0.01, 0.002, REF_RIDGE,
                      seed % 2);
    check_derivatives(&t, data->dense, seed);
    check_derivatives(&t, data->sparse, seed);
  }
}

/* ---- fits */

typedef struct records {
  size_t rows, cols, classes;
  double *x;
  uint32_t *labels;
} records;

/* With labels that a few hyperplanes explain, and classes that are not equally frequent. */
static records records_new(uint64_t seed, size_t rows, size_t cols, size_t classes) {
  records out = {rows, cols, classes, calloc(rows * cols, sizeof(double)),
                 calloc(rows, sizeof(uint32_t))};
  assert_true(out.x && out.labels);
  random_source r = seeded(seed);
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < cols; j++) {
      out.x[i * cols + j] = random_normal(&r);
    }
    double place = out.x[i * cols] + 0.7 * random_normal(&r) - 0.8;
    out.labels[i] = place > 0.8 && classes > 2 ? 2 : place > 0;
  }
  return out;
}

/* Record i as often as its class says. */
static records records_repeated(const records *from, const size_t *times) {
  size_t rows = 0, at = 0;
  for (size_t i = 0; i < from->rows; i++) {
    rows += times[from->labels[i]];
  }
  records out = {rows, from->cols, from->classes, calloc(rows * from->cols, sizeof(double)),
                 calloc(rows, sizeof(uint32_t))};
  assert_true(out.x && out.labels);
  for (size_t i = 0; i < from->rows; i++) {
    for (size_t k = 0; k < times[from->labels[i]]; k++, at++) {
      memcpy(out.x + at * from->cols, from->x + i * from->cols, from->cols * sizeof *out.x);
      out.labels[at] = from->labels[i];
    }
  }
  return out;
}

static void records_free(records *r) {
  free(r->x);
  free(r->labels);
}

static const char *const names[] = {"rare", "common", "third"};

static dperm_data *data_of(const records *r) {
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_dense(r->rows, r->cols, r->x, NULL, 4, &data, err));
  assert_ok(dperm_data_label(data, r->labels, r->classes, names, err));
  return data;
}

static dperm_model *fit(const records *r, dperm_options options, const size_t *times) {
  OWNED(dperm_data_free_at) dperm_data *data = data_of(r);
  dperm_model *model = NULL;
  dperm_class_weight weights[3];
  for (size_t k = 0; times && k < r->classes; k++) {
    weights[k] = (dperm_class_weight){names[k], (double)times[k]};
  }
  options.class_weights = times ? weights : NULL;
  options.class_weight_count = times ? r->classes : 0;
  assert_ok(dperm_train(data, &options, &model, err));
  return model;
}

static void assert_same_weights(const dperm_model *a, const dperm_model *b, double apart) {
  size_t count = dperm_model_dims(a) * class_fits(a->classes.count);
  for (size_t j = 0; j < count; j++) {
    assert_close(dperm_model_weights(a)[j], dperm_model_weights(b)[j], apart);
  }
}

/* (1/n) Σ (t_i/T) ℓ_i + Λ N and (1/m) Σ t_i ℓ_i + Λ(nT/m) N differ by a factor, m = Σ t_i. */
static void check_repeated(const dperm_options *options, size_t rows, size_t classes) {
  static const size_t times[3] = {1, 3, 2};
  records once = records_new(rows, rows, 5, classes), often = records_repeated(&once, times);
  dperm_options wide = *options;
  wide.lambda *= 3 * (double)once.rows / (double)often.rows;
  dperm_model *weighted = fit(&once, *options, times), *repeated = fit(&often, wide, NULL);
  assert_same_weights(weighted, repeated, 1e-6);
  dperm_model_free(weighted);
  dperm_model_free(repeated);
  records_free(&once);
  records_free(&often);
}

TEST(weights_of_classes_are_records_repeated) {
  static const size_t sizes[] = {60, 900, 6000}; /* the last one starts from a sample */
  dperm_options options = USUAL(dperm_options);
  options.mechanism = DPERM_MECHANISM_NONE;
  options.lambda = 0.01;
  for (int loss = 0; loss < 3; loss++) {
    options.loss = library_loss((reference_loss)loss, 0.5);
    for (size_t s = 0; s < 3; s++) {
      check_repeated(&options, sizes[s], 2);
      check_repeated(&options, sizes[s], 3);
    }
  }
  options.kernel = (dperm_kernel){DPERM_KERNEL_GAUSSIAN, 0.3, 20, 0, 5};
  check_repeated(&options, 900, 2);
}

TEST(equal_weights_change_nothing) {
  static const size_t fours[3] = {4, 4, 4};
  records r = records_new(3, 500, 4, 2);
  dperm_options options = options_for(1);
  for (int output = 0; output < 2; output++) {
    options.mechanism = output ? DPERM_MECHANISM_OUTPUT : DPERM_MECHANISM_OBJECTIVE;
    dperm_model *models[2];
    for (int i = 0; i < 2; i++) {
      assert_ok(dperm_random_seeded(9, &options.random, err));
      models[i] = fit(&r, options, i ? fours : NULL);
      dperm_random_free(options.random);
    }
    assert_same_weights(models[0], models[1], 0);
    assert_true(models[1]->class_weights[0] == 1 && models[1]->class_weights[1] == 1);
    dperm_model_free(models[0]);
    dperm_model_free(models[1]);
  }
  records_free(&r);
}

/* All that calibration decides: the noise is that of the same fit without weights. */
TEST(weights_do_not_change_what_privacy_costs) {
  static const size_t times[3] = {1, 3, 2};
  records r = records_new(4, 500, 4, 3);
  dperm_options options = USUAL(dperm_options);
  for (int output = 0; output < 2; output++) {
    options.mechanism = output ? DPERM_MECHANISM_OUTPUT : DPERM_MECHANISM_OBJECTIVE;
    options.epsilon = 1;
    auto_model *with = fit(&r, options, times), *without = fit(&r, options, NULL);
    assert_true(dperm_model_is_private(with));
    assert_true(with->plan.noise.beta == without->plan.noise.beta);
    assert_true(with->plan.lambda == without->plan.lambda);
    assert_true(with->plan.delta_reg == without->plan.delta_reg);
    assert_true(with->claim.delta == without->claim.delta);
    assert_true(with->release.promised.gradient >= without->release.promised.gradient);
  }
  records_free(&r);
}

/* One record of either class moves the minimizer by at most 2LR/(nΛ), and two of the heavy class
 * do: the bound that noise is made for is right, and no larger than it must be. */
TEST(a_record_moves_the_solution_no_further_than_without_weights) {
  enum { ROWS = 6 };
  const double lambda = 0.5, bound = 2 / (ROWS * lambda);
  const double xs[] = {-1, 1}, ys[] = {-1, 1};
  double at[4], furthest = 0;
  dperm_options options = USUAL(dperm_options);
  options.mechanism = DPERM_MECHANISM_NONE;
  options.lambda = lambda;
  assert_ok(dperm_loss_huber(0.1, &options.loss, err));
  const dperm_class_weight weights[] = {{"-1", shares_of_labels[0] * 8}, {"+1", 8}};
  options.class_weights = weights;
  options.class_weight_count = 2;
  for (int i = 0; i < 4; i++) {
    double x[ROWS] = {0}, y[ROWS] = {1, -1, 1, -1, 1, -1};
    OWNED(dperm_data_free_at) dperm_data *data = NULL;
    OWNED(dperm_model_free_at) dperm_model *model = NULL;
    x[0] = xs[i % 2];
    y[0] = ys[i / 2];
    assert_ok(dperm_data_from_dense(ROWS, 1, x, y, 1, &data, err));
    assert_ok(dperm_train(data, &options, &model, err));
    at[i] = dperm_model_weights(model)[0];
  }
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < i; j++) {
      furthest = fmax(furthest, fabs(at[i] - at[j]));
    }
  }
  assert_close(furthest, bound, 1e-9);
  assert_close(fabs(at[0] - at[1]), shares_of_labels[0] * bound, 1e-9);
}

/* Whatever came to compute shares: one above 1 ends a fit before anything is released. */
TEST(a_row_that_counts_for_more_than_once_ends_the_fit) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(2, 50, 3, 1);
  OWNED(test_problem_clear) test_problem t;
  fit_plan plan = {0};
  solver_report report;
  double f[3], rest[3], weights[3] = {7, 7, 7};
  solution found = {f, rest};
  const double wrong[] = {1 + 0x1p-52, -0x1p-60, (double)NAN, 1e300};
  OWNED(dperm_data_free_at) dperm_data *rows = NULL;
  test_rows_share(data, 2);
  test_problem_init(&t, 2, data, REF_LOGISTIC, 0.5, 0.1, 0, REF_RIDGE, false);
  dperm_options options = options_for(1);
  assert_ok(dperm_data_from_dense(50, 3, data->x, data->labels, 1, &rows, err));
  assert_ok(fit_plan_check(rows, 50, &options, NULL, &plan, err));
  random_source source = seeded(1);
  const problem p = problem_for(&t, data->dense);
  const solver_options how = {.tolerance = 1e-9};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    double right = data->shares[17];
    data->shares[17] = wrong[i];
    assert_fails(fit_run(&plan, &p, &how, &source, &found, weights, &report, err),
                 DPERM_NUMERIC_ERROR, "a record counts for more than the noise is made for");
    data->shares[17] = right;
  }
  assert_true(weights[0] == 7 && weights[1] == 7 && weights[2] == 7);
  assert_ok(fit_run(&plan, &p, &how, &source, &found, weights, &report, err));
  assert_true(weights[0] != 7);
}
