/* A caller that wants to stop is heard in the middle of a pass over blocks of rows, and nothing
 * that the pass has left half made is taken for a result. The watches here ask whenever they can,
 * so that no clock decides. */

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/progress.h"
#include "base/thread_pool.h"
#include "kernel/features.h"
#include "loss/link.h"
#include "matrix/matrix_dense.h"
#include "reference.h"
#include "solve/direction.h"
#include "solve/problem.h"
#include "solve/solver.h"
#include "support.h"

enum { BLOCKS = 14, ROWS = BLOCKS * MATRIX_BLOCK, INPUTS = 3, COLS = 32, NEVER = 1 << 30 };

/* ---- a caller who stops at a certain question */

typedef struct patience {
  int asked, most;
} patience;

static bool stop_at(void *context, const char *stage, uint64_t done, uint64_t total) {
  patience *p = context;
  assert_string_equal(stage, "solving");
  assert_true(done == 0 && total == 0);
  return ++p->asked >= p->most;
}

/* ---- features of random rows under a watch */

typedef struct watched {
  patience caller;
  dperm_progress progress;
  cancel_token stop;
  matrix *inner, *x;
  feature_map *map;
  double labels[ROWS];
  size_t turned; /* rows that a pass has handed on */
} watched;

static watched *watched_new(void) {
  const dperm_kernel kernel = {DPERM_KERNEL_GAUSSIAN, 0.5, COLS, 0, 3};
  watched *w = calloc(1, sizeof *w);
  double *values = calloc((size_t)ROWS * INPUTS, sizeof *values);
  assert_true(w && values);
  for (size_t i = 0; i < (size_t)ROWS * INPUTS; i++) {
    values[i] = sin((double)(i * i % 9973));
  }
  for (size_t i = 0; i < ROWS; i++) {
    w->labels[i] = values[i * INPUTS] > 0.1 ? 1 : -1;
  }
  assert_ok(matrix_dense_new(ROWS, INPUTS, values, &w->inner, err));
  assert_ok(feature_map_new(&kernel, INPUTS, NULL, &w->map, err));
  assert_ok(features_new(w->map, w->inner, &w->x, err));
  w->progress = (dperm_progress){stop_at, &w->caller};
  (void)threads_enter(1); /* so that the caller's thread makes every block */
  return w;
}

/* No question from now on. */
static void watch_no_more(watched *w) {
  if (cancel_current()) {
    cancel_end(&w->stop);
  }
}

static void watched_free(watched *w) {
  watch_no_more(w);
  matrix_free(w->x);
  matrix_free(w->inner);
  feature_map_free(w->map);
  free(w);
}

/* From now on the caller stops at question number `most`. */
static void watch_anew(watched *w, int most) {
  watch_no_more(w);
  w->caller = (patience){0, most};
  w->turned = 0;
  cancel_begin(&w->stop, &w->progress, "solving");
  w->stop.pause = -1; /* ask whenever there is a chance */
}

/* ---- one pass of each operation */

static void turn(void *context, size_t from, size_t count, double *z) {
  ((watched *)context)->turned += count;
  for (size_t i = 0; i < count; i++) {
    assert_true(isfinite(z[i]));
  }
}

typedef dperm_status pass(watched *w, double *tall, double *wide, dperm_error *err);

static dperm_status both(watched *w, double *tall, double *wide, dperm_error *err) {
  return w->x->kind->apply_both(w->x, tall, 1, turn, w, wide, err);
}

static dperm_status apply(watched *w, double *tall, double *wide, dperm_error *err) {
  return matrix_apply(w->x, wide, 1, tall, err);
}

static dperm_status gram(watched *w, double *tall, double *wide, dperm_error *err) {
  return w->x->kind->gram(w->x, tall, wide, err);
}

static dperm_status diagonal(watched *w, double *tall, double *wide, dperm_error *err) {
  return w->x->kind->gram_diagonal(w->x, tall, 1, wide, err);
}

static dperm_status double_double(watched *w, double *tall, double *wide, dperm_error *err) {
  return matrix_apply_dd(w->x, wide, wide + COLS, tall, tall + ROWS, err);
}

static dperm_status transposed_dd(watched *w, double *tall, double *wide, dperm_error *err) {
  return matrix_apply_transposed_dd(w->x, tall, wide, err);
}

