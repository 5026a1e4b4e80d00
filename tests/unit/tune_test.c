/* dperm_tune: which rows go where and with which calibration, what the model states, what progress
 * may show. The laws of the choices themselves are in tests/statistical/selector_test.c, choices on
 * public data and what is refused in tune_public_test.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mechanism/selection.h"
#include "reference.h"
#include "run/fit.h"
#include "run/tune_methods.h"
#include "tuning_request.h"

/* ---- split */

/* The whole method once more: one order of all rows, portions from its start, the next one to judge
 * by, the leftovers nowhere. Equal weights leave no space for a row in two portions. */
TUNING_TEST(split_gives_each_candidate_its_own_portion_and_drops_leftovers) {
  for (q->count = 1; q->count <= 4; q->count++) {
    size_t portion = ROWS / (q->count + 1), order[ROWS];
    auto_model *model = tuned(q, 7);
    random_source r = seeded(7);
    random_order(&r, ROWS, order);
    json_int_t chosen = stated(model, "chosen");
    assert_in_range(chosen, 0, q->count - 1);
    for (size_t i = 0; i < q->count; i++) {
      auto_data *part = NULL;
      auto_model *own = NULL;
      assert_ok(dperm_data_select(q->data, order + i * portion, portion, &part, err));
      assert_ok(fit_model(part, &q->candidates[i], NULL, &r, &own, err));
      if ((json_int_t)i == chosen) {
        assert_memory_equal(own->weights, model->weights, COLS * sizeof(double));
      }
    }
    assert_int_equal(stated(model, "portion"), portion);
    assert_planned(model, q->candidates[chosen], portion, 1);
  }
}

TUNING_TEST(split_states_total_epsilon_selector_candidates_and_bound) {
  for (int s = 0; s < 2; s++) {
    q->how.selector = s ? DPERM_SELECTOR_EXPONENTIAL : DPERM_SELECTOR_PERMUTE_AND_FLIP;
    q->candidates[0].epsilon = q->candidates[1].epsilon = q->candidates[2].epsilon = 0.3;
    auto_model *model = tuned(q, 8);
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
      assert_keys(c, "mechanism noise multiclass loss h lambda gamma features ");
      assert_true(json_real_value(json_object_get(c, "lambda")) == q->candidates[i].lambda);
    }
  }
}

TUNING_TEST(split_with_secure_noise_is_private) {
  auto_model *model = NULL;
  assert_ok(dperm_tune(q->data, q->candidates, q->count, &q->how, &model, err));
  assert_true(dperm_model_is_private(model));
  assert_null(model->reason);
}

TUNING_TEST(split_shows_progress_over_the_fixed_candidates_only) {
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

TUNING_TEST(too_few_rows_are_refused_before_any_work) {
  q->count = MOST;
  auto_rows *few = test_rows_random(2, 10 * (MOST + 1) - 1, COLS, 1);
  dperm_data *whole = q->data;
  q->data = data_of(few, 1);
  refuses(q, DPERM_INVALID_DATA, "too few for 8 candidates");
  q->count = MOST - 1;
  dperm_model_free(tuned(q, 1));
  dperm_data_free(q->data);
  q->data = whole;
}

/* ---- random stopping */

TUNING_TEST(a_round_costs_half_of_epsilon_or_a_third) {
  q->how.method = DPERM_TUNE_STOPPING;
  size_t held = (size_t)floor(ROWS * 0.1);
  for (int g = 0; g < 2; g++) {
    q->how.rounds = g ? DPERM_ROUNDS_GEOMETRIC : DPERM_ROUNDS_LOGARITHMIC;
    auto_model *model = tuned(q, 9);
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
  }
}

/* Means of 1.01 and 60 rounds: the same keys, nothing counted, progress that has no total. */
TUNING_TEST(nothing_tells_the_number_of_rounds) {
  q->how.method = DPERM_TUNE_STOPPING;
  for (int i = 0; i < 2; i++) {
    q->how.rounds_mean = i ? 60 : 1.01;
    q->seen = (watcher){0};
    auto_model *model = tuned(q, 11);
    assert_keys(model->selection,
                "method rounds rounds_mean epsilon_round candidates chosen holdout_rows ");
    assert_true(q->seen.calls > 0);
    assert_int_equal(q->seen.seen, 0);
  }
}

TUNING_TEST(stopping_finds_the_one_candidate_that_is_any_good) {
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
    auto_model *model = tuned(q, seed);
    good += stated(model, "chosen") == 1;
  }
  assert_true(good >= 16);
}

