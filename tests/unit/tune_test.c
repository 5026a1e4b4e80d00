/* dperm_tune: which rows go where and with which calibration, what the model states, what progress
 * may show, and every request that is refused before any work. The laws of the choices themselves
 * are in tests/statistical/selector_test.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mechanism/selection.h"
#include "pipeline/fit.h"
#include "pipeline/tune_methods.h"
#include "reference.h"

enum { ROWS = 1003, COLS = 4, MOST = 8 };

/* ---- a request: three candidates, one watcher of progress */

typedef struct watcher {
  size_t calls, stop_at; /* stops at that call; 0 for never */
  size_t seen;
  uint64_t done[64], total[64]; /* of the calls with a total */
} watcher;

static int watch(void *context, const char *stage, uint64_t done, uint64_t total) {
  watcher *w = context;
  assert_non_null(stage);
  w->calls++;
  if (total > 0 && w->seen < 64) {
    w->done[w->seen] = done;
    w->total[w->seen++] = total;
  }
  return w->stop_at > 0 && w->calls >= w->stop_at;
}

typedef struct request {
  test_rows *rows;
  dperm_data *data, *others; /* of the same population */
  dperm_options candidates[MOST];
  size_t count;
  dperm_tune_options how;
  watcher seen;
} request;

static dperm_data *data_of(const test_rows *t, double norm) {
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_dense(t->rows, t->cols, t->x, t->labels, norm, &data, err));
  return data;
}

static int begin(void **state) {
  request *q = calloc(1, sizeof *q);
  q->rows = test_rows_random(1, ROWS, COLS, 1);
  q->data = data_of(q->rows, 1);
  test_rows *others = test_rows_random(2, ROWS, COLS, 1);
  q->others = data_of(others, 1);
  test_rows_free(others);
  q->count = 3;
  for (size_t i = 0; i < MOST; i++) {
    dperm_options *o = &q->candidates[i];
    dperm_options_init(o);
    o->epsilon = 1;
    o->lambda = 0.01 * (double)(1 + i);
    o->progress = (dperm_progress){watch, &q->seen};
    o->threads = 1; /* small problems: more would only wait for each other */
  }
  dperm_tune_options_init(&q->how);
  *state = q;
  return 0;
}

static int end(void **state) {
  request *q = *state;
  dperm_data_free(q->data);
  dperm_data_free(q->others);
  test_rows_free(q->rows);
  free(q);
  return 0;
}

static dperm_model *tuned(request *q, uint64_t seed) {
  dperm_model *model = NULL;
  assert_ok(dperm_random_seeded(seed, &q->candidates[0].random, err));
  assert_ok(dperm_tune(q->data, q->candidates, q->count, &q->how, &model, err));
  dperm_random_free(q->candidates[0].random);
  q->candidates[0].random = NULL;
  return model;
}

/* Refused with this status and text, nothing made, and no work begun. */
static void refuses(request *q, dperm_status expected, const char *text) {
  dperm_model *model = NULL;
  q->seen = (watcher){0};
  assert_fails(dperm_tune(q->data, q->candidates, q->count, &q->how, &model, err), expected, text);
  assert_null(model);
  assert_int_equal(q->seen.calls, 0);
}

static json_int_t stated(const dperm_model *model, const char *key) {
  const json_t *value = json_object_get(model->selection, key);
  assert_true(json_is_integer(value));
  return json_integer_value(value);
}

static double stated_real(const dperm_model *model, const char *key) {
  const json_t *value = json_object_get(model->selection, key);
  assert_true(json_is_real(value));
  return json_real_value(value);
}

static const char *stated_text(const dperm_model *model, const char *key) {
  const json_t *value = json_object_get(model->selection, key);
  assert_true(json_is_string(value));
  return json_string_value(value);
}