static dperm_status keep(watched *w, double *tall, double *wide, dperm_error *err) {
  OWNED(matrix_free_at) matrix *kept = NULL;
  dperm_status status = features_keep(w->x, &kept, err);
  assert_true((status == DPERM_OK) == (kept != NULL));
  return status;
}

static pass *const passes[] = {both, apply, gram, diagonal, double_double, transposed_dd, keep};

TEST(a_pass_ends_at_the_question_that_says_stop) {
  watched *w = watched_new();
  double *tall = calloc((size_t)ROWS * 2, sizeof *tall);
  double *wide = calloc((size_t)COLS * COLS, sizeof *wide);
  for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
    watch_anew(w, NEVER);
    assert_ok(passes[i](w, tall, wide, err));
    assert_true(w->caller.asked >= BLOCKS);
    watch_anew(w, BLOCKS / 2);
    assert_fails(passes[i](w, tall, wide, err), DPERM_CANCELLED,
                 "stopped on request while solving; nothing was written");
    assert_int_equal(w->caller.asked, BLOCKS / 2);
    assert_true(w->turned < ROWS);
    /* Every pass from then on fails at once, without asking anew. */
    w->turned = 0;
    assert_fails(passes[i](w, tall, wide, err), DPERM_CANCELLED, "stopped on request");
    assert_true(w->caller.asked == BLOCKS / 2 && w->turned == 0);
  }
  free(tall);
  free(wide);
  watched_free(w);
}

/* Rows and products that were asked for without a status are no numbers then. */
TEST(what_was_not_made_is_no_number) {
  watched *w = watched_new();
  double *work = calloc(w->x->work_size, sizeof *work), f[COLS] = {1}, z[MATRIX_BLOCK], row[COLS];
  watch_anew(w, 1);
  w->x->kind->apply_rows(w->x, 0, MATRIX_BLOCK, f, 1, z, work);
  assert_true(isnan(z[0]) && isnan(z[MATRIX_BLOCK - 1]));
  assert_null(blocks_rows(w->x, 0, MATRIX_BLOCK, work));
  w->x->kind->row(w->x, 5, row);
  assert_true(isnan(row[0]) && isnan(row[COLS - 1]));
  free(work);
  watched_free(w);
}

/* ---- rows with a score for each of many classes */

enum { CLASSES = 200, PIECE = 65536 };

typedef struct joint_pass {
  const problem *p;
  point at;
  double *tall, *wide, *square;
} joint_pass;

static dperm_status joint_gradient(joint_pass *j, dperm_error *err) {
  return problem_evaluate(j->p, false, &j->at, err);
}

static dperm_status joint_objective(joint_pass *j, dperm_error *err) {
  double objective;
  return problem_objective(j->p, j->at.f, &objective, err);
}

static dperm_status joint_along(joint_pass *j, dperm_error *err) {
  double first, second;
  return problem_along(j->p, &j->at, j->wide, j->tall, 0.5, &first, &second, err);
}

static dperm_status joint_gram(joint_pass *j, dperm_error *err) {
  return problem_gram(j->p, j->at.curvature, j->square, err);
}

static dperm_status joint_diagonal(joint_pass *j, dperm_error *err) {
  return problem_diagonal(j->p, j->at.curvature, j->wide, err);
}

static dperm_status joint_cg(joint_pass *j, dperm_error *err) {
  return direction_cg(j->p, &j->at, 0.5, j->wide, err);
}

static dperm_status joint_polish(joint_pass *j, dperm_error *err) {
  solver_report report;
  size_t size = problem_size(j->p);
  memset(j->square, 0, 2 * size * sizeof *j->square);
  return polish(j->p, 100, &(solver_options){0}, j->square, j->square + size, &report, err);
}

