/* Polishing in twice the precision, called directly where doubles give up: from zero, from what
 * is not a number, from far away, with corners of a width of 1e-9, with hardly any regularization,
 * with features, more columns than a factorization takes, one row, one column, empty rows. It must
 * end, and the gradient that it certifies must hold by the 200-bit reference. And a mechanism must
 * come here by itself where doubles do not suffice. */
#include <math.h>
#include <stdlib.h>

#include "exact_fit.h"
#include "kernel/features.h"
#include "solve/certify.h"
#include "solve/solver.h"

enum { MOST_QUESTIONS = 1000000 }; /* in passes over rows */

/* Stops a walk that does not end, so that the test can say so. */
static bool stop_after(void *context, const char *stage, uint64_t done, uint64_t total) {
  size_t *ticks = context;
  return ++*ticks > MOST_QUESTIONS;
}

/* ---- a problem with its reference */

typedef struct trial {
  const char *what;
  test_problem t;
  problem p;
  precise_problem *exact;
} trial;

static trial trial_new(const char *what, const test_rows *data, const matrix *x,
                       reference_loss loss, double h, double lambda, double norm) {
  trial out = {.what = what};
  test_problem_init(&out.t, 1, data, loss, h, lambda, 0, REF_RIDGE, false);
  out.p = problem_for(&out.t, x);
  out.p.regularizer = &out.t.regularizer;
  out.p.norm_bound = norm;
  out.exact = precise_problem_of(&out.p, loss, h);
  return out;
}

/* The pointers within follow the trial to where it came to stand. */
static void trial_settle(trial *t) {
  t->p.loss = &t->t.library_loss;
  t->p.regularizer = &t->t.regularizer;
  t->p.model = t->t.model;
  t->exact->p = t->p;
}

static void trial_free(trial *t) {
  precise_problem_free(t->exact);
  test_problem_clear(&t->t);
}

/* Eight times the error of a gradient in twice the precision as far out as the walk may go, F =
 * 3‖∇J(0)‖/Λ_t: the smallest target that the release ever sets (numerics.c). */
static double hardest_target(const problem *p) {
  evaluation e = evaluation_at(p, (double[4096]){0}, NULL);
  double pull = p->loss->lipschitz * p->norm_bound + e.linear;
  e.f = e.penalty = 3 * pull / (p->model.lambda + p->model.ridge);
  return 8 * evaluation_error(&e, IN_DD);
}

static void check_polishes(const trial *t, double target, double *f, double *rest) {
  size_t ticks = 0;
  const dperm_progress progress = {.tick = stop_after, .context = &ticks};
  OWNED(cancel_end) cancel_token stop;
  cancel_begin(&stop, &progress, "polishing");
  stop.pause = -1; /* ask whenever there is a chance */
  solver_report report = {0};
  dperm_error err = {DPERM_OK, ""};
  dperm_status status = polish(&t->p, target, &(solver_options){0}, f, rest, &report, &err);
  if (status != DPERM_OK) {
    fail_msg("%s: %s after %zu steps", t->what, err.message, report.iterations);
  }
  double norm = precise_gradient_norm(t->exact, f, rest);
  if (!(report.certified <= target && norm <= report.certified)) {
    fail_msg("%s: gradient %g, certified %g, target %g", t->what, norm, report.certified, target);
  }
  for (size_t j = 0; j < t->p.x->cols; j++) {
    assert_true(f[j] + rest[j] == f[j]); /* the rest is one */
  }
}

/* From zero, from NaN, from far away, from a single infinity, from beyond where squares overflow.
 */
static void check_from_everywhere(trial *t) {
  static const double starts[] = {0, (double)NAN, 1e8, 1e200, 1e308, 1e-300};
  size_t cols = t->p.x->cols;
  trial_settle(t);
  double target = hardest_target(&t->p);
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    OWNED_MEMORY double *f = calloc(cols, sizeof *f), *rest = calloc(cols, sizeof *rest);
    assert_true(f && rest);
    for (size_t j = 0; j < cols; j++) {
      f[j] = j % 2 ? -starts[i] : starts[i];
    }
    check_polishes(t, target, f, rest);
  }
  trial_free(t);
}

static const double lambdas[] = {1, 1e-3, 1e-6, 1e-10};

/* All losses on dense and sparse rows; frees them. */
static void check_rows_of(test_rows *data, const char *what) {
  for (size_t i = 0; i < 3 * sizeof lambdas / sizeof *lambdas; i++) {
    trial t = trial_new(what, data, i / 3 % 2 ? data->sparse : data->dense, (reference_loss)(i % 3),
                        0.5, lambdas[i / 3], 1);
    check_from_everywhere(&t);
  }
  test_rows_free(data);
}

