/* The solver where solvers fail: starts far away, almost no regularization, losses with almost a
 * kink, separable data, singular Hessians, regularizers that overflow or weigh by many powers of
 * ten. Converged must mean what the header says, by the word of the long double reference: the
 * tolerance is met, or nothing but rounding is left. */
#include <math.h>
#include <stdlib.h>

#include "base/threads.h"
#include "reference.h"
#include "solve/certify.h"

enum { MOST = 400 }; /* iterations that any of these may take; the solver's own limit is 2000 */

static void fill_far(uint64_t seed, double norm, double *f, size_t cols) {
  random_source r;
  double sum = 0;
  assert_ok(random_seeded(seed, &r, err));
  for (size_t j = 0; j < cols; j++) {
    f[j] = random_normal(&r);
    sum += f[j] * f[j];
  }
  for (size_t j = 0; j < cols; j++) {
    f[j] *= norm / sqrt(sum);
  }
}

/* From one start, by one way of the four. */
static void solve_from(const test_problem *t, int way, double *f, const char *what) {
  problem p = problem_for(t, way & 1 ? t->data->sparse : t->data->dense);
  const solver_options how = {.method = way & 2 ? SOLVER_CG : SOLVER_CHOLESKY, .tolerance = 1e-10};
  solver_report report;
  assert_ok(solve(&p, &how, f, &report, err));
  double rounding = rounding_limit(&p, f), norm = reference_gradient_norm(t, f);
  if (!report.converged || report.iterations > MOST ||
      !(norm <= fmax(1e-10, 4 * rounding) + rounding)) {
    fail_msg("%s, loss %d, h %g, lambda %g, way %d: %s after %zu iterations, gradient %g "
             "(reported %g, rounding %g)",
             what, (int)t->loss, t->h, t->lambda, way, report.converged ? "converged" : "gave up",
             report.iterations, norm, report.gradient_norm, rounding);
  }
}

/* From zero and from far away, by all four ways. */
static void solve_everywhere(const test_problem *t, const char *what) {
  static const double norms[] = {0, 1e3, 1e6, 1e8};
  double *f = calloc(t->data->cols, sizeof *f);
  assert_non_null(f);
  for (int way = 0; way < 4; way++) {
    for (size_t i = 0; i < 4; i++) {
      fill_far(100 + i, norms[i], f, t->data->cols);
      solve_from(t, way, f, what);
    }
  }
  free(f);
}

/* All losses, lambdas and widths on one set of rows; frees it. */
static void try_all(test_rows *data, const char *what) {
  static const double lambdas[] = {1.0, 1e-3, 1e-6, 1e-10};
  static const double widths[] = {0.5, 1e-3, 1e-6};
  for (int loss = 0; loss < 3; loss++) {
    for (size_t l = 0; l < 4; l++) {
      for (size_t w = 0; w < (loss == REF_LOGISTIC ? 1 : 3); w++) {
        test_problem t;
        test_problem_init(&t, 1, data, (reference_loss)loss, widths[w], lambdas[l], 0, REF_RIDGE,
                          false);
        solve_everywhere(&t, what);
        test_problem_clear(&t);
      }
    }
  }
  test_rows_free(data);
}

static void converges_on_noisy_data(void **state) {
  (void)state;
  try_all(test_rows_random(11, 120, 6, 0.7), "noisy");
}

static void converges_on_separable_data(void **state) {
  (void)state;
  test_rows *data = test_rows_random(12, 80, 5, 1.0);
  for (size_t i = 0; i < data->rows; i++) {
    data->labels[i] = data->x[i * data->cols] + data->x[i * data->cols + 1] > 0 ? 1.0 : -1.0;
  }
  try_all(data, "separable");
}

static void converges_with_more_columns_than_rows(void **state) {
  (void)state;
  try_all(test_rows_random(13, 8, 25, 0.6), "n < d");
}

static void converges_on_one_row(void **state) {
  (void)state;
  try_all(test_rows_random(14, 1, 3, 1.0), "one row");
}

static void converges_with_one_column(void **state) {
  (void)state;
  try_all(test_rows_random(15, 40, 1, 1.0), "one column");
}

static void converges_on_labels_of_one_class(void **state) {
  (void)state;
  test_rows *data = test_rows_random(16, 60, 4, 0.8);
  for (size_t i = 0; i < data->rows; i++) {
    data->labels[i] = 1.0;
  }
  try_all(data, "one class");
}

