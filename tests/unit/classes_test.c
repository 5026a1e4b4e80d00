/* Several classes: one fit for each against the rest, at its share of epsilon; what the model, its
 * file, its predictions and the verification make of that. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "dperm/score.h"
#include "dperm/tune.h"
#include "dperm/verify.h"
#include "model/model.h"
#include "schema/class_list.h"
#include "support.h"

enum { ROWS = 600, DIMS = 3, CLASSES = 3 };

static double values[ROWS * DIMS];
static uint32_t labels[ROWS];

/* Three clouds in the plane, and a constant. */
static void make_rows(void) {
  random_source source = seeded(7);
  for (size_t i = 0; i < ROWS; i++) {
    labels[i] = (uint32_t)(i % CLASSES);
    for (size_t j = 0; j < 2; j++) {
      double noise = (double)(random_bits(&source) >> 11) * 0x1p-53 - 0.5;
      values[i * DIMS + j] = (labels[i] == j + 1 ? 0.6 : -0.2) + 0.5 * noise;
    }
    values[i * DIMS + 2] = 0.3;
  }
}

static dperm_data *three_classes(void) {
  static const char *const names[] = {"red", "green", "blue"};
  dperm_data *data = NULL;
  make_rows();
  assert_ok(dperm_data_from_dense(ROWS, DIMS, values, NULL, 1, &data, err));
  assert_ok(dperm_data_label(data, labels, CLASSES, names, err));
  return data;
}

static dperm_model *train(const dperm_data *data, double epsilon, dperm_random *random) {
  dperm_model *model = NULL;
  dperm_options options = options_for(epsilon);
  options.random = random;
  options.lambda = 0.01;
  options.multiclass = DPERM_MULTICLASS_ONE_VS_REST; /* joint_classes_test.c has the other way */
  assert_ok(dperm_train(data, &options, &model, err));
  return model;
}

static dperm_model *train_seeded(const dperm_data *data, double epsilon, uint64_t seed) {
  auto_random *random = NULL;
  assert_ok(dperm_random_seeded(seed, &random, err));
  dperm_model *model = train(data, epsilon, random);
  return model;
}

/* ---- the fits */

TEST(each_class_is_a_fit_against_the_rest_at_its_share_of_epsilon) {
  dperm_data *all = three_classes(), *sides = NULL;
  auto_random *random = NULL, *again = NULL;
  double labels_of[ROWS];
  assert_ok(dperm_random_seeded(5, &random, err));
  assert_ok(dperm_random_seeded(5, &again, err));
  auto_model *model = train(all, 1, random);
  assert_true(3 * model->claim.epsilon_class <= 1 && model->claim.epsilon_class > 0.3333333333);
  for (size_t m = 0; m < CLASSES; m++) {
    for (size_t i = 0; i < ROWS; i++) {
      labels_of[i] = labels[i] == m ? 1 : -1;
    }
    assert_ok(dperm_data_from_dense(ROWS, DIMS, values, labels_of, 1, &sides, err));
    auto_model *one = train(sides, model->claim.epsilon_class, again);
    assert_memory_equal(model->weights + m * DIMS, one->weights, DIMS * sizeof(double));
    dperm_data_free(sides);
  }
  dperm_data_free(all);
}

/* Bounds on what can be lost: the deltas of the fits add up, for the whole epsilon. */
TEST(delta_covers_every_fit) {
  auto_data *all = three_classes();
  auto_model *model = train(all, 1, NULL);
  assert_true(model->claim.delta >= 3 * (1 + exp(1.0)) * exp(-100));
  assert_true(model->claim.delta <= 3 * (1 + exp(1.0)) * exp(-100) * 1.000001);
}

TEST(two_classes_by_index_are_the_same_fit_as_plus_and_minus) {
  make_rows();
  uint32_t index[ROWS];
  double sides[ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    index[i] = labels[i] == 2;
    sides[i] = labels[i] == 2 ? 1 : -1;
  }
  auto_data *a = NULL, *b = NULL;
  auto_random *first = NULL, *second = NULL;
  assert_ok(dperm_random_seeded(5, &first, err));
  assert_ok(dperm_random_seeded(5, &second, err));
  assert_ok(dperm_data_from_dense(ROWS, DIMS, values, sides, 1, &a, err));
  assert_ok(dperm_data_from_dense(ROWS, DIMS, values, NULL, 1, &b, err));
  assert_ok(dperm_data_label(b, index, 2, NULL, err));
  auto_model *x = train(a, 1, first), *y = train(b, 1, second);
  assert_memory_equal(x->weights, y->weights, DIMS * sizeof(double));
  assert_string_equal(dperm_model_class_name(y, 0), "-1");
  assert_string_equal(dperm_model_class_name(y, 1), "+1");
  assert_null(dperm_model_class_name(y, 2));
}

