/* Machines and callers that break what the claim takes for granted: another rounding mode or
 * flushed subnormal numbers, before a fit or from within it; rows, labels, losses and regularizers
 * that are not numbers; custom ones that do not say how well they compute. Nothing may be released,
 * or not as private, and every call must end. A process that forks must not share its noise. */
#include <fenv.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "data/dataset.h"
#include "dperm/tune.h"
#include "model/model.h"
#include "reference.h"

enum { ROWS = 300, DIMS = 4 };

static const dperm_mechanism private_mechanisms[] = {DPERM_MECHANISM_OBJECTIVE,
                                                     DPERM_MECHANISM_OUTPUT};
static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

static dperm_options asking(dperm_mechanism mechanism) {
  dperm_options options = options_for(1);
  options.mechanism = mechanism;
  options.lambda = 1e-3;
  return options;
}

static dperm_data *some_data(void) {
  auto_rows *t = test_rows_random(1, ROWS, DIMS, 0.9);
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_dense(ROWS, DIMS, t->x, t->labels, 1, &data, err));
  return data;
}

/* ---- how a call ends; the machine is put right before anything is asserted */

typedef struct ending {
  dperm_status status;
  dperm_error err;
  dperm_model *model;
} ending;

typedef dperm_status action(const dperm_data *data, const dperm_options *options, dperm_model **out,
                            dperm_error *err);

static dperm_status tune_by(dperm_tune_method method, const dperm_data *data,
                            const dperm_options *options, dperm_model **out, dperm_error *err) {
  const dperm_options candidates[] = {*options, *options};
  dperm_tune_options how = USUAL(dperm_tune_options);
  how.method = method;
  return dperm_tune(data, candidates, 2, &how, out, err);
}

static dperm_status tune(const dperm_data *data, const dperm_options *options, dperm_model **out,
                         dperm_error *err) {
  return tune_by(DPERM_TUNE_SPLIT, data, options, out, err);
}

static dperm_status stop_randomly(const dperm_data *data, const dperm_options *options,
                                  dperm_model **out, dperm_error *err) {
  return tune_by(DPERM_TUNE_STOPPING, data, options, out, err);
}

static action *const actions[] = {dperm_train, tune, stop_randomly};

static void make_machine_right(void) {
  (void)fesetround(FE_TONEAREST);
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() & ~0x8040U);
#endif
}

static ending end_of(action *call, const dperm_data *data, const dperm_options *options) {
  ending out = {.status = DPERM_OK};
  out.status = call(data, options, &out.model, &out.err);
  make_machine_right();
  return out;
}

/* With the same noise every time, where the number of steps or the margins on the way count. */
static ending end_of_seeded(const dperm_data *data, dperm_options options) {
  assert_ok(dperm_random_seeded(9, &options.random, err));
  ending out = end_of(dperm_train, data, &options);
  dperm_random_free(options.random);
  return out;
}

static void assert_no_model(ending got, dperm_status expected, const char *text) {
  if (got.status != expected || got.model || !strstr(got.err.message, text)) {
    fail_msg("status %d, %s model, \"%s\" where %d and \"%s\" are expected", (int)got.status,
             got.model ? "a" : "no", got.status ? got.err.message : "", (int)expected, text);
  }
}

static void assert_works(action *call, const dperm_data *data, const dperm_options *options) {
  ending got = end_of(call, data, options);
  if (got.status != DPERM_OK || !got.model) {
    fail_msg("%s", got.err.message);
  }
  assert_int_equal(dperm_model_is_private(got.model), 1);
  dperm_model_free(got.model);
}

/* ---- the machine before a fit */

/* The first three change the rounding mode, the others flush results, operands and both. */
#if defined(__x86_64__)
enum { CHANGES = 6 };
#else
enum { CHANGES = 3 };
#endif
static void change_machine(int change) {
  if (change < 3) {
    assert_int_equal(fesetround(modes[change]), 0);
  }
#if defined(__x86_64__)
  static const unsigned flags[] = {0x8000, 0x0040, 0x8040};
  _mm_setcsr(_mm_getcsr() | (change < 3 ? 0 : flags[change - 3]));
#endif
}

TEST(another_rounding_mode_and_flushed_subnormal_numbers_are_refused) {
  auto_data *data = some_data();
  for (size_t i = 0; i < 2; i++) {
    dperm_options options = asking(private_mechanisms[i]);
    for (size_t a = 0; a < 3; a++) {
      for (int change = 0; change < CHANGES; change++) {
        change_machine(change);
        assert_no_model(end_of(actions[a], data, &options), DPERM_NUMERIC_ERROR,
                        change < 3 ? "rounding mode" : "subnormal");
      }
      assert_works(actions[a], data, &options);
    }
  }
}

/* ---- the machine in the middle of a fit */

enum { PATIENCE = 200000 }; /* calls; far more than any of these fits makes */

typedef struct switcher {
  int mode;      /* to be set */
  long at, seen; /* at this call of progress or loss */
} switcher;