/* A question for each 65,536 numbers at least, wherever the time goes. */
TEST(passes_over_many_classes_ask_often) {
  static dperm_status (*const steps[])(joint_pass *, dperm_error *) = {
      joint_gradient, joint_objective, joint_along, joint_gram,
      joint_diagonal, joint_cg,        joint_polish};
  watched *w = watched_new();
  test_rows *data = test_rows_random(1, ROWS, 2, 1);
  const dperm_loss loss = softmax_loss(CLASSES);
  const dperm_regularizer ridge = {0};
  for (size_t i = 0; i < ROWS; i++) {
    w->labels[i] = (double)(i % CLASSES);
  }
  for (int kind = 0; kind < 2; kind++) {
    const problem p = {.x = kind ? data->sparse : data->dense,
                       .labels = w->labels,
                       .norm_bound = 1,
                       .loss = &loss,
                       .regularizer = &ridge,
                       .model = {.lambda = 0.01}};
    size_t size = problem_size(&p);
    joint_pass j = {.p = &p};
    OWNED(scratch_free) scratch work = {0};
    assert_ok(point_take(&p, &work, NULL, &j.at, err));
    assert_ok(scratch_take(&work, (size_t)ROWS * CLASSES, sizeof *j.tall, &j.tall, err));
    assert_ok(scratch_take(&work, size, sizeof *j.wide, &j.wide, err));
    assert_ok(scratch_take(&work, size * size, sizeof *j.square, &j.square, err));
    watch_no_more(w);
    assert_ok(problem_evaluate(&p, false, &j.at, err));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
      watch_anew(w, NEVER);
      assert_ok(steps[i](&j, err));
      assert_true(w->caller.asked >= ROWS * CLASSES / PIECE);
      int last = w->caller.asked, stops[] = {1, last / 2, last};
      for (size_t s = 0; s < 3; s++) {
        watch_anew(w, stops[s]);
        assert_fails(steps[i](&j, err), DPERM_CANCELLED, "stopped on request while solving");
        assert_int_equal(w->caller.asked, stops[s]);
      }
    }
  }
  test_rows_free(data);
  watched_free(w);
}

/* ---- solvers */

/* Wherever a question says stop, no solver succeeds after it. */
TEST(no_solver_goes_on_after_a_stop) {
  enum { MODELS = 12 };
  watched *w = watched_new();
  const dperm_loss loss = dperm_loss_logistic();
  const dperm_regularizer ridge = {0};
  double target[MODELS], certified[MODELS], linear[MODELS * COLS], factor[COLS * COLS];
  for (size_t m = 0; m < MODELS; m++) {
    target[m] = 1e-6;
  }
  problem p = {.x = w->x,
               .labels = w->labels,
               .norm_bound = FEATURES_NORM,
               .loss = &loss,
               .regularizer = &ridge,
               .model = {.lambda = 0.01}};
  double f[MODELS * COLS] = {0}, rest[COLS];
  assert_ok(hessian_factor(&p, f, factor, err));
  for (size_t j = 0; j < MODELS * COLS; j++) {
    linear[j] = 1e-3 * (double)(j % 7);
  }
  for (int most = 1; most < 2000; most = most * 3 / 2 + 1) {
    for (int method = SOLVER_CHOLESKY; method <= SOLVER_CG; method++) {
      const solver_options how = {.method = (solver_method)method, .tolerance = 1e-6};
      solver_report report;
      memset(f, 0, sizeof f);
      memset(rest, 0, sizeof rest);
      watch_anew(w, most);
      dperm_status status = solve(&p, &how, f, &report, NULL);
      assert_int_equal(status, w->caller.asked >= most ? DPERM_CANCELLED : DPERM_OK);
      memset(f, 0, sizeof f);
      watch_anew(w, most);
      status = polish(&p, 1e-6, &how, f, rest, &report, NULL);
      assert_int_equal(status, w->caller.asked >= most ? DPERM_CANCELLED : DPERM_OK);
    }
    memset(f, 0, sizeof f);
    watch_anew(w, most);
    const batch all = {.p = &p,
                       .linear = linear,
                       .factor = factor,
                       .count = MODELS,
                       .target = target,
                       .weights = f,
                       .certified = certified};
    dperm_status status = batch_solve(&all, NULL);
    assert_int_equal(status, w->caller.asked >= most ? DPERM_CANCELLED : DPERM_OK);
  }
  watched_free(w);
}

/* ---- threads */

typedef struct gate {
  atomic_bool entered;
} gate;

/* The other thread's piece ends only when it is stopped; the caller's own is done long before. */
static void wait_for_stop(void *context, size_t piece, size_t worker) {
  gate *g = context;
  if (worker > 0) {
    atomic_store(&g->entered, true);
  }
  while (worker > 0 ? !cancel_poll() : !atomic_load(&g->entered)) {
    struct timespec moment = {0, 1000000};
    (void)nanosleep(&moment, NULL);
  }
}

