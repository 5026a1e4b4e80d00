/* Many models in one pass against each of them alone: the same minimizer within what both certify,
 * on dense, sparse and feature rows and on views of them, for every loss; certificates that the
 * reference confirms; results that depend on neither the company nor the threads; models that
 * cannot be solved so are handed back as they came. */
#include <math.h>
#include <stdlib.h>

#include "base/thread_pool.h"
#include "kernel/features.h"
#include "mechanism/mechanism.h"
#include "reference.h"
#include "solve/certify.h"
#include "solve/direction.h"

enum { ROWS = 1100, COLS = 12, MODELS = 40 };
static const double goal = 1e-9;

typedef struct some_models {
  problem p;
  dperm_loss loss;
  dperm_regularizer regularizer;
  double *factor;           /* of the Hessian where all start */
  double *linear, *weights; /* MODELS × cols */
  double target[MODELS], certified[MODELS];
} some_models;

/* From next to nothing to far more than the rows say. */
static double perturbation(size_t m) {
  return 0.3 * pow(10, -(double)(m % 5));
}

static void begin(some_models *b, const matrix *x, const double *labels, const double *shares,
                  reference_loss loss, double lambda) {
  random_source r = seeded(11);
  *b = (some_models){.p = {.x = x, .labels = labels, .shares = shares, .norm_bound = 1 + 0x1p-48},
                     .loss = library_loss(loss, 0.5)};
  b->p.loss = &b->loss;
  b->p.regularizer = &b->regularizer;
  b->linear = calloc(MODELS * x->cols, sizeof *b->linear);
  b->weights = calloc(MODELS * x->cols, sizeof *b->weights);
  b->factor = calloc(x->cols * x->cols, sizeof *b->factor);
  assert_true(b->linear && b->weights && b->factor);
  for (size_t m = 0; m < MODELS; m++) {
    double size = perturbation(m);
    for (size_t j = 0; j < x->cols; j++) {
      b->linear[m * x->cols + j] = size * random_normal(&r);
    }
    b->target[m] = goal;
  }
  b->p.model = (problem_model){.lambda = lambda, .ridge = 0.1 * lambda};
}

static void end(some_models *b) {
  free(b->linear);
  free(b->weights);
  free(b->factor);
}

static batch batch_of(some_models *b) {
  return (batch){.p = &b->p,
                 .linear = b->linear,
                 .factor = b->factor,
                 .count = MODELS,
                 .target = b->target,
                 .weights = b->weights,
                 .certified = b->certified};
}

/* From the minimum without perturbation, as mechanisms do. */
static void start(some_models *b) {
  size_t cols = b->p.x->cols;
  const solver_options how = {.tolerance = 1e-4};
  solver_report report;
  memset(b->weights, 0, cols * sizeof *b->weights);
  assert_ok(solve(&b->p, &how, b->weights, &report, err));
  assert_ok(hessian_factor(&b->p, b->weights, b->factor, err));
  for (size_t m = 1; m < MODELS; m++) {
    memcpy(b->weights + m * cols, b->weights, cols * sizeof *b->weights);
  }
}

static void solve_all(some_models *b, int threads) {
  OWNED(threads_leave) thread_scope scope = threads_enter(threads);
  batch all = batch_of(b);
  start(b);
  assert_ok(batch_solve(&all, err));
}

static void compare_alone(const some_models *b) {
  size_t cols = b->p.x->cols;
  OWNED_MEMORY double *alone = calloc(cols, sizeof *alone);
  const solver_options how = {.tolerance = 1e-11};
  assert_non_null(alone);
  for (size_t m = 0; m < MODELS; m++) {
    problem one = b->p;
    solver_report report;
    double apart = 0, strong = one.model.lambda + one.model.ridge;
    one.model.linear = b->linear + m * cols;
    memset(alone, 0, cols * sizeof *alone);
    assert_ok(solve(&one, &how, alone, &report, err));
    if (isinf(b->certified[m])) { /* moved too far by what it was perturbed by */
      assert_true(perturbation(m) > 200 * one.model.lambda);
      continue;
    }
    assert_true(b->certified[m] <= goal);
    for (size_t j = 0; j < cols; j++) {
      apart = hypot(apart, alone[j] - b->weights[m * cols + j]);
    }
    if (!(apart <= (b->certified[m] + report.certified) / strong)) {
      fail_msg("model %zu on %s rows: %g from its solution alone", m, b->p.x->kind->name, apart);
    }
  }
}