/* ---- predicting */

TEST(the_largest_score_wins_and_counts_as_error_elsewhere) {
  auto_data *all = three_classes();
  auto_model *model = train_seeded(all, 5, 6);
  double scores[ROWS * CLASSES];
  dperm_metrics metrics;
  size_t errors = 0;
  double log_loss = 0;
  assert_ok(dperm_model_scores(model, all, scores, err));
  for (size_t i = 0; i < ROWS; i++) {
    size_t best = 0;
    double sum = 0, p[CLASSES];
    for (size_t m = 0; m < CLASSES; m++) {
      double z = 0;
      for (size_t j = 0; j < DIMS; j++) {
        z += model->weights[m * DIMS + j] * values[i * DIMS + j];
      }
      assert_close(scores[i * CLASSES + m], z, 1e-12 * (1 + fabs(z)));
      best = scores[i * CLASSES + m] > scores[i * CLASSES + best] ? m : best;
      p[m] = 1 / (1 + exp(-scores[i * CLASSES + m]));
      sum += p[m];
    }
    errors += best != labels[i];
    log_loss -= log(p[labels[i]] / sum) / ROWS;
  }
  assert_ok(dperm_model_score(model, all, &metrics, err));
  assert_int_equal(metrics.classes, CLASSES);
  assert_int_equal(metrics.errors, errors);
  assert_true(metrics.error_rate < 0.2);
  assert_close(metrics.log_loss, log_loss, 1e-10);
  assert_true(isnan(metrics.auc));
}

/* σ of a large negative score underflows; its share of the sum does not. */
TEST(probabilities_stand_where_sigmoids_underflow) {
  const double scores[] = {-900, -901, -2000};
  const dperm_loss logistic = dperm_loss_logistic();
  assert_int_equal(model_winner(3, scores), 0);
  assert_close(model_class_log_probability(&logistic, 3, scores, 0), -log1p(exp(-1.0)), 1e-12);
  assert_close(model_class_log_probability(&logistic, 3, scores, 2), -1100 - log1p(exp(-1.0)),
               1e-9);
}

TEST(equal_scores_go_to_the_first) {
  const double scores[] = {0.5, 1, 1};
  assert_int_equal(model_winner(3, scores), 1);
}

/* ---- the file, and what is derived from it */

typedef struct findings {
  char failed[4000];
  bool classes;
} findings;

static void see(void *context, dperm_finding finding, const char *line) {
  findings *f = context;
  f->classes = f->classes || strncmp(line, "classes: ", 9) == 0;
  if (finding == DPERM_FINDING_FAILS) {
    strncat(f->failed, line, sizeof f->failed - strlen(f->failed) - 1);
  }
}

static findings verified(const dperm_model *model) {
  auto_file *path = file_with_text("");
  findings f = {"", false};
  bool holds = false;
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(dperm_model_verify(path, NULL, 0, NULL, see, &f, &holds, err));
  assert_int_equal(holds, f.failed[0] == '\0');
  return f;
}

TEST(verification_derives_the_share_of_each_class) {
  auto_data *all = three_classes();
  auto_model *model = train(all, 1, NULL);
  findings sound = verified(model);
  assert_string_equal(sound.failed, "");
  assert_true(sound.classes);
  double share = model->claim.epsilon_class;
  model->claim.epsilon_class = nextafter(share, 1);
  assert_non_null(strstr(verified(model).failed, "classes: does not hold: one against the rest"));
  model->claim.epsilon_class = share;
  model->claim.delta_numerics /= 2;
  assert_non_null(strstr(verified(model).failed, "delta: "));
  model->claim.delta_numerics *= 2;
  model->weights[2 * DIMS] = 0.1; /* no multiple of a power of two: of the last class too */
  assert_non_null(strstr(verified(model).failed, "weights: does not hold"));
}

