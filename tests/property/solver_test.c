/* The solver against an independent oracle: libLBFGS on the objective written out naively
 * (support/reference.c), for every loss, regularizer, kind of matrix and method. Also what the
 * solver promises about threads and cancelling. */
#include <lbfgs.h>
#include <math.h>
#include <stdlib.h>

#include "base/thread_pool.h"
#include "reference.h"
#include "solve/certify.h"

/* ---- the oracle */

static lbfgsfloatval_t oracle_evaluate(void *instance, const lbfgsfloatval_t *f, lbfgsfloatval_t *g,
                                       const int cols, const lbfgsfloatval_t step) {
  OWNED_MEMORY long double *gradient = calloc((size_t)cols, sizeof *gradient);
  assert_non_null(gradient);
  long double value = reference_objective(instance, f, gradient);
  for (int j = 0; j < cols; j++) {
    g[j] = (double)gradient[j];
  }
  return (double)value;
}

/* The minimizer as libLBFGS finds it; f has space for cols numbers. */
static void oracle_solve(test_problem *t, double *f) {
  lbfgs_parameter_t how;
  lbfgs_parameter_init(&how);
  how.m = 30;
  how.epsilon = 1e-10;
  how.max_linesearch = 60;
  lbfgsfloatval_t *at = lbfgs_malloc((int)t->data->cols);
  assert_non_null(at);
  memset(at, 0, t->data->cols * sizeof *at);
  /* It often ends by "rounding error" rather than by its own criterion: judged by the gradient. */
  (void)lbfgs((int)t->data->cols, at, NULL, oracle_evaluate, NULL, t, &how);
  memcpy(f, at, t->data->cols * sizeof *f);
  lbfgs_free(at);
}

static solver_report solve_one(const test_problem *t, const matrix *x, solver_method method,
                               double *f) {
  problem p = problem_for(t, x);
  const solver_options how = {.method = method, .tolerance = 1e-10};
  solver_report report;
  assert_ok(solve(&p, &how, f, &report, err));
  return report;
}

/* Strong convexity puts two points with gradients g₁, g₂ within (g₁ + g₂)/Λ of each other; so if
 * both gradients are small by the reference's word, both are at the minimizer. */
static void check_against_oracle(test_problem *t) {
  size_t cols = t->data->cols;
  OWNED_MEMORY double *f = calloc(cols, sizeof *f), *oracle = calloc(cols, sizeof *oracle);
  assert_true(f && oracle);
  oracle_solve(t, oracle);
  double theirs = reference_gradient_norm(t, oracle), strong = t->lambda + t->ridge;
  assert_true(theirs < 1e-5);
  for (int way = 0; way < 4; way++) {
    memset(f, 0, cols * sizeof *f);
    const matrix *x = way & 1 ? t->data->sparse : t->data->dense;
    solver_report report = solve_one(t, x, way & 2 ? SOLVER_CG : SOLVER_CHOLESKY, f);
    assert_true(report.converged);
    assert_true(report.gradient_norm <= 1e-10);
    assert_true(report.iterations < 100);
    double ours = reference_gradient_norm(t, f), distance = 0;
    assert_close(ours, report.gradient_norm, 1e-12);
    for (size_t j = 0; j < cols; j++) {
      distance += (f[j] - oracle[j]) * (f[j] - oracle[j]);
    }
    assert_true(sqrt(distance) <= (ours + theirs) / strong * (1 + 1e-6));
    assert_true(reference_objective(t, f, NULL) <=
                reference_objective(t, oracle, NULL) + 1e-15L + ours * ours / strong);
  }
}

/* Every loss, h and lambda; every regularizer; with a linear term and a ridge; with more columns
 * than rows. */