TEST(the_caller_is_asked_while_it_waits_for_others) {
  patience caller = {0, 3};
  const dperm_progress progress = {stop_at, &caller};
  gate g;
  OWNED(cancel_end) cancel_token stop;
  cancel_begin(&stop, &progress, "solving");
  stop.pause = -1;
  atomic_init(&g.entered, false);
  (void)threads_enter(2);
  pool_run(2, wait_for_stop, &g);
  assert_true(cancel_requested());
  assert_int_equal(caller.asked, 3); /* by the caller's thread alone */
}

/* ---- a whole fit */

static size_t evaluated;

/* Lets so much time pass at first that the next question is due. */
static void slow(const dperm_loss *loss, size_t count, const double *margins, double *values,
                 double *slopes, double *curvatures) {
  static const struct timespec while_ = {0, 70000000};
  dperm_loss logistic = dperm_loss_logistic();
  if (evaluated == 0) {
    (void)nanosleep(&while_, NULL);
  }
  evaluated += count;
  logistic.eval(&logistic, count, margins, values, slopes, curvatures);
}

static bool stop_once_evaluated(void *context, const char *stage, uint64_t done, uint64_t total) {
  return evaluated > 0;
}

static void check_fit_stops(dperm_kernel_kind kind) {
  watched *w = watched_new();
  dperm_data *data = NULL;
  dperm_model *model = NULL;
  dperm_options options = USUAL(dperm_options);
  double *values = calloc((size_t)ROWS * INPUTS, sizeof *values);
  assert_non_null(values);
  for (size_t i = 0; i < ROWS; i++) {
    w->inner->kind->row(w->inner, i, values + i * INPUTS);
  }
  assert_ok(dperm_data_from_dense(ROWS, INPUTS, values, w->labels, 2.0, &data, err));
  options.mechanism = DPERM_MECHANISM_NONE;
  options.lambda = 0.01;
  options.loss.eval = slow;
  options.loss.name = "slow";
  options.kernel =
      kind == DPERM_KERNEL_NONE ? (dperm_kernel){0} : (dperm_kernel){kind, 0.5, COLS, 0, 3};
  options.threads = 1;
  options.progress.tick = stop_once_evaluated;
  evaluated = 0;
  assert_fails(dperm_train(data, &options, &model, err), DPERM_CANCELLED, "stopped on request");
  assert_null(model);
  assert_int_equal(evaluated, MATRIX_BLOCK); /* the first block, and none after */
  dperm_data_free(data);
  free(values);
  watched_free(w);
}

TEST(a_fit_stops_within_a_pass) {
  check_fit_stops(DPERM_KERNEL_GAUSSIAN);
  check_fit_stops(DPERM_KERNEL_NONE);
}

/* ---- each time, or twenty times a second at most */

static bool stop_at_second(void *context, const char *stage, uint64_t done, uint64_t total) {
  assert_string_equal(stage, "solving");
  assert_true(done == 0 && total == 0);
  return ++*(int *)context > 1;
}

TEST(no_caller_is_never_in_the_way) {
  const dperm_progress silent = {NULL, NULL};
  assert_ok(progress_tick(NULL, "solving", 0, 0, err));
  assert_ok(progress_tick(&silent, "solving", 0, 0, err));
}

/* Time since the last question is what counts: long ago, the caller is asked, and may stop; the
 * beginning only begins to count. */
TEST(a_pass_asks_when_its_last_question_is_long_ago) {
  int calls = 0;
  const dperm_progress progress = {stop_at_second, &calls};
  OWNED(cancel_end) cancel_token stop;
  cancel_begin(&stop, &progress, "solving");
  assert_false(cancel_poll());
  assert_true(calls == 0 && stop.asked > 0);
  stop.asked = 1e-9; /* when the machine started */
  assert_false(cancel_poll());
  assert_true(calls == 1 && stop.asked > 1e-9);
  stop.asked = 1e-9;
  assert_true(cancel_poll());
  assert_fails(cancel_check(err), DPERM_CANCELLED,
               "stopped on request while solving; nothing was written");
  assert_int_equal(calls, 2);
}
