/* The solver where solvers fail: starts far away, almost no regularization, losses with almost a
 * kink, separable data, singular Hessians, regularizers that overflow or weigh by many powers of
 * ten. Converged must mean what the header says, by the word of the long double reference: the
 * tolerance is met, or nothing but rounding is left. */
#include <math.h>
#include <stdlib.h>

#include "reference.h"
#include "solve/certify.h"

enum { MOST = 400 }; /* iterations that any of these may take; the solver's own limit is 2000 */

static void fill_far(uint64_t seed, double norm, double *f, size_t cols) {
  double sum = 0;
  random_source r = seeded(seed);
  for (size_t j = 0; j < cols; j++) {
    f[j] = random_normal(&r);
    sum += f[j] * f[j];
  }
  for (size_t j = 0; j < cols; j++) {
    f[j] *= norm / sqrt(sum);
  }
}

enum { WAYS = 4, AUTOMATIC = WAYS };

static solver_options options_of(int way, double tolerance) {
  return (solver_options){.method = way == AUTOMATIC ? SOLVER_AUTO
                                    : way & 2        ? SOLVER_CG
                                                     : SOLVER_CHOLESKY,
                          .tolerance = tolerance};
}

static problem problem_by(const test_problem *t, int way) {
  return problem_for(t, way == AUTOMATIC || way & 1 ? t->data->sparse : t->data->dense);
}

/* From one start, by one way of the four, or by the solver's own choice on sparse rows. */
static void solve_from(const test_problem *t, int way, double tolerance, double *f,
                       const char *what) {
  problem p = problem_by(t, way);
  const solver_options how = options_of(way, tolerance);
  solver_report report;
  assert_ok(solve(&p, &how, f, &report, err));
  double rounding = rounding_limit(&p, f), norm = reference_gradient_norm(t, f);
  if (!report.converged || report.iterations > MOST ||
      !(norm <= fmax(tolerance, 4 * rounding) + rounding)) {
    fail_msg("%s, loss %d, h %g, lambda %g, regularizer %d, way %d: %s after %zu iterations, "
             "gradient %g (reported %g, rounding %g)",
             what, (int)t->loss, t->h, t->lambda, (int)t->kind, way,
             report.converged ? "converged" : "gave up", report.iterations, norm,
             report.gradient_norm, rounding);
  }
}

/* From zero and from far away, by all four ways. */
static void solve_everywhere(const test_problem *t, const char *what) {
  static const double norms[] = {0, 1e3, 1e6, 1e8};
  OWNED_MEMORY double *f = calloc(t->data->cols, sizeof *f);
  assert_non_null(f);
  for (int way = 0; way < WAYS; way++) {
    for (size_t i = 0; i < 4; i++) {
      fill_far(100 + i, norms[i], f, t->data->cols);
      solve_from(t, way, 1e-10, f, what);
    }
  }
}

/* ---- rows */

static test_rows *noisy_rows(void) {
  return test_rows_random(11, 120, 6, 0.7);
}

static test_rows *separable_rows(void) {
  test_rows *data = test_rows_random(12, 80, 5, 1.0);
  for (size_t i = 0; i < data->rows; i++) {
    data->labels[i] = data->x[i * data->cols] + data->x[i * data->cols + 1] > 0 ? 1.0 : -1.0;
  }
  return data;
}

static test_rows *wide_rows(void) {
  return test_rows_random(13, 8, 25, 0.6);
}

static test_rows *one_row(void) {
  return test_rows_random(14, 1, 3, 1.0);
}

static test_rows *one_column(void) {
  return test_rows_random(15, 40, 1, 1.0);
}

static test_rows *rows_of_one_class(void) {
  test_rows *data = test_rows_random(16, 60, 4, 0.8);
  for (size_t i = 0; i < data->rows; i++) {
    data->labels[i] = 1.0;
  }
  return data;
}

static test_rows *rows_filled_with(double value) {
  double *x = calloc(30 * 4, sizeof *x), *labels = calloc(30, sizeof *labels);
  assert_true(x && labels);
  for (size_t i = 0; i < 30 * 4; i++) {
    x[i] = value;
    labels[i / 4] = i / 4 % 3 ? 1.0 : -1.0;
  }
  return test_rows_of(30, 4, x, labels);
}

static test_rows *rows_of_zeros(void) {
  return rows_filled_with(0);
}

static test_rows *constant_rows(void) {
  return rows_filled_with(0.49);
}