static bool flip_in_progress(void *context, const char *stage, uint64_t done, uint64_t total) {
  switcher *s = context;
  if (s->seen++ == s->at) {
    (void)fesetround(s->mode);
  } else if (s->seen == 1) { /* so long that the solver's first pass asks again */
    (void)nanosleep(&(struct timespec){.tv_nsec = 60000000}, NULL);
  }
  return s->seen > PATIENCE;
}

TEST(a_mode_that_changes_during_progress_releases_nothing) {
  auto_data *data = some_data();
  for (int way = 0; way < 6; way++) {
    for (size_t m = 0; m < 3; m++) {
      for (long at = 0; at < 2; at++) { /* before the solver, and once it has begun */
        switcher s = {modes[m], at, 0};
        dperm_options options = asking(private_mechanisms[way & 1]);
        options.loss = library_loss((reference_loss)(way >> 1), 1e-6); /* refined, or not */
        options.progress = (dperm_progress){flip_in_progress, &s};
        assert_no_model(end_of_seeded(data, options), DPERM_NUMERIC_ERROR, "rounding mode");
        assert_true(s.seen > at && s.seen <= PATIENCE);
      }
    }
  }
}

/* A logistic loss of the caller's own. What it does is in its context. */
typedef struct mischief {
  long at;       /* from this call on … */
  int mode;      /* … this rounding mode is set, */
  double broken; /* and beyond this margin slopes are not numbers */
  bool armed;    /* once the library has looked at the loss and begins to solve */
  atomic_long seen;
} mischief;

static void own_eval(const dperm_loss *loss, size_t count, const double *z, double *value,
                     double *slope, double *curvature) {
  mischief *m = loss->context;
  const dperm_loss logistic = dperm_loss_logistic();
  logistic.eval(&logistic, count, z, value, slope, curvature);
  if (!m || !m->armed) {
    return;
  }
  long seen = atomic_fetch_add(&m->seen, 1);
  if (m->mode != FE_TONEAREST && seen >= m->at) {
    (void)fesetround(m->mode);
  }
  for (size_t i = 0; slope && i < count; i++) {
    slope[i] = fabs(z[i]) > m->broken ? (double)NAN : slope[i];
  }
}

static bool arm(void *context, const char *stage, uint64_t done, uint64_t total) {
  mischief *m = context;
  m->armed |= strcmp(stage, "solving") == 0;
  return m->seen > PATIENCE;
}

static dperm_loss own_loss(mischief *m) {
  return (dperm_loss){.name = "own",
                      .parameter = (double)NAN,
                      .lipschitz = 1,
                      .smoothness = 0.25,
                      .eval = own_eval,
                      .context = m,
                      .slope_error = 6 * 0x1p-53};
}

TEST(a_loss_that_changes_the_mode_releases_nothing) {
  auto_data *data = some_data();
  for (size_t i = 0; i < 2; i++) {
    for (size_t m = 0; m < 3; m++) {
      for (long at = 0; at < 4; at++) {
        mischief own = {.at = at, .mode = modes[m], .broken = INFINITY};
        dperm_options options = asking(private_mechanisms[i]);
        options.loss = own_loss(&own);
        options.progress = (dperm_progress){arm, &own};
        assert_no_model(end_of_seeded(data, options), DPERM_NUMERIC_ERROR, "rounding mode");
        assert_true(own.armed && own.seen > at && own.seen <= PATIENCE);
      }
    }
  }
}

/* ---- what is not a number */

/* A data set that no reader would make: one entry, or one label, as given. */
static dperm_data *broken_data(double entry, double label) {
  auto_rows *t = test_rows_random(2, ROWS, DIMS, 0.9);
  dperm_data *data = calloc(1, sizeof *data);
  double *x = calloc(ROWS * (size_t)DIMS, sizeof *x), *labels = calloc(ROWS, sizeof *labels);
  assert_true(data && x && labels);
  memcpy(x, t->x, ROWS * (size_t)DIMS * sizeof *x);
  memcpy(labels, t->labels, ROWS * sizeof *labels);
  x[5 * DIMS + 2] = entry;
  labels[7] = label;
  *data = (dperm_data){
      .labels = labels, .bounds = row_bounds_of_norm(DIMS, 1), .origin = ORIGIN_MEMORY};
  assert_ok(matrix_dense_new(ROWS, DIMS, x, &data->x, err));
  return data;
}

static void check_broken(dperm_data *data, dperm_loss loss) {
  for (int way = 0; way < 4; way++) {
    dperm_options options = asking(private_mechanisms[way & 1]);
    options.loss = loss;
    if (way & 2) {
      options.kernel = (dperm_kernel){DPERM_KERNEL_GAUSSIAN, 1, 10, 0, 3};
    }
    assert_no_model(end_of(dperm_train, data, &options), DPERM_NUMERIC_ERROR, "");
  }
}

TEST(rows_and_labels_that_are_no_numbers_release_nothing) {
  const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  for (int kind = REF_LOGISTIC; kind <= REF_SMOOTH_HINGE; kind++) {
    for (size_t i = 0; i < 3; i++) {
      auto_data *data = broken_data(bad[i], 1);
      check_broken(data, library_loss((reference_loss)kind, 0.5));
      dperm_data_free(data);
      data = broken_data(0.1, bad[i]);
      check_broken(data, library_loss((reference_loss)kind, 0.5));
    }
  }
}

