/* Weights of classes: what they become, what is refused and with which words, where they stand in a
 * model file, and that a file with weights that the claim does not cover is refused. */
#include "data/dataset.h"
#include "dperm/verify.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/model.h"
#include "model/model_file.h"
#include "statistics.h"

static class_list three_classes(void) {
  const char *const names[] = {"low", "middle", "high"};
  class_list out = {0};
  assert_ok(class_list_of(names, 3, &out, err));
  return out;
}

TEST(the_largest_weight_becomes_one) {
  static const struct {
    dperm_class_weight given[3];
    size_t count;
    double want[3];
  } cases[] = {
      {{{"low", 1}, {"middle", 2}, {"high", 10}}, 3, {0.1, 0.2, 1}},
      {{{"high", 10}, {"low", 1}}, 2, {0.1, 0.1, 1}}, /* in any order; not named is 1 */
      {{{"middle", 0.5}}, 1, {1, 0.5, 1}},
      {{{"low", 7}, {"middle", 7}, {"high", 7}}, 3, {1, 1, 1}},
      {{{"low", 1e-6}, {"high", 1e6}}, 2, {1e-12, 1e-6, 1}},
  };
  class_list classes = three_classes();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    OWNED_MEMORY double *got = NULL;
    assert_ok(class_weights_new(&classes, cases[i].given, cases[i].count, &got, err));
    for (int k = 0; k < 3; k++) {
      assert_close(got[k], cases[i].want[k], 1e-15);
      assert_true(got[k] > 0 && got[k] <= 1);
    }
  }
  class_list_clear(&classes);
}

/* Whatever the doubles are, none comes out above 1, and one is 1. */
TEST(no_quotient_is_above_one) {
  class_list classes = three_classes();
  random_source r = seeded(1);
  for (int i = 0; i < 20000; i++) {
    double low = random_scale(&r, 1e-6, 1e6), next = nextafter(low, i % 2 ? 0 : 2e6);
    OWNED_MEMORY double *got = NULL;
    const dperm_class_weight given[] = {{"low", low}, {"middle", next}, {"high", low}};
    if (next > 1e6 || next < 1e-6) {
      continue;
    }
    assert_ok(class_weights_new(&classes, given, 3, &got, err));
    assert_true(got[0] <= 1 && got[1] <= 1 && got[2] <= 1);
    assert_true(got[0] == 1 || got[1] == 1);
  }
  class_list_clear(&classes);
}

TEST(what_is_wrong_is_said) {
  static const struct {
    dperm_class_weight given[2];
    size_t count;
    const char *words;
  } cases[] = {
      {{{"high", 0}}, 1, "class \"high\" has a weight of 0"},
      {{{"high", -1}}, 1, "class \"high\" has a weight of -1"},
      {{{"high", (double)NAN}}, 1, "has a weight of"},
      {{{"high", (double)INFINITY}}, 1, "has a weight of inf"},
      {{{"high", 1e7}}, 1, "between 1e-06 and 1e+06"},
      {{{"high", 1}, {"high", 2}}, 2, "class \"high\" has two weights"},
      {{{"highest", 1}}, 1, "\"highest\" has a weight and is no class"},
      {{{NULL, 1}}, 1, "a class weight has no class"},
  };
  class_list classes = three_classes();
  double *got = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_fails(class_weights_new(&classes, cases[i].given, cases[i].count, &got, err),
                 DPERM_INVALID_ARGUMENT, cases[i].words);
  }
  assert_fails(class_weights_new(&classes, NULL, 1, &got, err), DPERM_INVALID_ARGUMENT,
               "1 class weights");
  class_list_clear(&classes);
}

TEST(a_row_has_the_weight_of_its_class) {
  const double two[] = {0.25, 1}, three[] = {0.1, 1, 0.5};
  const double signs[] = {1, -1, -1, 1}, numbers[] = {2, 0, 1, 2};
  double got[4];
  class_weights_of_rows(two, 2, signs, 4, got);
  assert_true(got[0] == 1 && got[1] == 0.25 && got[2] == 0.25 && got[3] == 1);
  class_weights_of_rows(three, 3, numbers, 4, got);
  assert_true(got[0] == 0.5 && got[1] == 0.1 && got[2] == 1 && got[3] == 0.5);
}

/* ---- files */

static dperm_model *weighted_model(void) {
  double x[40], y[40];
  auto_data *data = NULL;
  dperm_model *model = NULL;
  const dperm_class_weight weights[] = {{"+1", 10}};
  for (int i = 0; i < 40; i++) {
    x[i] = i % 2 ? 0.5 : -0.5;
    y[i] = i % 4 ? -1 : 1;
  }
  assert_ok(dperm_data_from_dense(40, 1, x, y, 1, &data, err));
  dperm_options options = options_for(1);
  options.class_weights = weights;
  options.class_weight_count = 1;
  assert_ok(dperm_train(data, &options, &model, err));
  return model;
}

static void see_failure(void *context, dperm_finding finding, const char *line) {
  char *first = context;
  if (finding == DPERM_FINDING_FAILS && !*first) {
    (void)snprintf(first, 300, "%s", line);
  }
}

/* The file with these weights and a digest that fits, as somebody would make it who claims more. */
static void falsify(const char *path, json_t *weights) {
  char digest[DIGEST_TEXT_SIZE];
  json_auto_t *file = json_load_file(path, 0, NULL);
  assert_non_null(file);
  (void)json_object_set_new(file, "class_weights", weights);
  (void)json_object_del(file, "digest");
  assert_ok(model_digest(file, digest, err));
  (void)json_object_set_new(file, "digest", json_string(digest));
  assert_int_equal(json_dump_file(file, path, JSON_REAL_PRECISION(17)), 0);
}

TEST(a_file_says_its_weights_and_reads_back) {
  auto_model *model = weighted_model(), *back = NULL;
  char *path = file_with("", 0), first[300] = "";
  bool holds = false;
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(dperm_model_read(path, &back, err));
  assert_true(back->class_weights[0] == 0.1 && back->class_weights[1] == 1);
  assert_ok(dperm_model_verify(path, NULL, 0, NULL, see_failure, first, &holds, err));
  assert_string_equal(first, "");
  assert_true(holds);
  file_remove(path);
}

TEST(a_falsified_weight_does_not_pass) {
  static const struct {
    const char *weights, *words;
  } cases[] = {
      {"[1.0, 10.0]", "class_weights: does not hold: from 1 to 10,"},
      {"[0.1, 1.0000000000000002]",
       "class_weights: does not hold: from 0.1 to 1.0000000000000002,"},
      {"[0.1]", "class_weights: does not hold"},
      {"[0.1, 1, 1]", "class_weights: does not hold"},
      {"[-3, 1]", "class_weights: does not hold"},
      {"[0.0, 1]", "class_weights: does not hold"},
      {"[\"0.1\", 1]", "class_weights: does not hold"},
      {"null", "class_weights: does not hold"},
      {"{}", "class_weights: does not hold"},
  };
  dperm_model *model = weighted_model(), *back = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *path = file_with("", 0), first[300] = "";
    bool holds = true;
    assert_ok(dperm_model_write(model, path, err));
    falsify(path, json_loads(cases[i].weights, JSON_DECODE_ANY, NULL));
    assert_ok(dperm_model_verify(path, NULL, 0, NULL, see_failure, first, &holds, err));
    assert_false(holds);
    assert_non_null(strstr(first, cases[i].words));
    assert_fails(dperm_model_read(path, &back, err), DPERM_INVALID_MODEL, "class weight");
    file_remove(path);
  }
  dperm_model_free(model);
}