/* Duplicated columns, one of them again in units so small that it hardly shows. */
static test_rows *duplicated_columns(void) {
  OWNED(test_rows_free_at) test_rows *from = test_rows_random(17, 70, 3, 0.8);
  double *x = calloc(70 * 7, sizeof *x), *labels = calloc(70, sizeof *labels);
  assert_true(x && labels);
  for (size_t i = 0; i < 70; i++) {
    for (size_t j = 0; j < 6; j++) {
      x[i * 7 + j] = 0.7 * from->x[i * 3 + j % 3];
    }
    x[i * 7 + 6] = 1e-9 * from->x[i * 3];
    labels[i] = from->labels[i];
  }
  return test_rows_of(70, 7, x, labels);
}

/* Contradicting labels on the same rows put the minimum exactly between two flat pieces. */
static test_rows *contradicted_rows(void) {
  OWNED(test_rows_free_at) test_rows *from = test_rows_random(18, 30, 4, 0.9);
  double *x = calloc(60 * 4, sizeof *x), *labels = calloc(60, sizeof *labels);
  assert_true(x && labels);
  for (size_t i = 0; i < 60; i++) {
    memcpy(x + i * 4, from->x + i / 2 * 4, 4 * sizeof *x);
    labels[i] = i % 2 ? 1.0 : -1.0;
  }
  return test_rows_of(60, 4, x, labels);
}

static const struct {
  const char *what;
  test_rows *(*make)(void);
  bool singular; /* the Hessian is, without a regularizer */
} shapes[] = {{"noisy", noisy_rows, false},
              {"separable", separable_rows, false},
              {"n < d", wide_rows, true},
              {"one row", one_row, false},
              {"one column", one_column, false},
              {"one class", rows_of_one_class, false},
              {"zeros", rows_of_zeros, false},
              {"constant", constant_rows, true},
              {"duplicated", duplicated_columns, true},
              {"contradicted", contradicted_rows, false}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

TEST(converges_on_rows_of_every_shape) {
  static const double lambdas[] = {1.0, 1e-3, 1e-6, 1e-10};
  static const double widths[] = {0.5, 1e-3, 1e-6};
  for (size_t i = 0; i < SHAPES * 3 * 4; i++) {
    reference_loss loss = (reference_loss)(i % 3);
    auto_rows *data = shapes[i / 12].make();
    for (size_t w = 0; w < (loss == REF_LOGISTIC ? 1 : 3); w++) {
      OWNED(test_problem_clear) test_problem t;
      test_problem_init(&t, 1, data, loss, widths[w], lambdas[i / 3 % 4], 0, REF_RIDGE, false);
      solve_everywhere(&t, shapes[i / 12].what);
    }
  }
}

/* Below any use, but legal: the Hessian is singular in doubles. */
TEST(converges_where_lambda_vanishes_beside_the_data) {
  for (size_t i = 0; i < SHAPES; i++) {
    for (double lambda = 1e-14; shapes[i].singular && lambda > 1e-40; lambda *= 1e-9) {
      auto_rows *data = shapes[i].make();
      for (int loss = 0; loss < 3; loss++) {
        OWNED(test_problem_clear) test_problem t;
        test_problem_init(&t, 9, data, (reference_loss)loss, 0.5, lambda, 0, REF_RIDGE, false);
        solve_everywhere(&t, "vanishing lambda");
      }
    }
  }
}

TEST(converges_on_a_larger_problem_with_almost_no_regularization) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(19, 2000, 40, 0.2);
  for (int loss = 0; loss < 3; loss++) {
    OWNED(test_problem_clear) test_problem t;
    test_problem_init(&t, 1, data, (reference_loss)loss, 0.05, 1e-10, 0, REF_RIDGE, false);
    double f[40];
    for (int i = 0; i < 2 * WAYS; i++) {
      fill_far(4, i % 2 ? 0 : 1e6, f, 40);
      solve_from(&t, i / 2, 1e-10, f, "larger");
    }
  }
}

/* ---- regularizers and linear terms */

TEST(converges_for_every_regularizer_from_far_away) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(20, 90, 6, 0.7);
  for (int kind = REF_RIDGE; kind <= REF_QUARTIC; kind++) {
    for (int loss = 0; loss < 3; loss++) {
      for (double lambda = 1; lambda > 1e-9; lambda /= 1e4) {
        OWNED(test_problem_clear) test_problem t;
        test_problem_init(&t, 5, data, (reference_loss)loss, 0.1, lambda, 1e-3,
                          (reference_regularizer)kind, true);
        solve_everywhere(&t, "regularizer");
      }
    }
  }
}