TEST(agrees_with_lbfgs) {
  static const struct {
    size_t rows, cols;
    double density, least_h, least_lambda, ridge;
    reference_regularizer first, last;
    bool linear;
  } cases[] = {{300, 7, 0.6, 0.01, 1e-4, 0, REF_RIDGE, REF_RIDGE, false},
               {150, 12, 0.4, 0.5, 1e-3, 0, REF_RIDGE, REF_QUARTIC, false},
               {200, 9, 0.5, 0.5, 1e-3, 0.02, REF_RIDGE, REF_QUARTIC, true},
               {15, 60, 0.3, 0.5, 1e-3, 0, REF_PRIOR, REF_PRIOR, true}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    OWNED(test_rows_free_at)
    test_rows *data = test_rows_random(c, cases[c].rows, cases[c].cols, cases[c].density);
    for (int i = 3 * (int)cases[c].first; i < 3 * (int)cases[c].last + 3; i++) {
      for (double lambda = cases[c].least_lambda; lambda <= 1; lambda *= 100) {
        for (double h = 0.5; h >= cases[c].least_h; h /= 5) {
          OWNED(test_problem_clear) test_problem t;
          test_problem_init(&t, 10 * c + (uint64_t)i, data, (reference_loss)(i % 3), h, lambda,
                            cases[c].ridge, (reference_regularizer)(i / 3), cases[c].linear);
          check_against_oracle(&t);
        }
      }
    }
  }
}

/* ---- the problem's own functions */

static void fill_normal(uint64_t seed, double scale, double *values, size_t count) {
  random_source r = seeded(seed);
  for (size_t i = 0; i < count; i++) {
    values[i] = scale * random_normal(&r);
  }
}

/* The heart of "at the limit of double precision": what the estimate does not cover would make the
 * solver go on for nothing, and certification lie. */
static void check_rounding(test_problem *t, double scale) {
  size_t cols = t->data->cols;
  OWNED_MEMORY long double *exact = calloc(cols, sizeof *exact);
  assert_non_null(exact);
  for (int way = 0; way < 2; way++) {
    problem p = problem_for(t, way ? t->data->sparse : t->data->dense);
    OWNED(scratch_free) scratch work = {0};
    point at;
    assert_ok(point_take(&p, &work, NULL, &at, err));
    for (uint64_t draw = 0; draw < 4; draw++) {
      fill_normal(70 + draw, scale, at.f, cols);
      assert_ok(problem_evaluate(&p, false, &at, err));
      (void)reference_objective(t, at.f, exact);
      long double off = 0;
      for (size_t j = 0; j < cols; j++) {
        off += (exact[j] - at.gradient[j]) * (exact[j] - at.gradient[j]);
      }
      double bound = rounding_limit(&p, at.f);
      if (!((double)sqrtl(off) <= bound)) {
        fail_msg("regularizer %d, loss %d, scale %g: off by %Lg, bound %g", (int)t->kind,
                 (int)t->loss, scale, sqrtl(off), bound);
      }
      double size = reference_gradient_norm(t, at.f) + scale * (1 + 1 / t->h);
      assert_true(bound <= 1e-12 * size + 1e-12); /* covers, but says something */
    }
  }
}

TEST(rounding_estimate_covers_the_computed_gradient) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(5, 700, 11, 0.7);
  test_problem t;
  for (int i = 0; i < 3 * (REF_QUARTIC + 1); i++) {
    for (double scale = 1e-3; scale < 1e7; scale *= 100) {
      test_problem_init(&t, 50, data, (reference_loss)(i % 3), 0.1, 1e-2, 1e-3,
                        (reference_regularizer)(i / 3), true);
      check_rounding(&t, scale);
      test_problem_clear(&t);
    }
  }
  /* large weights, and a large lambda */
  test_problem_init(&t, 50, data, REF_LOGISTIC, 1, 1.0, 0, REF_WEIGHTED_PRIOR, true);
  for (size_t j = 0; j < data->cols; j++) {
    t.weights[j] = 1e8 + (double)j / 3;
  }
  check_rounding(&t, 1.0);
  test_problem_clear(&t);
  test_problem_init(&t, 50, data, REF_LOGISTIC, 1, 1e9 / 3, 0.1, REF_PRIOR, true);
  check_rounding(&t, 1.0);
  test_problem_clear(&t);
}