static void assert_keys(const json_t *object, const char *expected) {
  char keys[512] = "";
  void *at = json_object_iter((json_t *)(uintptr_t)object);
  for (size_t used = 0; at; at = json_object_iter_next((json_t *)(uintptr_t)object, at)) {
    used += (size_t)snprintf(keys + used, sizeof keys - used, "%s ", json_object_iter_key(at));
  }
  assert_string_equal(keys, expected);
}

/* The plan of a model against the plan for these public numbers. */
static void assert_planned(const dperm_model *model, dperm_options options, size_t rows,
                           double epsilon) {
  dperm_plan plan;
  options.epsilon = epsilon;
  bool kernel = options.kernel.name != DPERM_KERNEL_NONE;
  assert_ok(dperm_plan_make(rows, kernel ? options.kernel.features : COLS,
                            kernel ? FEATURES_NORM : 1, &options, &plan, err));
  assert_true(model->plan.epsilon == plan.epsilon_core && plan.epsilon == epsilon);
  assert_true(model->plan.noise.beta == plan.beta);
  assert_true(model->plan.lambda == plan.lambda && model->plan.delta_reg == plan.delta_reg);
  assert_int_equal(model->rows_fitted, rows);
}

/* ---- split */

/* The whole method once more: one order of all rows, portions from its start, the next one to judge
 * by, the leftovers nowhere. Equal weights leave no space for a row in two portions. */
static void split_gives_each_candidate_its_own_portion_and_drops_leftovers(void **state) {
  request *q = *state;
  for (q->count = 1; q->count <= 4; q->count++) {
    size_t portion = ROWS / (q->count + 1), order[ROWS];
    dperm_model *model = tuned(q, 7);
    random_source r;
    assert_ok(random_seeded(7, &r, err));
    random_order(&r, ROWS, order);
    json_int_t chosen = stated(model, "chosen");
    assert_in_range(chosen, 0, q->count - 1);
    for (size_t i = 0; i < q->count; i++) {
      dperm_data *part = NULL;
      dperm_model *own = NULL;
      assert_ok(dperm_data_select(q->data, order + i * portion, portion, &part, err));
      assert_ok(fit_model(part, &q->candidates[i], &r, &own, err));
      if ((json_int_t)i == chosen) {
        assert_memory_equal(own->weights, model->weights, COLS * sizeof(double));
      }
      dperm_model_free(own);
      dperm_data_free(part);
    }
    assert_int_equal(stated(model, "portion"), portion);
    assert_planned(model, q->candidates[chosen], portion, 1);
    dperm_model_free(model);
  }
}

static void split_states_total_epsilon_selector_candidates_and_bound(void **state) {
  request *q = *state;
  for (int s = 0; s < 2; s++) {
    q->how.selector = s ? DPERM_SELECTOR_EXPONENTIAL : DPERM_SELECTOR_PERMUTE_AND_FLIP;
    q->candidates[0].epsilon = q->candidates[1].epsilon = q->candidates[2].epsilon = 0.3;
    dperm_model *model = tuned(q, 8);
    assert_keys(model->selection, "method selector candidates chosen portion bound ");
    assert_string_equal(stated_text(model, "method"), "split");
    assert_string_equal(stated_text(model, "selector"), s ? "exponential" : "permute-and-flip");
    assert_true(model->claim.epsilon == 0.3);
    assert_int_equal(model->rows, ROWS);
    assert_int_equal(model->rows_fitted, ROWS / 4);
    assert_false(dperm_model_is_private(model)); /* seeded */
    const json_t *bound = json_object_get(model->selection, "bound");
    double excess = json_real_value(json_object_get(bound, "excess_errors"));
    assert_true(json_real_value(json_object_get(bound, "delta")) == 0.05);
    /* not below the formula: the selector's ε is rounded down */
    assert_true(excess >= 2 / 0.3 * log(2 / 0.05) && excess < 2 / 0.3 * log(2 / 0.05) * 1.00001);
    const json_t *list = json_object_get(model->selection, "candidates");
    assert_int_equal(json_array_size(list), 3);
    for (size_t i = 0; i < 3; i++) {
      const json_t *c = json_array_get(list, i);
      assert_keys(c, "loss h lambda gamma features ");
      assert_true(json_real_value(json_object_get(c, "lambda")) == q->candidates[i].lambda);
    }
    dperm_model_free(model);
  }
}