/* Weights of many powers of ten, a prior far away, and the noise of a very small epsilon: a linear
 * term far above anything the data say. */
TEST(converges_with_numbers_of_many_sizes) {
  static const struct {
    const char *what;
    reference_regularizer kind;
    double lambda, ridge, sizes[5];
  } cases[] = {{"huge weights", REF_WEIGHTED_PRIOR, 0.7, 0, {1e3, 1e6, 1e9, 1e12}},
               {"far prior", REF_PRIOR, 1e-3, 0, {1e3, 1e6, 1e9, 1e12, 1e120}},
               {"huge linear term", REF_RIDGE, 1e-3, 1e-3, {1, 1e3, 1e6, 1e9}}};
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(21, 90, 6, 0.7);
  for (size_t i = 0; i < 3 * 5 * 3; i++) {
    size_t c = i / 15;
    double size = cases[c].sizes[i / 3 % 5];
    OWNED(test_problem_clear) test_problem t;
    test_problem_init(&t, 6, data, (reference_loss)(i % 3), 0.5, cases[c].lambda, cases[c].ridge,
                      cases[c].kind, c == 2);
    for (size_t j = 0; size > 0 && j < data->cols; j++) {
      if (c == 0) {
        t.weights[j] = j % 2 ? size : 1.0;
      } else {
        *(c == 1 ? &t.prior[j] : &t.linear[j]) *= size;
      }
    }
    if (size > 0) {
      solve_everywhere(&t, cases[c].what);
    }
  }
}

/* No tolerance is too small: the solver ends where rounding does, and says that it converged. */
TEST(an_unreachable_tolerance_ends_at_the_limit_of_precision) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(29, 700, 9, 0.6);
  for (int i = 0; i < 3 * WAYS * (REF_QUARTIC + 1); i++) {
    for (double lambda = 1; lambda > 1e-9; lambda /= 100) {
      OWNED(test_problem_clear) test_problem t;
      double f[9];
      test_problem_init(&t, 12, data, (reference_loss)(i % 3), 0.1, lambda, 0,
                        (reference_regularizer)(i / 3 / WAYS), true);
      fill_far(3, 100, f, 9);
      solve_from(&t, i / 3 % WAYS, 1e-300, f, "unreachable");
    }
  }
}

TEST(many_columns_are_solved_without_a_factorization) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(30, 400, 1100, 0.01);
  for (int loss = 0; loss < 3; loss++) {
    OWNED(test_problem_clear) test_problem t;
    double f[1100] = {0};
    test_problem_init(&t, 13, data, (reference_loss)loss, 0.5, 1e-6, 0, REF_PRIOR, true);
    solve_from(&t, AUTOMATIC, 1e-10, f, "many columns");
  }
}

TEST(converges_for_lambda_of_any_size) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(24, 90, 6, 0.7);
  for (double lambda = 1e-300; lambda < 1e150; lambda *= 1e25) {
    for (int i = 0; i < 3 * WAYS; i++) {
      OWNED(test_problem_clear) test_problem t;
      double f[6] = {0};
      test_problem_init(&t, 9, data, (reference_loss)(i % 3), 0.5, lambda, 0, REF_RIDGE, false);
      solve_from(&t, i / 3, 1e-10, f, "any lambda");
    }
  }
}

/* N(f) = cosh f is smooth and 1-strongly convex, but overflows at 711: a step that goes beyond is
 * too long, not wrong. */
static void cosh_eval(void *context, size_t j, double f, double *value, double *slope,
                      double *curvature) {
  *value = *curvature = cosh(f);
  *slope = sinh(f);
}

TEST(a_step_beyond_the_regularizers_range_is_only_too_long) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(25, 60, 4, 0.9);
  for (int i = 0; i < 3 * WAYS; i++) {
    for (double lambda = 1; lambda > 1e-9; lambda /= 100) {
      OWNED(test_problem_clear) test_problem t;
      test_problem_init(&t, 10, data, (reference_loss)(i % 3), 0.5, lambda, 0, REF_RIDGE, true);
      t.regularizer.eval = cosh_eval;
      problem p = problem_by(&t, i / 3);
      const solver_options how = options_of(i / 3, 1e-10);
      solver_report report;
      double f[4] = {0};
      assert_ok(solve(&p, &how, f, &report, err));
      assert_true(report.converged);
      assert_true(report.gradient_norm <= 1e-10);
    }
  }
}

TEST_GROUP(one_thread_begin, one_thread_end) /* many small problems */