static void converges_on_rows_of_zeros(void **state) {
  (void)state;
  double *x = calloc(30 * 4, sizeof *x), *labels = calloc(30, sizeof *labels);
  assert_true(x && labels);
  for (size_t i = 0; i < 30; i++) {
    labels[i] = i % 3 ? 1.0 : -1.0;
  }
  try_all(test_rows_of(30, 4, x, labels), "zeros");
}

static test_rows *constant_rows(void) {
  double *x = calloc(30 * 4, sizeof *x), *labels = calloc(30, sizeof *labels);
  assert_true(x && labels);
  for (size_t i = 0; i < 30; i++) {
    labels[i] = i % 3 ? 1.0 : -1.0;
    for (size_t j = 0; j < 4; j++) {
      x[i * 4 + j] = 0.49;
    }
  }
  return test_rows_of(30, 4, x, labels);
}

static void converges_on_constant_rows(void **state) {
  (void)state;
  try_all(constant_rows(), "constant");
}

/* Duplicated columns, one of them again in units so small that it hardly shows. */
static test_rows *duplicated_rows(void) {
  test_rows *from = test_rows_random(17, 70, 3, 0.8);
  double *x = calloc(70 * 7, sizeof *x), *labels = calloc(70, sizeof *labels);
  assert_true(x && labels);
  for (size_t i = 0; i < 70; i++) {
    for (size_t j = 0; j < 6; j++) {
      x[i * 7 + j] = 0.7 * from->x[i * 3 + j % 3];
    }
    x[i * 7 + 6] = 1e-9 * from->x[i * 3];
    labels[i] = from->labels[i];
  }
  test_rows_free(from);
  return test_rows_of(70, 7, x, labels);
}

static void converges_on_duplicated_columns(void **state) {
  (void)state;
  try_all(duplicated_rows(), "duplicated");
}

/* Contradicting labels on the same rows put the minimum exactly between two flat pieces. */
static void converges_where_every_row_is_contradicted(void **state) {
  (void)state;
  test_rows *from = test_rows_random(18, 30, 4, 0.9);
  double *x = calloc(60 * 4, sizeof *x), *labels = calloc(60, sizeof *labels);
  assert_true(x && labels);
  for (size_t i = 0; i < 60; i++) {
    memcpy(x + i * 4, from->x + i / 2 * 4, 4 * sizeof *x);
    labels[i] = i % 2 ? 1.0 : -1.0;
  }
  test_rows_free(from);
  try_all(test_rows_of(60, 4, x, labels), "contradicted");
}

static void converges_on_a_larger_problem_with_almost_no_regularization(void **state) {
  (void)state;
  test_rows *data = test_rows_random(19, 2000, 40, 0.2);
  for (int loss = 0; loss < 3; loss++) {
    test_problem t;
    test_problem_init(&t, 1, data, (reference_loss)loss, 0.05, 1e-10, 0, REF_RIDGE, false);
    double f[40];
    for (int way = 0; way < 4; way++) {
      fill_far(4, 1e6, f, 40);
      solve_from(&t, way, f, "larger");
      memset(f, 0, sizeof f);
      solve_from(&t, way, f, "larger");
    }
    test_problem_clear(&t);
  }
  test_rows_free(data);
}

/* ---- regularizers and linear terms */

static void converges_for_every_regularizer_from_far_away(void **state) {
  (void)state;
  test_rows *data = test_rows_random(20, 90, 6, 0.7);
  for (int kind = REF_RIDGE; kind <= REF_QUARTIC; kind++) {
    for (int loss = 0; loss < 3; loss++) {
      for (double lambda = 1; lambda > 1e-9; lambda /= 1e4) {
        test_problem t;
        test_problem_init(&t, 5, data, (reference_loss)loss, 0.1, lambda, 1e-3,
                          (reference_regularizer)kind, true);
        solve_everywhere(&t, "regularizer");
        test_problem_clear(&t);
      }
    }
  }
  test_rows_free(data);
}