static void split_with_secure_noise_is_private(void **state) {
  request *q = *state;
  dperm_model *model = NULL;
  assert_ok(dperm_tune(q->data, q->candidates, q->count, &q->how, &model, err));
  assert_true(dperm_model_is_private(model));
  assert_null(model->reason);
  dperm_model_free(model);
}

static void split_shows_progress_over_the_fixed_candidates_only(void **state) {
  request *q = *state;
  q->count = 5;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    q->seen = (watcher){0};
    dperm_model_free(tuned(q, seed));
    assert_int_equal(q->seen.seen, 5);
    for (size_t i = 0; i < 5; i++) {
      assert_int_equal(q->seen.done[i], i);
      assert_int_equal(q->seen.total[i], 5);
    }
  }
}

static void too_few_rows_are_refused_before_any_work(void **state) {
  request *q = *state;
  q->count = MOST;
  test_rows *few = test_rows_random(2, 10 * (MOST + 1) - 1, COLS, 1);
  dperm_data *whole = q->data;
  q->data = data_of(few, 1);
  refuses(q, DPERM_INVALID_DATA, "too few for 8 candidates");
  q->count = MOST - 1;
  dperm_model_free(tuned(q, 1));
  dperm_data_free(q->data);
  q->data = whole;
  test_rows_free(few);
}

/* ---- random stopping */

static void a_round_costs_half_of_epsilon_or_a_third(void **state) {
  request *q = *state;
  q->how.method = DPERM_TUNE_STOPPING;
  size_t held = (size_t)floor(ROWS * 0.1);
  for (int g = 0; g < 2; g++) {
    q->how.rounds = g ? DPERM_ROUNDS_GEOMETRIC : DPERM_ROUNDS_LOGARITHMIC;
    dperm_model *model = tuned(q, 9);
    double share = ratio_value(ratio_below(g ? 1.0 / 3 : 0.5));
    assert_true(share <= (g ? 1.0 / 3 : 0.5) && share > (g ? 0.33333 : 0.49999));
    assert_true(stated_real(model, "epsilon_round") == share);
    /* of the law that is drawn from, not of the one that was asked for */
    assert_true(stated_real(model, "rounds_mean") >= 9 &&
                stated_real(model, "rounds_mean") < 9.0001);
    assert_true(g || stated_real(model, "rounds_mean") > 9);
    assert_string_equal(stated_text(model, "rounds"), g ? "geometric" : "logarithmic");
    assert_int_equal(stated(model, "holdout_rows"), held);
    assert_in_range(stated(model, "chosen"), 0, 2);
    assert_planned(model, q->candidates[stated(model, "chosen")], ROWS - held, share);
    assert_true(model->claim.epsilon == 1);
    assert_int_equal(model->rows, ROWS);
    dperm_model_free(model);
  }
}

/* Rounding: three rounds' worth is never above the total. */
static double round_epsilon(double epsilon, rounds_kind rounds) {
  const private_run run = {epsilon, 1, 2, rounds, 2};
  return guarantee_of_run(&run).epsilon_fit;
}

static void the_rounds_of_any_epsilon_stay_within_it(void **state) {
  (void)state;
  random_source r;
  assert_ok(random_seeded(10, &r, err));
  for (int i = 0; i < 200000; i++) {
    double epsilon = exp(log(1e-8) + random_unit(&r) * log(1e10));
    if (i % 2) { /* just below three times twenty bits */
      epsilon = nextafter(3 * round_epsilon(epsilon, ROUNDS_BY_LOGARITHMIC), 0);
    }
    assert_true(3 * (long double)round_epsilon(epsilon, ROUNDS_BY_GEOMETRIC) <= epsilon);
    assert_true(2 * (long double)round_epsilon(epsilon, ROUNDS_BY_LOGARITHMIC) <= epsilon);
  }
}