static void check_rows(const matrix *x, const double *labels, const double *shares) {
  for (int l = 0; l < 3; l++) {
    for (double lambda = 1e-4; lambda < 1; lambda *= 30) {
      some_models b;
      begin(&b, x, labels, shares, (reference_loss)l, lambda);
      solve_all(&b, 2);
      compare_alone(&b);
      end(&b);
    }
  }
}

/* Also where rows count for less. */
TEST(every_model_is_the_one_that_is_found_alone) {
  OWNED(test_rows_free_at) test_rows *t = test_rows_random(1, ROWS, COLS, 0.4);
  for (int shared = 0; shared < 2; shared++) {
    check_rows(t->dense, t->labels, t->shares);
    check_rows(t->sparse, t->labels, t->shares);
    if (!shared) {
      test_rows_share(t, 1);
    }
  }
}

TEST(models_see_the_rows_of_a_part_only) {
  OWNED(test_rows_free_at) test_rows *t = test_rows_random(2, ROWS, COLS, 0.4);
  size_t index[ROWS], count = 0;
  double labels[ROWS];
  matrix *parts[2] = {NULL, NULL};
  for (size_t i = 0; i < ROWS; i++) {
    if (i % 5 != 2) {
      labels[count] = t->labels[i];
      index[count++] = i;
    }
  }
  assert_ok(t->dense->kind->select(t->dense, index, count, &parts[0], err));
  assert_ok(t->made->kind->select(t->made, index, count, &parts[1], err));
  check_rows(parts[0], labels, NULL);
  check_rows(parts[1], labels, NULL);
  matrix_free(parts[0]);
  matrix_free(parts[1]);
}

TEST(models_of_random_features_are_the_ones_found_alone) {
  OWNED(test_rows_free_at) test_rows *t = test_rows_random(3, ROWS, COLS, 0.4);
  const dperm_kernel kernel = {DPERM_KERNEL_GAUSSIAN, 0.5, 30, 0, 3};
  OWNED(feature_map_free_at) feature_map *map = NULL;
  OWNED(matrix_free_at) matrix *x = NULL;
  assert_ok(feature_map_new(&kernel, COLS, NULL, &map, err));
  assert_ok(features_new(map, t->sparse, &x, err));
  check_rows(x, t->labels, NULL);
}

/* By the reference's own gradient, in long double. */
static void check_certificates(const test_rows *t, const matrix *x, reference_loss loss) {
  some_models b;
  begin(&b, x, t->labels, t->shares, loss, 1e-2);
  solve_all(&b, 1);
  for (size_t m = 0; m < MODELS; m++) {
    test_problem q = {.data = t,
                      .loss = loss,
                      .h = 0.5,
                      .lambda = b.p.model.lambda,
                      .ridge = b.p.model.ridge,
                      .kind = REF_RIDGE,
                      .linear = b.linear + m * COLS};
    assert_true(reference_gradient_norm(&q, b.weights + m * COLS) <= b.certified[m]);
  }
  end(&b);
}

TEST(certificates_hold) {
  OWNED(test_rows_free_at) test_rows *t = test_rows_random(4, ROWS, COLS, 0.4);
  for (int i = 0; i < 6; i++) {
    check_certificates(t, t->dense, (reference_loss)(i % 3));
    check_certificates(t, t->sparse, (reference_loss)(i % 3));
    if (i == 2) {
      test_rows_share(t, 4);
    }
  }
}

TEST(company_and_threads_do_not_change_a_bit) {
  OWNED(test_rows_free_at) test_rows *t = test_rows_random(5, ROWS, COLS, 0.4);
  const matrix *kinds[] = {t->dense, t->sparse};
  for (int k = 0; k < 2; k++) {
    some_models b;
    double together[MODELS * COLS];
    begin(&b, kinds[k], t->labels, NULL, REF_LOGISTIC, 1e-3);
    solve_all(&b, 1);
    memcpy(together, b.weights, sizeof together);
    solve_all(&b, 3);
    assert_memory_equal(together, b.weights, sizeof together);
    for (size_t m = 0; m < MODELS; m += 7) { /* in company of the last ones only */
      double weights[3 * COLS], certified[3];
      batch few = batch_of(&b);
      start(&b);
      memcpy(weights, b.weights, sizeof weights);
      few.linear += m * COLS;
      few.count = 3 < MODELS - m ? 3 : MODELS - m;
      few.weights = weights;
      few.certified = certified;
      assert_ok(batch_solve(&few, err));
      assert_memory_equal(weights, together + m * COLS, few.count * COLS * sizeof *weights);
    }
    end(&b);
  }
}