static void converges_with_huge_weights_and_a_prior(void **state) {
  (void)state;
  test_rows *data = test_rows_random(21, 90, 6, 0.7);
  for (double top = 1e3; top < 1e13; top *= 1e3) {
    test_problem t;
    test_problem_init(&t, 6, data, REF_LOGISTIC, 1, 0.7, 0, REF_WEIGHTED_PRIOR, false);
    for (size_t j = 0; j < data->cols; j++) {
      t.weights[j] = j % 2 ? top : 1.0;
    }
    solve_everywhere(&t, "huge weights");
    test_problem_clear(&t);
  }
  test_rows_free(data);
}

static void converges_with_a_prior_far_away(void **state) {
  (void)state;
  test_rows *data = test_rows_random(22, 90, 6, 0.7);
  static const double distances[] = {1e3, 1e6, 1e9, 1e12, 1e120};
  for (size_t i = 0; i < 5; i++) {
    for (int loss = 0; loss < 3; loss++) {
      test_problem t;
      test_problem_init(&t, 7, data, (reference_loss)loss, 0.5, 1e-3, 0, REF_PRIOR, false);
      for (size_t j = 0; j < data->cols; j++) {
        t.prior[j] *= distances[i];
      }
      solve_everywhere(&t, "far prior");
      test_problem_clear(&t);
    }
  }
  test_rows_free(data);
}

/* Noise of a very small epsilon: a linear term far above anything the data say. */
static void converges_with_a_huge_linear_term(void **state) {
  (void)state;
  test_rows *data = test_rows_random(23, 90, 6, 0.7);
  for (double big = 1; big < 1e10; big *= 1e3) {
    for (int loss = 0; loss < 3; loss++) {
      test_problem t;
      test_problem_init(&t, 8, data, (reference_loss)loss, 0.5, 1e-3, 1e-3, REF_RIDGE, true);
      for (size_t j = 0; j < data->cols; j++) {
        t.linear[j] *= big;
      }
      solve_everywhere(&t, "huge linear term");
      test_problem_clear(&t);
    }
  }
  test_rows_free(data);
}

/* Below any use, but legal: the Hessian is singular in doubles. */
static void converges_where_lambda_vanishes_beside_the_data(void **state) {
  (void)state;
  test_rows *all[3] = {test_rows_random(13, 8, 25, 0.6), duplicated_rows(), constant_rows()};
  for (int i = 0; i < 3; i++) {
    for (double lambda = 1e-14; lambda > 1e-40; lambda *= 1e-9) {
      for (int loss = 0; loss < 3; loss++) {
        test_problem t;
        test_problem_init(&t, 9, all[i], (reference_loss)loss, 0.5, lambda, 0, REF_RIDGE, false);
        solve_everywhere(&t, "vanishing lambda");
        test_problem_clear(&t);
      }
    }
    test_rows_free(all[i]);
  }
}

/* No tolerance is too small: the solver ends where rounding does, and says that it converged. */
static void an_unreachable_tolerance_ends_at_the_limit_of_precision(void **state) {
  (void)state;
  test_rows *data = test_rows_random(29, 700, 9, 0.6);
  for (int loss = 0; loss < 3; loss++) {
    for (double lambda = 1; lambda > 1e-9; lambda /= 100) {
      for (int way = 0; way < 4; way++) {
        for (int kind = REF_RIDGE; kind <= REF_QUARTIC; kind++) {
          test_problem t;
          double f[9];
          test_problem_init(&t, 12, data, (reference_loss)loss, 0.1, lambda, 0,
                            (reference_regularizer)kind, true);
          problem p = problem_for(&t, way & 1 ? data->sparse : data->dense);
          const solver_options how = {.method = way & 2 ? SOLVER_CG : SOLVER_CHOLESKY,
                                      .tolerance = 1e-300};
          solver_report report;
          fill_far(3, 100, f, 9);
          assert_ok(solve(&p, &how, f, &report, err));
          double rounding = rounding_limit(&p, f);
          if (!report.converged || report.iterations > MOST ||
              !(reference_gradient_norm(&t, f) <= 5 * rounding)) {
            fail_msg("loss %d, lambda %g, way %d, regularizer %d: %d, %zu iterations, %g (%g)",
                     loss, lambda, way, kind, report.converged, report.iterations,
                     report.gradient_norm, rounding);
          }
          test_problem_clear(&t);
        }
      }
    }
  }
  test_rows_free(data);
}