/* Means of 1.01 and 60 rounds: the same keys, nothing counted, progress that has no total. */
static void nothing_tells_the_number_of_rounds(void **state) {
  request *q = *state;
  q->how.method = DPERM_TUNE_STOPPING;
  for (int i = 0; i < 2; i++) {
    q->how.rounds_mean = i ? 60 : 1.01;
    q->seen = (watcher){0};
    dperm_model *model = tuned(q, 11);
    assert_keys(model->selection,
                "method rounds rounds_mean epsilon_round candidates chosen holdout_rows ");
    assert_true(q->seen.calls > 0);
    assert_int_equal(q->seen.seen, 0);
    dperm_model_free(model);
  }
}

static void stopping_finds_the_one_candidate_that_is_any_good(void **state) {
  request *q = *state;
  q->how.method = DPERM_TUNE_STOPPING;
  q->how.rounds = DPERM_ROUNDS_GEOMETRIC;
  q->how.rounds_mean = 100;
  q->how.holdout = 0.3;
  q->count = 2;
  for (size_t i = 0; i < 2; i++) {
    q->candidates[i].epsilon = 25;
    q->candidates[i].lambda = i ? 1e-2 : 1e-7; /* noise of scale 2/(nΛε): hopeless for the first */
    q->candidates[i].mechanism = DPERM_MECHANISM_OUTPUT;
  }
  size_t good = 0;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    dperm_model *model = tuned(q, seed);
    good += stated(model, "chosen") == 1;
    dperm_model_free(model);
  }
  assert_true(good >= 16);
}

/* ---- in public */

static void public_tuning_fits_all_rows_at_the_whole_epsilon(void **state) {
  request *q = *state;
  test_rows *t = test_rows_random(12, 400, COLS, 1);
  dperm_data *given = data_of(t, 1);
  q->how.method = DPERM_TUNE_PUBLIC;
  q->how.public_data = given;
  dperm_model *model = tuned(q, 13);
  assert_keys(model->selection, "method candidates chosen public_rows ");
  assert_int_equal(stated(model, "public_rows"), 400);
  assert_planned(model, q->candidates[stated(model, "chosen")], ROWS, 1);
  assert_int_equal(q->seen.seen, 3);
  dperm_model_free(model);
  dperm_data_free(given);
  test_rows_free(t);
}

/* With secure noise, and whatever the two were read from: the same rows are the same people. */
static void a_choice_on_the_private_records_themselves_is_not_private(void **state) {
  request *q = *state;
  dperm_data *again = data_of(q->rows, 1), *hidden = NULL; /* turned round, without the first */
  size_t order[ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    order[i] = ROWS - 1 - i;
  }
  assert_ok(dperm_data_select(again, order, ROWS - 1, &hidden, err));
  const dperm_data *const given[] = {q->data, again, hidden, q->others};
  q->how.method = DPERM_TUNE_PUBLIC;
  for (size_t i = 0; i < 4; i++) {
    dperm_model *model = NULL;
    dperm_guarantee g;
    q->how.public_data = given[i];
    assert_ok(dperm_tune(q->data, q->candidates, q->count, &q->how, &model, err));
    dperm_model_guarantee(model, &g);
    assert_int_equal(g.is_private, i == 3);
    if (i < 3) {
      assert_string_equal(g.reason, "the candidates were compared on these very records");
    }
    dperm_model_free(model);
  }
  dperm_data_free(hidden);
  dperm_data_free(again);
}

static dperm_data *read_people(const char *schema_text) {
  char *path = file_with_text("age,rich\n1,yes\n2,no\n3,yes\n4,no\n");
  dperm_schema *schema = NULL;
  dperm_data *data = NULL;
  assert_ok(dperm_schema_parse(schema_text, strlen(schema_text), "s", &schema, err));
  dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  dperm_schema_free(schema);
  file_remove(path);
  return data;
}