/* Its Hessian changes with f. */
TEST(a_custom_regularizer_leads_to_the_same_minimizers) {
  OWNED(test_rows_free_at) test_rows *t = test_rows_random(6, ROWS, COLS, 0.4);
  some_models b;
  begin(&b, t->sparse, t->labels, NULL, REF_HUBER, 1e-2);
  b.regularizer =
      (dperm_regularizer){.eval = quartic_eval, .most_curvature = 1e6, .slope_error = 1e-15};
  solve_all(&b, 2);
  compare_alone(&b);
  end(&b);
}

TEST(what_cannot_be_certified_is_handed_back) {
  OWNED(test_rows_free_at) test_rows *t = test_rows_random(7, ROWS, COLS, 0.4);
  some_models b;
  begin(&b, t->sparse, t->labels, NULL, REF_LOGISTIC, 1e-2);
  for (size_t m = 0; m < MODELS; m++) {
    b.target[m] = m % 2 ? goal : 1e-30;
  }
  b.linear[4 * COLS] = (double)NAN;
  solve_all(&b, 2);
  for (size_t m = 0; m < MODELS; m++) {
    assert_true(m % 2 ? b.certified[m] <= goal : isinf(b.certified[m]));
    for (size_t j = 0; m % 2 == 0 && j < COLS; j++) {
      assert_true(b.weights[m * COLS + j] == b.weights[j]);
    }
  }
  end(&b);
}

static bool stop_at_once(void *context, const char *stage, uint64_t done, uint64_t total) {
  return true;
}

TEST(a_batch_can_be_stopped) {
  OWNED(test_rows_free_at) test_rows *t = test_rows_random(8, ROWS, COLS, 0.4);
  const dperm_progress stop = {stop_at_once, NULL};
  some_models b;
  begin(&b, t->sparse, t->labels, NULL, REF_LOGISTIC, 1e-2);
  batch all = batch_of(&b);
  OWNED(threads_leave) thread_scope scope = threads_enter(1); /* the one that may ask */
  start(&b);
  OWNED(cancel_end) cancel_token token;
  cancel_begin(&token, &stop, "solving");
  token.pause = -1; /* ask whenever there is a chance */
  assert_fails(batch_solve(&all, err), DPERM_CANCELLED, "stopped");
  end(&b);
}

/* ---- the mechanisms' many draws against their runs alone */

TEST(many_draws_are_what_runs_alone_give) {
  enum { DRAWS = 20 };
  OWNED(test_rows_free_at) test_rows *t = test_rows_random(9, ROWS, COLS, 0.4);
  const dperm_regularizer ridge = {0};
  dperm_loss loss = library_loss(REF_LOGISTIC, 0.5);
  const problem base = {
      .x = t->sparse, .labels = t->labels, .norm_bound = 1, .loss = &loss, .regularizer = &ridge};
  const solver_options how = {.tolerance = 1e-10};
  const promise promised = {1e-10, 1e9};
  for (int objective = 0; objective < 2; objective++) {
    const privacy_plan plan = {
        .mechanism = objective ? DPERM_MECHANISM_OBJECTIVE : DPERM_MECHANISM_OUTPUT,
        .lambda = 1e-2,
        .delta_reg = objective ? 1e-3 : 0,
        .noise = {
            .kind = noise_kind_of(DPERM_NOISE_L2), .dims = COLS, .beta = objective ? 0.2 : 3.0}};
    random_source sources[DRAWS];
    double f[DRAWS * COLS], rest[DRAWS * COLS], one[COLS], one_rest[COLS];
    solution all = {f, rest};
    solver_report report;
    mechanism *tested = mechanism_of(plan.mechanism);
    for (size_t m = 0; m < DRAWS; m++) {
      sources[m] = seeded(m);
    }
    assert_ok(tested(&plan, &base, &how, &promised, sources, DRAWS, &all, &report, err));
    for (size_t m = 0; m < DRAWS; m++) {
      solution alone = {one, one_rest};
      random_source again = seeded(m);
      assert_ok(tested(&plan, &base, &how, &promised, &again, 1, &alone, &report, err));
      for (size_t j = 0; j < COLS; j++) {
        assert_close(f[m * COLS + j], one[j], 2 * promised.gradient / plan.lambda);
      }
      assert_int_equal(random_bits(&again), random_bits(&sources[m])); /* nothing more was drawn */
    }
  }
}