/* ---- tests */

static test_rows *rows_filled_with(double value) {
  enum { ROWS = 60, COLS = 5 };
  double *x = calloc(ROWS * COLS, sizeof *x), *labels = calloc(ROWS, sizeof *labels);
  assert_true(x && labels);
  for (size_t i = 0; i < ROWS * COLS; i++) {
    x[i] = value;
    labels[i / COLS] = i / COLS % 2 ? 1 : -1;
  }
  return test_rows_of(ROWS, COLS, x, labels);
}

TEST(polishes_on_rows_of_every_shape) {
  test_rows *shared = test_rows_random(1, 120, 6, 0.7);
  test_rows_share(shared, 1);
  check_rows_of(shared, "shares");
  check_rows_of(test_rows_random(1, 120, 6, 0.7), "noisy");
  check_rows_of(test_rows_random(2, 1, 4, 1.0), "one row");
  check_rows_of(test_rows_random(3, 40, 1, 1.0), "one column");
  check_rows_of(rows_filled_with(0), "empty rows");
  check_rows_of(rows_filled_with(0.44), "equal rows with either label");
}

TEST(polishes_where_corners_are_narrow) {
  static const double widths[] = {1e-6, 1e-9};
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(4, 100, 4, 0.8);
  for (size_t i = 0; i < 2; i++) {
    for (size_t l = 0; l < 3; l++) {
      trial t = trial_new("narrow", data, data->dense, REF_HUBER, widths[i], lambdas[l], 1);
      check_from_everywhere(&t);
      t = trial_new("narrow", data, data->sparse, REF_SMOOTH_HINGE, widths[i], lambdas[l], 1);
      check_from_everywhere(&t);
    }
  }
}

/* Hundreds of corners of hardly any width, and next to no regularization: Newton's direction is
 * good up to the next corner only, a share of 1e-13 of it. The walk alone takes more steps than
 * anybody waits for; the path of h ends in hundreds. */
TEST(polishes_where_there_are_many_narrow_corners) {
  static const double weak[] = {1e-7, 1e-12};
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(6, 300, 20, 0.3);
  for (size_t l = 0; l < 2; l++) {
    double f[20] = {0}, rest[20] = {0};
    trial t = trial_new("many narrow", data, l ? data->sparse : data->dense,
                        l ? REF_SMOOTH_HINGE : REF_HUBER, 1e-9, weak[l], 1);
    trial_settle(&t);
    check_polishes(&t, fmax(hardest_target(&t.p), 1e-6 / 300), f, rest);
    trial_free(&t);
  }
}

TEST(polishes_with_a_linear_term_of_any_size) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(5, 80, 5, 0.8);
  for (double size = 1e-6; size < 1e10; size *= 1e3) {
    for (int loss = 0; loss < 3; loss++) {
      double linear[5];
      trial t = trial_new("linear", data, data->dense, (reference_loss)loss, 0.1, 1e-4, 1);
      for (size_t j = 0; j < 5; j++) {
        linear[j] = size * ((double)j - 2);
      }
      t.t.model.linear = linear;
      check_from_everywhere(&t);
    }
  }
}

TEST(polishes_with_weights_and_a_prior) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(6, 80, 5, 0.8);
  for (double far = 1; far < 1e9; far *= 1e4) {
    trial t = trial_new("prior", data, data->dense, REF_LOGISTIC, 0.1, 1e-3, 1);
    for (size_t j = 0; j < 5; j++) {
      t.t.prior[j] *= far;
      t.t.weights[j] *= far;
    }
    t.t.regularizer.prior = t.t.prior;
    t.t.regularizer.weights = t.t.weights;
    trial_settle(&t);
    double f[5] = {0}, rest[5] = {0};
    const evaluation e = evaluation_at(&t.p, f, NULL);
    evaluation worst = e; /* the walk stays within F, numerics.c */
    worst.f = 3 * (1 + t.p.model.lambda * e.penalty) / t.p.model.lambda;
    worst.penalty = e.penalty + 5 * far * worst.f;
    check_polishes(&t, 8 * evaluation_error(&worst, IN_DD), f, rest);
    trial_free(&t);
  }
}

TEST(polishes_on_features) {
  const dperm_kernel kernel = {DPERM_KERNEL_GAUSSIAN, 2, 40, 0, 7};
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(7, 300, 5, 0.9);
  OWNED(feature_map_free_at) feature_map *map = NULL;
  OWNED(matrix_free_at) matrix *x = NULL;
  assert_ok(feature_map_new(&kernel, 5, NULL, &map, err));
  assert_ok(features_new(map, data->dense, &x, err));
  for (int loss = 0; loss < 3; loss++) {
    test_rows wide = {.rows = 300, .cols = 40, .labels = data->labels};
    trial t = trial_new("features", &wide, x, (reference_loss)loss, 0.5, 1e-6, FEATURES_NORM);
    check_from_everywhere(&t);
  }
}