TEST(models_of_several_classes_come_back_whole) {
  auto_data *all = three_classes();
  auto_model *model = train(all, 1, NULL), *back = NULL;
  auto_file *path = file_with_text("");
  double scores[ROWS * CLASSES], again[ROWS * CLASSES];
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(dperm_model_read(path, &back, err));
  assert_true(class_list_equal(&model->classes, &back->classes));
  assert_true(model->claim.epsilon_class == back->claim.epsilon_class);
  assert_ok(dperm_model_scores(model, all, scores, err));
  assert_ok(dperm_model_scores(back, all, again, err));
  assert_memory_equal(scores, again, sizeof scores);
}

/* ---- choosing, planning, scoring in private */

TEST(tuning_covers_all_classes_of_all_candidates) {
  auto_data *all = three_classes();
  dperm_options candidates[2];
  dperm_tune_options how = USUAL(dperm_tune_options);
  dperm_model *model = NULL;
  for (size_t i = 0; i < 2; i++) {
    dperm_options_init(&candidates[i]);
    candidates[i].epsilon = 1;
    candidates[i].lambda = i ? 0.1 : 0.01;
    candidates[i].multiclass = DPERM_MULTICLASS_ONE_VS_REST;
  }
  for (how.method = DPERM_TUNE_SPLIT; how.method <= DPERM_TUNE_STOPPING; how.method++) {
    assert_ok(dperm_tune(all, candidates, 2, &how, &model, err));
    findings f = verified(model);
    assert_string_equal(f.failed, "");
    assert_true(f.classes);
    double whole = how.method == DPERM_TUNE_SPLIT ? 1 : 0.5;
    assert_close(3 * model->claim.epsilon_class, whole, 1e-5);
    dperm_model_free(model);
  }
}

TEST(a_plan_has_the_noise_that_training_has) {
  auto_data *all = three_classes();
  auto_model *model = train(all, 1, NULL);
  dperm_plan plan;
  dperm_options options = options_for(1);
  options.lambda = 0.01;
  options.classes = CLASSES;
  options.multiclass = DPERM_MULTICLASS_ONE_VS_REST;
  assert_ok(dperm_plan_make(ROWS, DIMS, 1, &options, &plan, err));
  assert_int_equal(plan.classes, CLASSES);
  assert_true(plan.epsilon_class == model->claim.epsilon_class);
  assert_true(plan.beta == model->plan.noise.beta);
  assert_true(plan.delta == model->claim.delta);
  options.classes = 2;
  assert_ok(dperm_plan_make(ROWS, DIMS, 1, &options, &plan, err));
  assert_true(plan.epsilon_class == 1 && plan.beta > model->plan.noise.beta);
  options.classes = 1;
  assert_fails(dperm_plan_make(ROWS, DIMS, 1, &options, &plan, err), DPERM_INVALID_ARGUMENT,
               "1 classes");
}

TEST(a_private_score_counts_errors_and_nothing_else) {
  auto_data *all = three_classes();
  auto_model *model = train(all, 5, NULL);
  dperm_score_options options = USUAL(dperm_score_options);
  dperm_private_score score;
  dperm_metrics exact;
  options.epsilon = 50; /* a score: the noise is 0 but for once in e^50 */
  assert_ok(dperm_model_score(model, all, &exact, err));
  assert_ok(dperm_model_score_private(model, all, &options, &score, err));
  assert_int_equal(score.errors, exact.errors);
  options.counts = true;
  assert_fails(dperm_model_score_private(model, all, &options, &score, err), DPERM_INVALID_ARGUMENT,
               "for two classes");
}

/* ---- what does not fit */