/* Everywhere, and beyond margins that the minimum has or passes on the way. */
TEST(a_loss_that_stops_being_a_number_releases_nothing) {
  static const double limits[] = {-1, 0, 1e-3, 0.1};
  auto_data *data = some_data();
  for (int way = 0; way < 16; way++) {
    mischief own = {.mode = FE_TONEAREST, .broken = limits[way >> 2]};
    dperm_options options = asking(private_mechanisms[way & 1]);
    options.loss = own_loss(&own);
    options.loss.slope_error *= way & 2 ? 1 : 0; /* declared or not */
    options.progress = (dperm_progress){arm, &own};
    options.lambda = 1e-2;
    options.epsilon = 20; /* so that the minimum is the records' own */
    assert_no_model(end_of_seeded(data, options), DPERM_NUMERIC_ERROR, "");
    assert_true(own.armed && own.seen <= PATIENCE);
  }
}

/* ---- what custom losses and regularizers say of themselves */

static void ridge_eval(void *context, size_t j, double f, double *value, double *slope,
                       double *curvature) {
  *value = 0.5 * f * f;
  *slope = f;
  *curvature = 1;
}

static void check_claim(const dperm_data *data, const dperm_options *options, bool private) {
  ending got = end_of(dperm_train, data, options);
  if (got.status != DPERM_OK) {
    fail_msg("%s", got.err.message);
  }
  assert_int_equal(dperm_model_is_private(got.model), private);
  assert_true(private == (got.model->reason == NULL));
  if (!private) {
    assert_non_null(strstr(got.model->reason, "does not declare how precisely"));
  }
  dperm_model_free(got.model);
}

TEST(only_a_loss_that_declares_its_error_makes_private_models) {
  static const double errors[] = {0, 1e-15, 1e-12};
  auto_data *data = some_data();
  for (size_t i = 0; i < 2; i++) {
    for (size_t e = 0; e < 3; e++) {
      dperm_options options = asking(private_mechanisms[i]);
      options.loss = own_loss(NULL);
      options.loss.slope_error = errors[e];
      check_claim(data, &options, e >= 1);
      options.loss = dperm_loss_logistic(); /* the library's own, if its word is taken back */
      options.loss.slope_error = errors[e];
      assert_no_model(end_of(dperm_train, data, &options), DPERM_INVALID_ARGUMENT, "another name");
      options.loss.name = "mine";
      check_claim(data, &options, e >= 1);
    }
  }
}

TEST(only_a_regularizer_that_declares_both_numbers_makes_private_models) {
  static const double declared[][2] = {{0, 0},       {1, 0},     {0, 1e-15},
                                       {0.5, 1e-15}, {1, 1e-15}, {10, 1e-12}};
  auto_data *data = some_data();
  for (size_t i = 0; i < 2; i++) {
    for (size_t d = 0; d < 6; d++) {
      dperm_options options = asking(private_mechanisms[i]);
      options.regularizer = (dperm_regularizer){
          .eval = ridge_eval, .most_curvature = declared[d][0], .slope_error = declared[d][1]};
      check_claim(data, &options, d >= 4);
    }
  }
}

TEST(declarations_that_mean_nothing_are_refused) {
  static const double bad[] = {-1e-15, (double)NAN, (double)INFINITY};
  auto_data *data = some_data();
  for (size_t i = 0; i < 3; i++) {
    dperm_options options = asking(DPERM_MECHANISM_OBJECTIVE);
    options.loss.slope_error = bad[i];
    assert_no_model(end_of(dperm_train, data, &options), DPERM_INVALID_ARGUMENT, "slope_error");
    options = asking(DPERM_MECHANISM_OBJECTIVE);
    options.regularizer =
        (dperm_regularizer){.eval = ridge_eval, .most_curvature = 1, .slope_error = bad[i]};
    assert_no_model(end_of(dperm_train, data, &options), DPERM_INVALID_ARGUMENT, "slope_error");
    options.regularizer =
        (dperm_regularizer){.eval = ridge_eval, .most_curvature = bad[i], .slope_error = 1e-15};
    assert_no_model(end_of(dperm_train, data, &options), DPERM_INVALID_ARGUMENT, "most_curvature");
  }
}

/* A process that forks in the middle of a buffer: neither side may see the other's bits. */
TEST(a_child_draws_bits_of_its_own) {
  random_source source;
  uint64_t theirs = 0;
  int ends[2];
  assert_ok(random_secure(&source, err));
  (void)random_bits(&source);
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    uint64_t bits = random_bits(&source);
    _exit(write(ends[1], &bits, sizeof bits) == (ssize_t)sizeof bits ? 0 : 1);
  }
  assert_int_equal(read(ends[0], &theirs, sizeof theirs), sizeof theirs);
  int status = 1;
  assert_true(waitpid(child, &status, 0) == child && status == 0);
  assert_true(random_bits(&source) != theirs);
  close(ends[0]);
  close(ends[1]);
  random_wipe(&source);
}
