/* See tuning_request.h. */
#include "tuning_request.h"

#include <stdio.h>
#include <stdlib.h>

#include "dperm/plan.h"
#include "kernel/features.h"

static bool watch(void *context, const char *stage, uint64_t done, uint64_t total) {
  watcher *w = context;
  assert_non_null(stage);
  w->calls++;
  if (total > 0 && w->seen < 64) {
    w->done[w->seen] = done;
    w->total[w->seen++] = total;
  }
  return w->stop_at > 0 && w->calls >= w->stop_at;
}

dperm_data *data_of(const test_rows *t, double norm) {
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_dense(t->rows, t->cols, t->x, t->labels, norm, &data, err));
  return data;
}

int tuning_begin(void **state) {
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

int tuning_end(void **state) {
  request *q = *state;
  dperm_data_free(q->data);
  dperm_data_free(q->others);
  test_rows_free(q->rows);
  free(q);
  return 0;
}

dperm_model *tuned(request *q, uint64_t seed) {
  dperm_model *model = NULL;
  assert_ok(dperm_random_seeded(seed, &q->candidates[0].random, err));
  assert_ok(dperm_tune(q->data, q->candidates, q->count, &q->how, &model, err));
  dperm_random_free(q->candidates[0].random);
  q->candidates[0].random = NULL;
  return model;
}

void refuses(request *q, dperm_status expected, const char *text) {
  dperm_model *model = NULL;
  q->seen = (watcher){0};
  assert_fails(dperm_tune(q->data, q->candidates, q->count, &q->how, &model, err), expected, text);
  assert_null(model);
  assert_int_equal(q->seen.calls, 0);
}

json_int_t stated(const dperm_model *model, const char *key) {
  const json_t *value = json_object_get(model->selection, key);
  assert_true(json_is_integer(value));
  return json_integer_value(value);
}

double stated_real(const dperm_model *model, const char *key) {
  const json_t *value = json_object_get(model->selection, key);
  assert_true(json_is_real(value));
  return json_real_value(value);
}

const char *stated_text(const dperm_model *model, const char *key) {
  const json_t *value = json_object_get(model->selection, key);
  assert_true(json_is_string(value));
  return json_string_value(value);
}

void assert_keys(const json_t *object, const char *expected) {
  char keys[512] = "";
  void *at = json_object_iter((json_t *)(uintptr_t)object);
  for (size_t used = 0; at; at = json_object_iter_next((json_t *)(uintptr_t)object, at)) {
    used += (size_t)snprintf(keys + used, sizeof keys - used, "%s ", json_object_iter_key(at));
  }
  assert_string_equal(keys, expected);
}

void assert_planned(const dperm_model *model, dperm_options options, size_t rows, double epsilon) {
  dperm_plan plan;
  options.epsilon = epsilon;
  bool kernel = options.kernel.kind != DPERM_KERNEL_NONE;
  assert_ok(dperm_plan_make(rows, kernel ? options.kernel.features : COLS,
                            kernel ? FEATURES_NORM : 1, &options, &plan, err));
  assert_true(model->plan.epsilon == plan.epsilon_core && plan.epsilon == epsilon);
  assert_true(model->plan.noise.beta == plan.beta);
  assert_true(model->plan.lambda == plan.lambda && model->plan.delta_reg == plan.delta_reg);
  assert_int_equal(model->rows_fitted, rows);
}