TEST(labels_that_do_not_fit_are_refused) {
  static const char *const twice[] = {"a", "b", "a"};
  make_rows();
  auto_data *data = NULL, *part = NULL, *two = NULL;
  auto_model *model = NULL;
  dperm_metrics metrics;
  dperm_options options = options_for(1);
  assert_ok(dperm_data_from_dense(ROWS, DIMS, values, NULL, 1, &data, err));
  assert_fails(dperm_train(data, &options, &model, err), DPERM_INVALID_DATA, "no labels");
  assert_fails(dperm_data_label(data, labels, 2, NULL, err), DPERM_INVALID_DATA,
               "row 2 is none of the 2 classes");
  assert_fails(dperm_data_label(data, labels, 3, twice, err), DPERM_INVALID_ARGUMENT,
               "the same name");
  assert_fails(dperm_data_label(data, labels, 2000, NULL, err), DPERM_INVALID_ARGUMENT,
               "2000 classes");
  assert_ok(dperm_data_label(data, labels, 3, NULL, err));
  options.classes = 4;
  assert_fails(dperm_train(data, &options, &model, err), DPERM_INVALID_DATA,
               "3 classes where 4 are expected");
  options.classes = 3;
  assert_ok(dperm_train(data, &options, &model, err));
  assert_string_equal(dperm_model_class_name(model, 2), "2");
  const size_t some[] = {5, 7};
  assert_ok(dperm_data_select(data, some, 2, &part, err));
  assert_ok(dperm_model_score(model, part, &metrics, err));
  assert_int_equal(metrics.rows, 2);
  double sides[ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    sides[i] = 1;
  }
  assert_ok(dperm_data_from_dense(ROWS, DIMS, values, sides, 1, &two, err));
  assert_fails(dperm_model_score(model, two, &metrics, err), DPERM_INVALID_DATA,
               "2 classes where 3 are expected");
}

/* ---- the schema */

static dperm_status parse(const char *label, dperm_schema **out, dperm_error *err) {
  char json[512];
  int length = snprintf(json, sizeof json,
                        "{\"label\": %s, \"columns\": [{\"name\": \"x\", \"type\": \"numeric\", "
                        "\"min\": 0, \"max\": 1}]}",
                        label);
  return dperm_schema_parse(json, (size_t)length, "S", out, err);
}

TEST(a_schema_lists_classes_or_the_values_that_mean_them) {
  auto_schema *schema = NULL;
  assert_ok(parse("{\"column\": \"y\", \"classes\": [\"a\", \"b\", \"c\"]}", &schema, err));
  assert_string_equal(dperm_schema_class_name(schema, 2), "c");
  assert_null(dperm_schema_class_name(schema, 3));
  dperm_schema_free(schema);
  assert_ok(parse("{\"column\": \"y\", \"classes\": {\"low\": [\"1\", \"2\"], \"high\": [\"3\"], "
                  "\"rest\": \"*\"}}",
                  &schema, err));
  assert_string_equal(dperm_schema_class_name(schema, 0), "low");
  assert_string_equal(dperm_schema_class_name(schema, 2), "rest");
  const char *text = "x,y\n0,1\n1,2\n0,3\n1,anything\n";
  auto_file *path = file_with_text(text);
  auto_data *data = NULL;
  const dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  const double expected[] = {0, 0, 1, 2};
  assert_memory_equal(dperm_data_labels(data), expected, sizeof expected);
  assert_fails(dperm_data_label(data, labels, 2, NULL, err), DPERM_INVALID_ARGUMENT,
               "the file's labels");
}

TEST(classes_of_a_schema_that_make_no_sense_are_refused) {
  static const struct {
    const char *label, *message;
  } cases[] = {
      {"{\"column\": \"y\", \"classes\": [\"a\"]}", "2 to 1000 classes"},
      {"{\"column\": \"y\", \"classes\": \"a\"}", "2 to 1000 classes"},
      {"{\"column\": \"y\", \"classes\": [\"a\", \"a\"]}", "a second time"},
      {"{\"column\": \"y\", \"classes\": [\"a\", 1]}", "must be a text in quotes"},
      {"{\"column\": \"y\", \"classes\": {\"a\": \"*\", \"b\": \"*\"}}", "only one side"},
      {"{\"column\": \"y\", \"classes\": {\"a\": [\"1\"], \"b\": [\"1\"]}}", "a second time"},
      {"{\"column\": \"y\", \"classes\": {\"a\": [\"1\"], \"b\": []}}", "at least one text"},
      {"{\"column\": \"y\", \"classes\": [\"a\", \"b\"], \"positive\": [\"a\"]}", "positive"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    dperm_schema *schema = NULL;
    assert_fails(parse(cases[i].label, &schema, err), DPERM_INVALID_SCHEMA, cases[i].message);
  }
}