TEST(objective_and_line_derivatives_match_the_reference) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(6, 1100, 5, 0.7);
  OWNED(test_problem_clear) test_problem t;
  test_problem_init(&t, 60, data, REF_SMOOTH_HINGE, 0.7, 1e-2, 1e-3, REF_QUARTIC, true);
  problem p = problem_for(&t, data->sparse);
  OWNED(scratch_free) scratch work = {0};
  point at;
  double direction[5], moved[5], q[1100], objective = 0;
  assert_ok(point_take(&p, &work, NULL, &at, err));
  fill_normal(61, 2.0, at.f, 5);
  fill_normal(62, 1.0, direction, 5);
  assert_ok(problem_evaluate(&p, false, &at, err));
  assert_ok(problem_objective(&p, at.f, &objective, err));
  assert_close(objective, (double)reference_objective(&t, at.f, NULL), 1e-13);
  assert_ok(matrix_apply(data->sparse, direction, 1, q, err));
  for (double step = 0; step < 2; step += 0.3) {
    double first = 0, second = 0, slopes[2], reach = 1e-4;
    assert_ok(problem_along(&p, &at, direction, q, step, &first, &second, err));
    for (int side = 0; side < 2; side++) {
      long double gradient[5], sum = 0;
      for (size_t j = 0; j < 5; j++) {
        moved[j] = at.f[j] + (step + (side ? reach : -reach)) * direction[j];
      }
      (void)reference_objective(&t, moved, gradient);
      for (size_t j = 0; j < 5; j++) {
        sum += gradient[j] * direction[j];
      }
      slopes[side] = (double)sum;
    }
    assert_close(first, 0.5 * (slopes[0] + slopes[1]), 1e-6);
    assert_close(second, (slopes[1] - slopes[0]) / (2 * reach), 1e-4);
  }
}

TEST(a_minimizer_stays_where_it_is) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(8, 400, 8, 0.6);
  for (int method = SOLVER_CHOLESKY; method <= SOLVER_CG; method++) {
    for (double lambda = 1; lambda > 1e-5; lambda /= 10) {
      OWNED(test_problem_clear) test_problem t;
      double f[8] = {0}, again[8];
      test_problem_init(&t, 80, data, REF_HUBER, 0.5, lambda, 0.01, REF_RIDGE, true);
      assert_true(solve_one(&t, data->dense, (solver_method)method, f).converged);
      memcpy(again, f, sizeof again);
      assert_int_equal(solve_one(&t, data->dense, (solver_method)method, again).iterations, 0);
      assert_memory_equal(again, f, sizeof again);
    }
  }
}

/* ---- threads and cancelling */

TEST(threads_do_not_change_a_bit) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(9, 5000, 20, 0.3);
  for (int way = 0; way < 8; way++) {
    OWNED(test_problem_clear) test_problem t;
    test_problem_init(&t, 80, data, REF_HUBER, 0.5, way & 4 ? 1 : 1e-3, 0.01, REF_RIDGE, true);
    problem p = problem_for(&t, way & 1 ? data->sparse : data->dense);
    double results[3][20] = {{0}};
    solver_report reports[3];
    for (int threads = 1; threads <= 3; threads++) {
      const solver_options how = {.method = way & 2 ? SOLVER_CG : SOLVER_CHOLESKY,
                                  .tolerance = 1e-10};
      thread_scope scope = threads_enter(threads);
      assert_ok(solve(&p, &how, results[threads - 1], &reports[threads - 1], err));
      threads_leave(&scope);
    }
    assert_memory_equal(results[0], results[1], sizeof results[0]);
    assert_memory_equal(results[0], results[2], sizeof results[0]);
    assert_int_equal(reports[0].iterations, reports[2].iterations);
  }
}

static bool stop_at_first_tick(void *context, const char *stage, uint64_t done, uint64_t total) {
  assert_int_equal(done, 0);
  assert_int_equal(total, 0);
  return ++*(int *)context >= 1;
}

TEST(cancelling_leaves_the_weights_alone) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(10, 300, 6, 0.6);
  OWNED(test_problem_clear) test_problem t;
  test_problem_init(&t, 90, data, REF_LOGISTIC, 1, 1e-4, 0, REF_RIDGE, false);
  problem p = problem_for(&t, data->dense);
  int ticks = 0;
  const dperm_progress progress = {stop_at_first_tick, &ticks};
  const solver_options how = {.tolerance = 1e-10};
  OWNED(cancel_end) cancel_token stop;
  cancel_begin(&stop, &progress, "solving");
  stop.pause = -1; /* ask whenever there is a chance */
  double f[6] = {1, 2, 3, 4, 5, 6};
  solver_report report;
  assert_fails(solve(&p, &how, f, &report, err), DPERM_CANCELLED, "stopped on request");
  assert_int_equal(ticks, 1);
  for (size_t j = 0; j < 6; j++) {
    assert_true(f[j] == (double)(j + 1));
  }
}

TEST_GROUP(one_thread_begin, one_thread_end) /* many small problems */
