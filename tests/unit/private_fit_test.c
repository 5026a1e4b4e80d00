/* Private training from end to end: what a private fit refuses, and that nothing of a model but its
 * weights depends on the records. Which models call themselves private is in stamp_test.c. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/file_read.h"
#include "model/model.h"
#include "random/random_source.h"
#include "reference.h"

enum { ROWS = 400, DIMS = 6 };

static const dperm_mechanism private_mechanisms[] = {DPERM_MECHANISM_OBJECTIVE,
                                                     DPERM_MECHANISM_OUTPUT};

static dperm_options asking(dperm_mechanism mechanism) {
  dperm_options options = options_for(0.5);
  options.mechanism = mechanism;
  options.threads = 1; /* many small problems */
  return options;
}

static dperm_data *data_of(const test_rows *t, double norm) {
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_dense(t->rows, t->cols, t->x, t->labels, norm, &data, err));
  return data;
}

static dperm_data *some_data(uint64_t seed, size_t rows) {
  auto_rows *t = test_rows_random(seed, rows, DIMS, 0.6);
  dperm_data *data = data_of(t, 1.0);
  return data;
}

/* `seed` NULL for the secure source. */
static dperm_model *train(const dperm_data *data, dperm_options options, const uint64_t *seed) {
  dperm_model *model = NULL;
  if (seed) {
    assert_ok(dperm_random_seeded(*seed, &options.random, err));
  }
  assert_ok(dperm_train(data, &options, &model, err));
  dperm_random_free(seed ? options.random : NULL);
  return model;
}

static dperm_model *train_seeded(const dperm_data *data, dperm_options options, uint64_t seed) {
  return train(data, options, &seed);
}

static bool same_weights(const dperm_model *a, const dperm_model *b) {
  return a->dims == b->dims && memcmp(a->weights, b->weights, a->dims * sizeof(double)) == 0;
}

/* ---- draws */

TEST(a_seed_gives_the_same_weights_for_any_number_of_threads) {
  auto_data *data = some_data(2, 2000);
  for (size_t i = 0; i < 2; i++) {
    dperm_options options = asking(private_mechanisms[i]);
    auto_model *first = train_seeded(data, options, 7);
    for (int threads = 0; threads <= 3; threads++) {
      options.threads = threads;
      auto_model *model = train_seeded(data, options, 7);
      assert_true(same_weights(first, model));
    }
  }
}

static size_t equal_weights(const dperm_model *a, const dperm_model *b) {
  size_t equal = 0;
  for (size_t j = 0; j < DIMS; j++) {
    equal += a->weights[j] == b->weights[j];
  }
  return equal;
}

/* Weights lie on a lattice, so two of them can agree by chance: with probability at most p =
 * ε_num/2S = 4e-6 (tanh of half that rate is the most likely value of the lattice noise alone).
 * Three of six do with at most 20 p³ = 1.3e-15, in 18 pairs of secure draws 2.4e-14. */
TEST(every_draw_gives_other_weights) {
  auto_data *data = some_data(3, ROWS);
  for (size_t i = 0; i < 2; i++) {
    dperm_options options = asking(private_mechanisms[i]);
    dperm_model *models[6];
    models[0] = train(data, options, NULL);
    models[1] = train(data, options, NULL);
    models[2] = train_seeded(data, options, 1);
    models[3] = train_seeded(data, options, 2);
    assert_ok(dperm_random_seeded(3, &options.random, err)); /* one source, two fits */
    models[4] = train(data, options, NULL);
    models[5] = train(data, options, NULL);
    dperm_random_free(options.random);
    for (size_t a = 0; a < 6; a++) {
      for (size_t b = 0; b < a; b++) {
        assert_true(equal_weights(models[a], models[b]) < 3);
      }
    }
    for (size_t a = 0; a < 6; a++) {
      dperm_model_free(models[a]);
    }
  }
}

/* ---- refusals */

static void check_refused(const dperm_data *data, const dperm_options *options, dperm_status status,
                          const char *text) {
  dperm_model *model = NULL;
  dperm_unsafe_diagnostics seen = {.iterations = 12345};
  dperm_options asked = *options;
  asked.unsafe_diagnostics = &seen;
  assert_fails(dperm_train(data, &asked, &model, err), status, text);
  assert_null(model);
  assert_int_equal(seen.iterations, 12345);
}