/* Conjugate gradients. */
TEST(polishes_with_more_columns_than_are_factored) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(8, 12, 1100, 0.05);
  for (int loss = 0; loss < 3; loss++) {
    trial t = trial_new("wide", data, data->sparse, (reference_loss)loss, 0.5, 1e-4, 1);
    check_from_everywhere(&t);
  }
}

/* Nothing that is not finite is ever certified, and the walk ends. */
TEST(what_is_not_a_number_ends_the_walk) {
  static const double bad[] = {(double)NAN, (double)INFINITY};
  for (size_t i = 0; i < 2; i++) {
    OWNED(test_rows_free_at) test_rows *data = test_rows_random(9, 20, 3, 1.0);
    double *x = calloc(60, sizeof *x), f[3] = {0}, rest[3] = {0}, linear[3] = {0};
    OWNED(matrix_free_at) matrix *broken = NULL;
    assert_non_null(x);
    memcpy(x, data->x, 60 * sizeof *x);
    x[31] = bad[i];
    assert_ok(matrix_dense_new(20, 3, x, &broken, err));
    for (int loss = 0; loss < 3; loss++) {
      trial t = trial_new("broken", data, broken, (reference_loss)loss, 0.5, 1e-3, 1);
      trial_settle(&t);
      solver_report report = {0};
      assert_fails(polish(&t.p, 1e-3, &(solver_options){0}, f, rest, &report, err),
                   DPERM_NUMERIC_ERROR, "not a finite number");
      linear[1] = bad[i];
      t.p.model.linear = linear;
      t.p.x = data->dense;
      assert_fails(polish(&t.p, 1e-3, &(solver_options){0}, f, rest, &report, err),
                   DPERM_NUMERIC_ERROR, "not a finite number");
      trial_free(&t);
    }
  }
}

/* ---- mechanisms find the way by themselves */

static bool any_rest(const double *rest, size_t cols) {
  bool any = false;
  for (size_t j = 0; j < cols; j++) {
    any |= rest[j] != 0;
  }
  return any;
}

/* Rows of many entries and a narrow corner: at the release's own target a certificate in doubles
 * leaves too much open though the doubles may be good; at the hardest one the solution needs a
 * rest. A wide corner needs neither. */
TEST(a_mechanism_polishes_where_doubles_do_not_suffice) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(10, 200, 60, 1.0);
  for (int i = 0; i < 3; i++) {
    trial t = trial_new("mechanism", data, data->dense, REF_HUBER, i ? 1e-9 : 0.5, 1e-3, 1);
    trial_settle(&t);
    double f[60] = {0}, rest[60] = {0}, hardest = hardest_target(&t.p);
    double target = i < 2 ? fmax(hardest, 1e-6 / 200) : hardest;
    solution found = {f, rest};
    solver_report report = {0};
    assert_ok(solve(&t.p, &(solver_options){.tolerance = target / 2}, f, &report, err));
    assert_true((report.certified <= target) == (i == 0));
    assert_ok(mechanism_solve(&t.p, &(solver_options){0}, target, &found, &report, err));
    double norm = precise_gradient_norm(t.exact, f, rest);
    assert_true(report.certified <= target && norm <= report.certified);
    assert_true(i == 1 || any_rest(rest, 60) == (i == 2));
    trial_free(&t);
  }
}

/* The same from end to end: public numbers, noise, and the exact minimizer. */
TEST(polished_candidates_are_within_tau) {
  OWNED(test_rows_free_at) test_rows *data = test_rows_random(11, 300, 12, 1.0);
  for (int i = 0; i < 8; i++) {
    reference_loss loss = i & 1 ? REF_SMOOTH_HINGE : REF_HUBER;
    dperm_mechanism kind = i & 2 ? DPERM_MECHANISM_OUTPUT : DPERM_MECHANISM_OBJECTIVE;
    double h = i & 4 ? 1e-9 : 1e-7;
    trial t = trial_new("tau", data, data->sparse, loss, h, 1e-2, 1);
    trial_settle(&t);
    exact_fit fit = exact_fit_run(&t.p, loss, h, kind, 1e-2, 1.0, 50 + (uint64_t)i);
    if (!(fit.distance <= fit.allowed)) {
      fail_msg("loss %d, h %g: %g (unsure %g), allowed %g", (int)loss, h, fit.distance, fit.unsure,
               fit.allowed);
    }
    trial_free(&t);
  }
}
