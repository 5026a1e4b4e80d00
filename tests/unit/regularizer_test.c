/* The regularizer: ridge, weights, a prior, custom ones; and the refusal of everything that is not
 * 1-strongly convex. */
#include "loss/loss.h"

#include <math.h>

#include "reference.h"

typedef struct answer {
  double value, slope, curvature;
} answer;

static answer ask(const dperm_regularizer *r, size_t j, double f) {
  answer a = {0, 0, 0};
  assert_ok(regularizer_eval(r, j, f, &a.value, &a.slope, &a.curvature, err));
  return a;
}

TEST(all_zeros_is_ridge) {
  const dperm_regularizer ridge = {0};
  assert_ok(regularizer_validate(&ridge, 5, err));
  for (double f = -3; f <= 3; f += 0.375) {
    answer a = ask(&ridge, 2, f);
    assert_true(a.value == 0.5 * f * f && a.slope == f && a.curvature == 1);
  }
}

TEST(weights_scale_and_a_prior_moves_the_minimum) {
  const double weights[] = {1, 1e9}, prior[] = {-4, 0.5};
  const dperm_regularizer r = {.weights = weights, .prior = prior};
  assert_ok(regularizer_validate(&r, 2, err));
  for (size_t j = 0; j < 2; j++) {
    answer at = ask(&r, j, prior[j]), beside = ask(&r, j, prior[j] + 1);
    assert_true(at.value == 0 && at.slope == 0 && at.curvature == weights[j]);
    assert_true(beside.value == 0.5 * weights[j] && beside.slope == weights[j]);
  }
}

static void count_eval(void *context, size_t j, double f, double *value, double *slope,
                       double *curvature) {
  ++*(size_t *)context;
  *value = f * f * (double)(j + 1);
  *slope = 2 * f * (double)(j + 1);
  *curvature = 2 * (double)(j + 1);
}

TEST(a_custom_one_is_asked_with_its_context_and_column) {
  size_t calls = 0;
  const dperm_regularizer r = {.eval = count_eval, .context = &calls};
  assert_ok(regularizer_validate(&r, 7, err));
  assert_true(calls > 0); /* its slope was looked at */
  calls = 0;
  answer a = ask(&r, 3, 0.5);
  assert_true(a.value == 1 && a.slope == 4 && a.curvature == 8);
  assert_int_equal(calls, 1);
}

TEST(weights_below_one_are_refused) {
  const double bad[] = {nextafter(1, 0), 0, -2, (double)NAN, (double)INFINITY};
  for (size_t i = 0; i < 5; i++) {
    const double weights[] = {1, 1, bad[i]};
    const dperm_regularizer r = {.weights = weights};
    assert_fails(regularizer_validate(&r, 3, err), DPERM_INVALID_ARGUMENT, "weight 2");
    assert_ok(regularizer_validate(&r, 2, err));
  }
}

TEST(a_prior_that_is_not_finite_is_refused) {
  const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  for (size_t i = 0; i < 3; i++) {
    const double prior[] = {0, bad[i]};
    const dperm_regularizer r = {.prior = prior};
    assert_fails(regularizer_validate(&r, 2, err), DPERM_INVALID_ARGUMENT, "prior 1");
  }
}

TEST(custom_and_quadratic_do_not_mix) {
  const double ones[] = {1, 1};
  const dperm_regularizer weighted = {.weights = ones, .eval = quartic_eval};
  const dperm_regularizer towards = {.prior = ones, .eval = quartic_eval};
  assert_fails(regularizer_validate(&weighted, 2, err), DPERM_INVALID_ARGUMENT, "takes no weights");
  assert_fails(regularizer_validate(&towards, 2, err), DPERM_INVALID_ARGUMENT, "no prior");
}

/* |f| with a little ridge: what someone who wants L1 might try. */
static void lasso_eval(void *context, size_t j, double f, double *value, double *slope,
                       double *curvature) {
  *value = fabs(f) + 0.05 * f * f;
  *slope = (f > 0) - (f < 0) + 0.1 * f;
  *curvature = 0.1;
}

TEST(weak_convexity_is_refused_wherever_it_shows) {
  const dperm_regularizer r = {.eval = lasso_eval};
  double value, slope, curvature;
  dperm_error seen;
  assert_fails(regularizer_eval(&r, 4, 0.5, &value, &slope, &curvature, err),
               DPERM_INVALID_ARGUMENT, "below 1 somewhere");
  assert_int_equal(regularizer_eval(&r, 4, 0.5, &value, &slope, &curvature, &seen),
                   DPERM_INVALID_ARGUMENT);
  assert_null(strpbrk(seen.message, "045[")); /* where is a step of the solver */
  assert_int_equal(regularizer_eval(&r, 4, 0.5, &value, &slope, &curvature, NULL),
                   DPERM_INVALID_ARGUMENT);
}

/* Its slope is right, and the rest it forgets. */
static void slope_eval(void *context, size_t j, double f, double *value, double *slope,
                       double *curvature) {
  *slope = 2 * f;
}

TEST(numbers_that_eval_does_not_fill_are_none_of_memory) {
  const dperm_regularizer r = {.eval = slope_eval};
  double value = 7, slope = 7, curvature = 7; /* what happens to stand there */
  assert_fails(regularizer_validate(&r, 1, err), DPERM_INVALID_ARGUMENT, "all three numbers");
  assert_fails(regularizer_eval(&r, 0, 0.5, &value, &slope, &curvature, err),
               DPERM_INVALID_ARGUMENT, "below 1 somewhere");
  assert_true(value == 0 && slope == 1 && curvature == 0);
}

static void broken_eval(void *context, size_t j, double f, double *value, double *slope,
                        double *curvature) {
  *value = 0.5 * f * f;
  *slope = f;
  *curvature = 1;
  *(j == 0 ? value : j == 1 ? slope : curvature) = *(double *)context;
}

/* In an evaluation that counts; a trial step may overflow (property/solver_hard_test.c). */
TEST(values_that_are_not_finite_are_refused) {
  auto_rows *data = test_rows_random(1, 10, 3, 1.0);
  double bad[] = {(double)NAN, (double)INFINITY};
  for (size_t i = 0; i < 6; i++) {
    test_problem t;
    test_problem_init(&t, 1, data, REF_LOGISTIC, 1, 0.1, 0, REF_RIDGE, false);
    t.regularizer = (dperm_regularizer){.eval = broken_eval, .context = &bad[i % 2]};
    problem p = problem_for(&t, data->dense);
    const solver_options how = {.tolerance = 1e-10};
    solver_report report;
    double f[3] = {0};
    assert_fails(solve(&p, &how, f, &report, err), DPERM_NUMERIC_ERROR, "f[0]");
    test_problem_clear(&t);
  }
}