#define PEOPLE(max, more)                                                                          \
  "{" more "\"label\": {\"column\": \"rich\", \"positive\": [\"yes\"], \"negative\": [\"no\"]}, "  \
  "\"columns\": [{\"name\": \"age\", \"type\": \"numeric\", \"min\": 0, \"max\": " max "}]}"

static void public_data_encoded_in_another_way_are_refused(void **state) {
  request *q = *state;
  dperm_data *mine = q->data, *ten = read_people(PEOPLE("10", ""));
  dperm_data *twenty = read_people(PEOPLE("20", ""));
  test_rows *narrow = test_rows_random(14, 100, COLS - 1, 1),
            *same = test_rows_random(15, 100, 4, 1);
  dperm_data *others[] = {data_of(narrow, 1), data_of(same, 2), ten};
  q->how.method = DPERM_TUNE_PUBLIC;
  refuses(q, DPERM_INVALID_ARGUMENT, "public data go with the method public");
  for (size_t i = 0; i < 3; i++) {
    q->how.public_data = others[i];
    refuses(q, DPERM_INVALID_DATA, "encoded in another way");
  }
  q->data = twenty;
  refuses(q, DPERM_INVALID_DATA, "encoded in another way");
  q->data = mine;
  q->how.method = DPERM_TUNE_SPLIT;
  refuses(q, DPERM_INVALID_ARGUMENT, "public data go with the method public");
  q->how.public_data = NULL;
  for (size_t i = 0; i < 3; i++) {
    dperm_data_free(others[i]);
  }
  dperm_data_free(twenty);
  test_rows_free(narrow);
  test_rows_free(same);
}

static void a_schema_that_drops_rows_is_refused_before_any_work(void **state) {
  request *q = *state;
  dperm_data *mine = q->data, *four = read_people(PEOPLE("10", "\"on_missing\": \"drop\", "));
  size_t rows[100] = {0};
  assert_ok(dperm_data_select(four, rows, 100, &q->data, err));
  for (int m = 0; m < 2; m++) {
    q->how.method = m ? DPERM_TUNE_STOPPING : DPERM_TUNE_SPLIT;
    refuses(q, DPERM_INVALID_SCHEMA, "the number of rows depends on the records");
  }
  dperm_data_free(q->data);
  dperm_data_free(four);
  q->data = mine;
}

/* ---- requests that cannot be */

static void holdouts_outside_zero_to_one_are_refused(void **state) {
  request *q = *state;
  static const double shares[] = {0, 1, -0.1, 1.5, NAN, INFINITY};
  q->how.method = DPERM_TUNE_STOPPING;
  for (size_t i = 0; i < 6; i++) {
    q->how.holdout = shares[i];
    refuses(q, DPERM_INVALID_ARGUMENT, "between 0 and 1");
  }
  q->how.holdout = 0.001;
  refuses(q, DPERM_INVALID_DATA, "on one side");
  q->how.holdout = 0.999;
  refuses(q, DPERM_INVALID_DATA, "on one side");
  q->how.method = DPERM_TUNE_SPLIT; /* which has none, whatever stands there */
  q->how.holdout = (double)NAN;
  dperm_model_free(tuned(q, 1));
}

static void epsilons_that_differ_or_cannot_be_are_refused(void **state) {
  request *q = *state;
  static const double epsilons[] = {0, -1, NAN, INFINITY, 1e-300, 1e300, 101};
  q->candidates[2].epsilon = 2;
  refuses(q, DPERM_INVALID_ARGUMENT, "epsilon of its own");
  for (size_t i = 0; i < 7; i++) {
    for (int m = 0; m < 2; m++) {
      q->how.method = m ? DPERM_TUNE_STOPPING : DPERM_TUNE_SPLIT;
      for (size_t c = 0; c < 3; c++) {
        q->candidates[c].epsilon = m && epsilons[i] == 101 ? 301 : epsilons[i];
      }
      refuses(q, DPERM_INVALID_ARGUMENT, "epsilon = ");
    }
  }
}