static void many_columns_are_solved_without_a_factorization(void **state) {
  (void)state;
  test_rows *data = test_rows_random(30, 400, 1100, 0.01);
  for (int loss = 0; loss < 3; loss++) {
    test_problem t;
    test_problem_init(&t, 13, data, (reference_loss)loss, 0.5, 1e-6, 0, REF_PRIOR, true);
    problem p = problem_for(&t, data->sparse);
    const solver_options how = {.method = SOLVER_AUTO, .tolerance = 1e-10};
    double *f = calloc(data->cols, sizeof *f);
    solver_report report;
    assert_non_null(f);
    assert_ok(solve(&p, &how, f, &report, err));
    assert_true(report.converged && report.iterations < MOST);
    assert_true(reference_gradient_norm(&t, f) <= 1.1e-10 + rounding_limit(&p, f));
    free(f);
    test_problem_clear(&t);
  }
  test_rows_free(data);
}

static void converges_for_lambda_of_any_size(void **state) {
  (void)state;
  test_rows *data = test_rows_random(24, 90, 6, 0.7);
  for (double lambda = 1e-300; lambda < 1e150; lambda *= 1e25) {
    for (int loss = 0; loss < 3; loss++) {
      for (int way = 0; way < 4; way++) {
        test_problem t;
        double f[6] = {0};
        test_problem_init(&t, 9, data, (reference_loss)loss, 0.5, lambda, 0, REF_RIDGE, false);
        solve_from(&t, way, f, "any lambda");
        test_problem_clear(&t);
      }
    }
  }
  test_rows_free(data);
}

/* N(f) = cosh f is smooth and 1-strongly convex, but overflows at 711: a step that goes beyond is
 * too long, not wrong. */
static void cosh_eval(void *context, size_t j, double f, double *value, double *slope,
                      double *curvature) {
  (void)context;
  (void)j;
  *value = *curvature = cosh(f);
  *slope = sinh(f);
}

static void a_step_beyond_the_regularizers_range_is_only_too_long(void **state) {
  (void)state;
  test_rows *data = test_rows_random(25, 60, 4, 0.9);
  for (int loss = 0; loss < 3; loss++) {
    for (double lambda = 1; lambda > 1e-9; lambda /= 100) {
      for (int way = 0; way < 4; way++) {
        test_problem t;
        test_problem_init(&t, 10, data, (reference_loss)loss, 0.5, lambda, 0, REF_RIDGE, true);
        t.regularizer.eval = cosh_eval;
        problem p = problem_for(&t, way & 1 ? data->sparse : data->dense);
        const solver_options how = {.method = way & 2 ? SOLVER_CG : SOLVER_CHOLESKY,
                                    .tolerance = 1e-10};
        solver_report report;
        double f[4] = {0};
        assert_ok(solve(&p, &how, f, &report, err));
        assert_true(report.converged);
        assert_true(report.gradient_norm <= 1e-10);
        test_problem_clear(&t);
      }
    }
  }
  test_rows_free(data);
}

int main(void) {
  thread_scope scope = threads_enter(1); /* thousands of tiny problems */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(converges_on_noisy_data),
      cmocka_unit_test(converges_on_separable_data),
      cmocka_unit_test(converges_with_more_columns_than_rows),
      cmocka_unit_test(converges_on_one_row),
      cmocka_unit_test(converges_with_one_column),
      cmocka_unit_test(converges_on_labels_of_one_class),
      cmocka_unit_test(converges_on_rows_of_zeros),
      cmocka_unit_test(converges_on_constant_rows),
      cmocka_unit_test(converges_on_duplicated_columns),
      cmocka_unit_test(converges_where_every_row_is_contradicted),
      cmocka_unit_test(converges_on_a_larger_problem_with_almost_no_regularization),
      cmocka_unit_test(converges_for_every_regularizer_from_far_away),
      cmocka_unit_test(converges_with_huge_weights_and_a_prior),
      cmocka_unit_test(converges_with_a_prior_far_away),
      cmocka_unit_test(converges_with_a_huge_linear_term),
      cmocka_unit_test(converges_where_lambda_vanishes_beside_the_data),
      cmocka_unit_test(an_unreachable_tolerance_ends_at_the_limit_of_precision),
      cmocka_unit_test(many_columns_are_solved_without_a_factorization),
      cmocka_unit_test(converges_for_lambda_of_any_size),
      cmocka_unit_test(a_step_beyond_the_regularizers_range_is_only_too_long),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  threads_leave(scope);
  return failed;
}