static dperm_data *census_like(const char *on_missing) {
  char text[400];
  auto_schema *schema = NULL;
  dperm_data *data = NULL;
  (void)snprintf(text, sizeof text,
                 "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"0\"]},"
                 " \"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 9}],"
                 " \"intercept\": true, \"on_missing\": \"%s\"}",
                 on_missing);
  assert_ok(dperm_schema_parse(text, strlen(text), "schema", &schema, err));
  auto_file *path = file_with_text("a,y\n1,1\n,0\n7,0\n3,1\n");
  const dperm_source source = {.path = path, .schema = schema};
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  return data;
}

TEST(dropped_rows_and_privacy_do_not_go_together) {
  auto_data *dropped = census_like("drop"), *kept = census_like("zero");
  assert_int_equal(dperm_data_rows(dropped), 3);
  for (size_t i = 0; i < 2; i++) {
    const dperm_options options = asking(private_mechanisms[i]);
    check_refused(dropped, &options, DPERM_INVALID_SCHEMA, "drops rows");
    check_refused(dropped, &options, DPERM_INVALID_SCHEMA, "\"on_missing\"");
    dperm_model_free(train(kept, options, NULL));
  }
  dperm_model_free(train(dropped, asking(DPERM_MECHANISM_NONE), NULL));
}

/* A selection of rows still knows that rows were dropped. */
TEST(dropped_rows_are_not_forgotten_by_a_selection) {
  auto_data *dropped = census_like("drop"), *some = NULL;
  const size_t indices[] = {0, 2};
  assert_ok(dperm_data_select(dropped, indices, 2, &some, err));
  const dperm_options options = asking(DPERM_MECHANISM_OUTPUT);
  check_refused(some, &options, DPERM_INVALID_SCHEMA, "drops rows");
}

static void absolute_eval(void *context, size_t j, double f, double *value, double *slope,
                          double *curvature) {
  *value = fabs(f);
  *slope = (f > 0) - (f < 0);
  *curvature = 0;
}

TEST(regularizers_without_strong_convexity_are_refused) {
  auto_data *data = some_data(5, ROWS);
  for (size_t i = 0; i < 2; i++) {
    dperm_options options = asking(private_mechanisms[i]);
    options.regularizer.eval = absolute_eval;
    check_refused(data, &options, DPERM_INVALID_ARGUMENT, "1-strongly convex");
    const double weights[DIMS] = {1, 1, 1, 1, 1, 0};
    options = asking(private_mechanisms[i]);
    options.regularizer.weights = weights; /* an unpenalized intercept has no finite epsilon */
    check_refused(data, &options, DPERM_INVALID_ARGUMENT, "at least 1");
  }
}

/* A private fit goes as far as its claim needs, whatever tolerance is asked for. */
TEST(a_private_fit_is_not_loosened_by_a_tolerance) {
  auto_data *data = some_data(7, ROWS);
  for (size_t i = 0; i < 2; i++) {
    dperm_options options = asking(private_mechanisms[i]);
    auto_model *model = train_seeded(data, options, 5);
    options.gradient_tolerance = 1e-1;
    auto_model *loose = train_seeded(data, options, 5);
    assert_true(same_weights(model, loose));
  }
}

/* ---- what leaves */

TEST(diagnostics_change_nothing_in_the_model) {
  auto_data *data = some_data(8, ROWS);
  for (size_t i = 0; i < 2; i++) {
    dperm_unsafe_diagnostics seen = {.objective = -1};
    dperm_options options = asking(private_mechanisms[i]);
    auto_model *quiet = train_seeded(data, options, 9);
    options.unsafe_diagnostics = &seen;
    auto_model *asked = train_seeded(data, options, 9);
    assert_true(same_weights(quiet, asked));
    assert_true(seen.objective > 0 && seen.iterations > 0);
    assert_true(seen.gradient_norm <= asked->release.promised.gradient);
    assert_true(seen.training_error >= 0 && seen.training_error <= 1);
  }
}