static void other_requests_that_cannot_be_are_refused(void **state) {
  request *q = *state;
  q->count = 0;
  refuses(q, DPERM_INVALID_ARGUMENT, "0 candidates");
  q->count = 3;
  q->candidates[1].mechanism = DPERM_MECHANISM_NONE;
  refuses(q, DPERM_INVALID_ARGUMENT, "needs a private mechanism");
  q->candidates[1].mechanism = DPERM_MECHANISM_OBJECTIVE;
  q->candidates[2].kernel = (dperm_kernel){DPERM_KERNEL_GAUSSIAN, 1, 7, 0, 0};
  refuses(q, DPERM_INVALID_ARGUMENT, "even number");
  q->candidates[2].kernel = (dperm_kernel){0};
  q->candidates[2].lambda = 1e-9;
  q->candidates[2].delta_reg = 0;
  refuses(q, DPERM_INVALID_ARGUMENT, "delta-reg"); /* infeasible at the portion's n */
  q->how.method = DPERM_TUNE_STOPPING;
  refuses(q, DPERM_INVALID_ARGUMENT, "delta-reg");
  q->candidates[2].lambda = 0.03;
  q->candidates[2].delta_reg = (double)NAN;
  static const double means[] = {1, 0, -3, INFINITY, 1e7};
  for (size_t i = 0; i < 5; i++) {
    q->how.rounds_mean = means[i];
    refuses(q, DPERM_INVALID_ARGUMENT, "rounds");
  }
  q->how.rounds_mean = nextafter(1, 2); /* the least there is */
  dperm_model_free(tuned(q, 1));
}

/* ---- for all methods */

static void cancelling_anywhere_leaves_no_model(void **state) {
  request *q = *state;
  for (int m = 0; m < 3; m++) {
    q->how.method = (dperm_tune_method)m;
    q->how.public_data = m == 2 ? q->others : NULL;
    for (size_t at = 1; at <= 10; at++) {
      dperm_model *model = NULL;
      q->seen = (watcher){.stop_at = at};
      assert_ok(dperm_random_seeded(1, &q->candidates[0].random, err));
      dperm_status status = dperm_tune(q->data, q->candidates, q->count, &q->how, &model, NULL);
      assert_true((status == DPERM_CANCELLED) == (model == NULL));
      assert_true(status == DPERM_CANCELLED || (status == DPERM_OK && q->seen.calls < at));
      assert_true(status == DPERM_CANCELLED || at > 5);
      dperm_random_free(q->candidates[0].random);
      q->candidates[0].random = NULL;
      dperm_model_free(model);
    }
  }
}

static char *bytes_of(const dperm_model *model) {
  char *path = file_with_text(""), *bytes = calloc(1, 1 << 20);
  assert_non_null(bytes);
  assert_ok(dperm_model_write(model, path, err));
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_true(fread(bytes, 1, (1 << 20) - 1, file) > 0);
  fclose(file);
  file_remove(path);
  return bytes;
}

static void the_same_seed_gives_the_same_model_and_another_does_not(void **state) {
  request *q = *state;
  for (int m = 0; m < 3; m++) {
    q->how.method = (dperm_tune_method)m;
    q->how.public_data = m == 2 ? q->others : NULL;
    char *bytes[3];
    for (int i = 0; i < 3; i++) {
      q->candidates[0].threads = 1 + i;
      dperm_model *model = tuned(q, i < 2 ? 5 : 6);
      bytes[i] = bytes_of(model);
      dperm_model_free(model);
    }
    assert_string_equal(bytes[0], bytes[1]);
    assert_string_not_equal(bytes[0], bytes[2]);
    for (int i = 0; i < 3; i++) {
      free(bytes[i]);
    }
  }
}