/* ---- for all methods */

TUNING_TEST(cancelling_anywhere_leaves_no_model) {
  for (int m = 0; m < 3; m++) {
    q->how.method = (dperm_tune_method)m;
    q->how.public_data = m == 2 ? q->others : NULL;
    for (size_t at = 1; at <= 10; at++) {
      auto_model *model = NULL;
      q->seen = (watcher){.stop_at = at};
      assert_ok(dperm_random_seeded(1, &q->candidates[0].random, err));
      dperm_status status = dperm_tune(q->data, q->candidates, q->count, &q->how, &model, NULL);
      assert_true((status == DPERM_CANCELLED) == (model == NULL));
      assert_true(status == DPERM_CANCELLED || (status == DPERM_OK && q->seen.calls < at));
      assert_true(status == DPERM_CANCELLED || at > 5);
      dperm_random_free(q->candidates[0].random);
      q->candidates[0].random = NULL;
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

TUNING_TEST(the_same_seed_gives_the_same_model_and_another_does_not) {
  for (int m = 0; m < 3; m++) {
    q->how.method = (dperm_tune_method)m;
    q->how.public_data = m == 2 ? q->others : NULL;
    char *bytes[3];
    for (int i = 0; i < 3; i++) {
      q->candidates[0].threads = 1 + i;
      auto_model *model = tuned(q, i < 2 ? 5 : 6);
      bytes[i] = bytes_of(model);
    }
    assert_string_equal(bytes[0], bytes[1]);
    assert_string_not_equal(bytes[0], bytes[2]);
    for (int i = 0; i < 3; i++) {
      free(bytes[i]);
    }
  }
}

TUNING_TEST(a_tuned_kernel_model_survives_its_file_bit_for_bit) {
  for (size_t i = 0; i < 3; i++) {
    q->candidates[i].kernel = (dperm_kernel){(dperm_kernel_kind)(i + 1), 2, 10 + 2 * i, 0, 0};
  }
  for (uint64_t seed = 1; seed <= 6; seed++) {
    bool split = seed % 2;
    q->how.method = split ? DPERM_TUNE_SPLIT : DPERM_TUNE_STOPPING;
    auto_model *model = tuned(q, seed), *back = NULL;
    double a[ROWS], b[ROWS];
    size_t chosen = (size_t)stated(model, "chosen");
    assert_planned(model, q->candidates[chosen], split ? ROWS / 4 : ROWS - ROWS / 10,
                   split ? 1 : 0.5);
    auto_file *path = file_with_text("");
    assert_ok(dperm_model_write(model, path, err));
    assert_ok(dperm_model_read(path, &back, err));
    assert_int_equal(back->dims, 10 + 2 * chosen);
    assert_true(json_equal(back->selection, model->selection));
    assert_true(back->plan.epsilon == model->plan.epsilon);
    assert_true(back->claim.epsilon == 1 && back->plan.noise.beta == model->plan.noise.beta);
    assert_ok(dperm_model_scores(model, q->data, a, err));
    assert_ok(dperm_model_scores(back, q->data, b, err));
    assert_memory_equal(a, b, sizeof a);
    OWNED_MEMORY char *first = bytes_of(model), *second = bytes_of(back);
    assert_string_equal(first, second);
  }
}