static json_t *json_of(const dperm_model *model) {
  char *path = file_with("", 0), *text = NULL;
  size_t length = 0;
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(file_read_all(path, 1 << 20, &text, &length, err));
  json_t *root = json_loadb(text, length, 0, NULL);
  assert_non_null(root);
  free(text);
  file_remove(path);
  return root;
}

static void check_keys(const json_t *object, const char *const *keys, size_t count) {
  assert_int_equal(json_object_size(object), count);
  for (size_t i = 0; i < count; i++) {
    if (!json_object_get(object, keys[i])) {
      fail_msg("no \"%s\" in the model", keys[i]);
    }
  }
}

TEST(a_private_models_file_has_these_keys_and_no_others) {
  static const char *const top[] = {
      "format",      "private",   "reason",        "privacy", "loss",      "rows",
      "rows_fitted", "selection", "ledger",        "classes", "schema",    "encoding",
      "kernel",      "weights",   "dperm_version", "digest",  "evaluation"};
  static const char *const privacy[] = {
      "definition",  "epsilon",   "delta",       "neighbours", "unit", "rows_per_person",
      "epsilon_row", "mechanism", "analysis",    "noise",      "beta", "delta_reg",
      "lambda",      "numerics",  "noise_weight"};
  static const char *const numerics[] = {"epsilon_core",        "epsilon_num",    "lattice_step",
                                         "lattice_sensitivity", "solution_error", "delta"};
  static const char *const loss[] = {"name", "h", "lipschitz", "smoothness"};
  static const char *const encoding[] = {"source", "dims", "norm"};
  auto_data *data = some_data(9, ROWS);
  for (size_t i = 0; i < 2; i++) {
    auto_model *model = train(data, asking(private_mechanisms[i]), NULL);
    json_auto_t *root = json_of(model);
    check_keys(root, top, sizeof top / sizeof *top);
    check_keys(json_object_get(root, "privacy"), privacy, sizeof privacy / sizeof *privacy);
    check_keys(json_object_get(root, "loss"), loss, 4);
    check_keys(json_object_get(json_object_get(root, "privacy"), "numerics"), numerics, 6);
    check_keys(json_object_get(root, "encoding"), encoding, 3);
    assert_true(json_is_true(json_object_get(root, "private")));
    assert_true(json_is_null(json_object_get(root, "reason")));
  }
}

/* Two data sets that agree in public numbers only: the files differ in the weights alone, and in
 * the digest of the whole. */
TEST(nothing_but_the_weights_depends_on_the_records) {
  for (int way = 0; way < 8; way++) {
    dperm_options options = asking(private_mechanisms[way & 1]);
    options.analysis = (dperm_analysis)(way >> 1 & 1);
    options.lambda = way & 4 ? 1e-5 : (double)NAN;
    json_t *files[2];
    for (uint64_t i = 0; i < 2; i++) {
      auto_data *data = some_data(20 + i, ROWS);
      auto_model *model = train(data, options, NULL);
      files[i] = json_of(model);
    }
    assert_false(json_equal(files[0], files[1]));
    for (size_t i = 0; i < 2; i++) {
      assert_int_equal(json_object_del(files[i], "weights"), 0);
      assert_int_equal(json_object_del(files[i], "digest"), 0);
    }
    assert_true(json_equal(files[0], files[1]));
    json_decref(files[0]);
    json_decref(files[1]);
  }
}

TEST(a_private_model_predicts_the_same_after_a_round_trip) {
  auto_data *data = some_data(10, ROWS);
  auto_model *model = train(data, asking(DPERM_MECHANISM_OBJECTIVE), NULL), *back = NULL;
  auto_file *path = file_with("", 0);
  double before[ROWS], after[ROWS];
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(dperm_model_read(path, &back, err));
  assert_int_equal(dperm_model_is_private(back), 1);
  assert_true(same_weights(model, back) && back->claim.epsilon == 0.5);
  assert_memory_equal(&back->release.epsilon, &model->release.epsilon, sizeof(epsilon_split));
  assert_true(back->release.step_exponent == model->release.step_exponent &&
              back->release.sensitivity == model->release.sensitivity);
  assert_true(back->plan.noise.beta == model->plan.noise.beta);
  assert_ok(dperm_model_scores(model, data, before, err));
  assert_ok(dperm_model_scores(back, data, after, err));
  assert_memory_equal(before, after, sizeof before);
}