static void a_tuned_kernel_model_survives_its_file_bit_for_bit(void **state) {
  request *q = *state;
  for (size_t i = 0; i < 3; i++) {
    q->candidates[i].kernel = (dperm_kernel){(dperm_kernel_kind)(i + 1), 2, 10 + 2 * i, 0, 0};
  }
  for (uint64_t seed = 1; seed <= 6; seed++) {
    bool split = seed % 2;
    q->how.method = split ? DPERM_TUNE_SPLIT : DPERM_TUNE_STOPPING;
    dperm_model *model = tuned(q, seed), *back = NULL;
    double a[ROWS], b[ROWS];
    size_t chosen = (size_t)stated(model, "chosen");
    assert_planned(model, q->candidates[chosen], split ? ROWS / 4 : ROWS - ROWS / 10,
                   split ? 1 : 0.5);
    char *path = file_with_text("");
    assert_ok(dperm_model_write(model, path, err));
    assert_ok(dperm_model_read(path, &back, err));
    assert_int_equal(back->dims, 10 + 2 * chosen);
    assert_true(json_equal(back->selection, model->selection));
    assert_true(back->plan.epsilon == model->plan.epsilon);
    assert_true(back->claim.epsilon == 1 && back->plan.noise.beta == model->plan.noise.beta);
    assert_ok(dperm_model_scores(model, q->data, a, err));
    assert_ok(dperm_model_scores(back, q->data, b, err));
    assert_memory_equal(a, b, sizeof a);
    char *first = bytes_of(model), *second = bytes_of(back);
    assert_string_equal(first, second);
    free(first);
    free(second);
    file_remove(path);
    dperm_model_free(model);
    dperm_model_free(back);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(
          split_gives_each_candidate_its_own_portion_and_drops_leftovers, begin, end),
      cmocka_unit_test_setup_teardown(split_states_total_epsilon_selector_candidates_and_bound,
                                      begin, end),
      cmocka_unit_test_setup_teardown(split_with_secure_noise_is_private, begin, end),
      cmocka_unit_test_setup_teardown(split_shows_progress_over_the_fixed_candidates_only, begin,
                                      end),
      cmocka_unit_test_setup_teardown(too_few_rows_are_refused_before_any_work, begin, end),
      cmocka_unit_test_setup_teardown(a_round_costs_half_of_epsilon_or_a_third, begin, end),
      cmocka_unit_test(the_rounds_of_any_epsilon_stay_within_it),
      cmocka_unit_test_setup_teardown(nothing_tells_the_number_of_rounds, begin, end),
      cmocka_unit_test_setup_teardown(stopping_finds_the_one_candidate_that_is_any_good, begin,
                                      end),
      cmocka_unit_test_setup_teardown(public_tuning_fits_all_rows_at_the_whole_epsilon, begin, end),
      cmocka_unit_test_setup_teardown(a_choice_on_the_private_records_themselves_is_not_private,
                                      begin, end),
      cmocka_unit_test_setup_teardown(public_data_encoded_in_another_way_are_refused, begin, end),
      cmocka_unit_test_setup_teardown(a_schema_that_drops_rows_is_refused_before_any_work, begin,
                                      end),
      cmocka_unit_test_setup_teardown(holdouts_outside_zero_to_one_are_refused, begin, end),
      cmocka_unit_test_setup_teardown(epsilons_that_differ_or_cannot_be_are_refused, begin, end),
      cmocka_unit_test_setup_teardown(other_requests_that_cannot_be_are_refused, begin, end),
      cmocka_unit_test_setup_teardown(cancelling_anywhere_leaves_no_model, begin, end),
      cmocka_unit_test_setup_teardown(the_same_seed_gives_the_same_model_and_another_does_not,
                                      begin, end),
      cmocka_unit_test_setup_teardown(a_tuned_kernel_model_survives_its_file_bit_for_bit, begin,
                                      end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
