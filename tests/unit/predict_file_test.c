/* Predicting and scoring from files: the same numbers as in memory, over several blocks of rows;
 * labelled and unlabelled files, with and without header; nothing written where something fails. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file_read.h"
#include "dperm/score.h"
#include "dperm/synthetic.h"
#include "model/model.h"
#include "support.h"

static dperm_data *read_data(const char *path, const dperm_schema *schema, size_t dims) {
  dperm_data *data = NULL;
  const dperm_source source = {.path = path,
                               .format = schema ? DPERM_FORMAT_CSV : DPERM_FORMAT_SVMLIGHT,
                               .schema = schema,
                               .dims = dims};
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  return data;
}

/* The predictions of a file as text, to be freed. */
static char *predict(const dperm_model *model, const char *path, dperm_format format) {
  const dperm_source source = {.path = path, .format = format};
  char *out = file_with("", 0), *text = NULL;
  size_t length = 0;
  assert_ok(dperm_predict_file(model, &source, out, NULL, err));
  assert_ok(file_read_all(out, 1 << 26, &text, &length, err));
  file_remove(out);
  return text;
}

/* One line for each row: class, score and probability, all as the model has them in memory. */
static void check_lines(const dperm_model *model, const dperm_data *data, const char *text,
                        bool probabilities) {
  size_t rows = dperm_data_rows(data);
  OWNED_MEMORY double *scores = calloc(rows, sizeof *scores);
  assert_non_null(scores);
  assert_ok(dperm_model_scores(model, data, scores, err));
  const char header[] = "prediction,score,probability\n";
  assert_memory_equal(text, header, sizeof header - 1);
  const char *at = text + sizeof header - 1;
  for (size_t i = 0; i < rows; i++) {
    const char *name = dperm_model_class_name(model, scores[i] > 0);
    assert_memory_equal(at, name, strlen(name));
    at += strlen(name);
    assert_int_equal(*at, ',');
    char *end = NULL;
    assert_true(strtod(at + 1, &end) == scores[i]);
    assert_int_equal(*end, ',');
    at = end + 1;
    if (probabilities) {
      double p = strtod(at, &end);
      assert_close(p, (double)(1 / (1 + expl(-(long double)scores[i]))), 4e-16);
      assert_true((p > 0.5) == (scores[i] > 0) || fabs(scores[i]) < 1e-15);
      at = end;
    }
    assert_int_equal(*at, '\n');
    at++;
  }
  assert_int_equal(*at, '\0');
}

TEST(predictions_of_a_file_equal_those_in_memory) {
  auto_file *path = file_with("", 0);
  assert_ok(dperm_synthetic_census_write(path, 20000, 7, err)); /* three blocks */
  auto_schema *schema = schema_quoted(dperm_synthetic_census_schema());
  auto_data *data = read_data(path, schema, 0);
  for (int which = 0; which < 2; which++) {
    auto_model *model = model_without_noise(data, which ? "huber" : "logistic");
    OWNED_MEMORY char *text = predict(model, path, DPERM_FORMAT_AUTO);
    check_lines(model, data, text, which == 0);
    dperm_metrics file, memory;
    const dperm_source source = {.path = path};
    assert_ok(dperm_score_file(model, &source, NULL, &file, err));
    assert_ok(dperm_model_score(model, data, &memory, err));
    assert_memory_equal(&file, &memory, sizeof file);
    assert_int_equal(file.rows, 20000);
  }
}

#define COLUMNS                                                                                    \
  "{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 10},"                             \
  "{\"name\": \"y\", \"type\": \"label\"},"                                                        \
  "{\"name\": \"c\", \"type\": \"categorical\", \"values\": [\"u\", \"v\"]}"
#define LABEL                                                                                      \
  "\"label\": {\"column\": \"y\", \"positive\": [\"yes, \\\"sir\\\"\"], \"negative\": [\"no\"]}"

static const char labelled_rows[] =
    "1,no,u\n9,\"yes, \"\"sir\"\"\",v\n3,no,v\n8,\"yes, \"\"sir\"\"\",u\n";
static const char unlabelled_rows[] = "1,u\n9,v\n3,v\n8,u\n";
static const char odd_labels[] = "1,,u\n9,?,v\n3,maybe,v\n8,no,u\n";

/* ---- probabilities */

/* For each row: they sum to 1, and the file has that of the winner, or of the positive class. */
static void check_probabilities(const dperm_model *model, const dperm_data *data,
                                const char *path) {
  const size_t rows = dperm_data_rows(data), classes = dperm_model_classes(model);
  OWNED_MEMORY double *found = calloc(rows * classes, sizeof *found);
  assert_non_null(found);
  assert_ok(dperm_model_probabilities(model, data, found, err));
  char *text = predict(model, path, DPERM_FORMAT_CSV), *at = strchr(text, '\n') + 1;
  for (size_t i = 0; i < rows; i++) {
    const double *row = found + i * classes;
    size_t winner = 0;
    double sum = 0;
    for (size_t m = 0; m < classes; m++) {
      assert_true(row[m] >= 0 && row[m] <= 1);
      winner = row[m] > row[winner] ? m : winner;
      sum += row[m];
    }
    assert_close(sum, 1, 1e-15 * (double)(classes + 1));
    const char *name = dperm_model_class_name(model, winner);
    assert_true(strncmp(at, name, strlen(name)) == 0 && at[strlen(name)] == ',');
    char *column = strchr(strchr(at, ',') + 1, ',') + 1;
    assert_true(strtod(column, &at) == row[classes > 2 ? winner : 1]);
    assert_int_equal(*at++, '\n');
  }
  assert_int_equal(*at, '\0');
  free(text);
}

TEST(probabilities_sum_to_1_and_are_those_of_the_file) {
  static const char three[] =
      "{\"label\": {\"column\": \"y\", \"classes\": [\"x\", \"y\", \"z\"]}, \"columns\": "
      "[{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 99}]}";
  for (int way = 0; way < 4; way++) { /* plain, with a temperature, joint, one against the rest */
    auto_file *path = file_with("", 0);
    dperm_options options = options_for(20);
    dperm_model *model = NULL;
    if (way < 2) {
      assert_ok(dperm_synthetic_census_write(path, 500, 7, err));
    } else {
      FILE *file = fopen(path, "w");
      assert_true(file && fputs("a,y\n", file) >= 0);
      for (int i = 0; i < 500; i++) {
        assert_true(fprintf(file, "%d,%c\n", i * 37 % 100, "xyz"[i * 37 % 100 / 34]) > 0);
      }
      assert_int_equal(fclose(file), 0);
    }
    auto_schema *schema = schema_quoted(way < 2 ? dperm_synthetic_census_schema() : three);
    auto_data *data = read_data(path, schema, 0);
    options.calibrate = way == 1 ? 0.2 : 0;
    options.lambda = 0.3; /* scores are too small, so that a temperature serves */
    options.multiclass = way == 3 ? DPERM_MULTICLASS_ONE_VS_REST : DPERM_MULTICLASS_AUTO;
    assert_ok(dperm_random_seeded(3, &options.random, err));
    assert_ok(dperm_train(data, &options, &model, err));
    assert_true((model->inverse_temperature != 1) == (way == 1) && model->joint == (way == 2));
    check_probabilities(model, data, path);
    dperm_model_free(model);
    dperm_random_free(options.random);
  }
}

TEST(only_logistic_loss_has_probabilities) {
  const double x[] = {-0.5, 0.5}, y[] = {-1, 1};
  auto_data *data = NULL;
  assert_ok(dperm_data_from_dense(2, 1, x, y, 1, &data, err));
  auto_model *model = model_without_noise(data, "huber");
  double found[4] = {7, 7, 7, 7};
  assert_fails(dperm_model_probabilities(model, data, found, err), DPERM_UNSUPPORTED,
               "only logistic loss has probabilities; the model's is huber");
  assert_true(found[0] == 7 && found[3] == 7);
}

/* The same predictions for labelled rows, rows without labels, and rows whose labels make no
 * sense: prediction does not look at them. */
static void check_unlabelled(const char *schema_text, const char *with, const char *without) {
  auto_schema *schema = schema_quoted(schema_text);
  char texts[3][256], *paths[3];
  (void)snprintf(texts[0], sizeof texts[0], "%s%s", with, labelled_rows);
  (void)snprintf(texts[1], sizeof texts[1], "%s%s", without, unlabelled_rows);
  (void)snprintf(texts[2], sizeof texts[2], "%s%s", with, odd_labels);
  for (int i = 0; i < 3; i++) {
    paths[i] = file_with_text(texts[i]);
  }
  auto_data *data = read_data(paths[0], schema, 0);
  auto_model *model = model_without_noise(data, "logistic");
  char *expected = predict(model, paths[0], DPERM_FORMAT_AUTO);
  assert_non_null(strstr(expected, "\n\"yes, \"\"sir\"\"\","));
  assert_non_null(strstr(expected, "\nno,"));
  for (int i = 1; i < 3; i++) {
    OWNED_MEMORY char *text = predict(model, paths[i], DPERM_FORMAT_AUTO);
    assert_string_equal(text, expected);
  }
  dperm_metrics m;
  const dperm_source source = {.path = paths[1]};
  assert_int_equal(dperm_score_file(model, &source, NULL, &m, NULL), DPERM_INVALID_DATA);
  free(expected);
  for (int i = 0; i < 3; i++) {
    file_remove(paths[i]);
  }
}

TEST(unlabelled_files_are_predicted_with_a_header_and_without) {
  check_unlabelled("{" LABEL ", \"columns\": [" COLUMNS "]}", "a,y,c\n", "a,c\n");
  check_unlabelled("{\"header\": false, " LABEL ", \"columns\": [" COLUMNS "]}", "", "");
}

TEST(rows_that_training_would_drop_are_predicted) {
  auto_schema *schema =
      schema_quoted("{\"on_missing\": \"drop\", " LABEL ", \"columns\": [" COLUMNS "]}");
  auto_file *path = file_with_text("a,y,c\n1,no,u\n9,\"yes, \"\"sir\"\"\",v\n,no,u\n4,no,v\n");
  auto_data *data = read_data(path, schema, 0);
  assert_int_equal(dperm_data_rows(data), 3);
  auto_model *model = model_without_noise(data, "logistic");
  OWNED_MEMORY char *text = predict(model, path, DPERM_FORMAT_AUTO);
  size_t lines = 0;
  for (const char *c = text; *c; c++) {
    lines += *c == '\n';
  }
  assert_int_equal(lines, 5);
}

TEST(svmlight_files_are_predicted) {
  auto_file *path = file_with_text("+1 1:0.5 3:0.2\n-1 2:0.7\n+1 1:3 2:-4\n-1\n");
  auto_file *other = file_with_text("0 1:0.5 3:0.2\n7 2:0.7\n0 1:3 2:-4\n-3.5\n");
  auto_data *data = read_data(path, NULL, 3);
  auto_model *model = model_without_noise(data, "logistic");
  OWNED_MEMORY char *text = predict(model, path, DPERM_FORMAT_SVMLIGHT);
  check_lines(model, data, text, true);
  OWNED_MEMORY char *same = predict(model, other, DPERM_FORMAT_AUTO);
  assert_string_equal(same, text);
}

TEST(models_from_memory_predict_files_of_their_norm_only) {
  const double x[] = {0.5, 0.1, -0.3, 0.2}, labels[] = {1, -1};
  auto_file *path = file_with_text("+1 1:0.5 2:0.1\n");
  const dperm_source source = {.path = path, .format = DPERM_FORMAT_SVMLIGHT};
  for (int wide = 0; wide < 2; wide++) {
    auto_data *data = NULL;
    assert_ok(dperm_data_from_dense(2, 2, x, labels, wide ? 5.0 : 1.0, &data, err));
    auto_model *model = model_without_noise(data, "logistic");
    if (wide) {
      assert_fails(dperm_predict_file(model, &source, "-", NULL, err), DPERM_INVALID_ARGUMENT,
                   "norm bound 5");
    } else {
      free(predict(model, path, DPERM_FORMAT_SVMLIGHT));
    }
  }
}

/* ---- failures */

static bool stop(void *context, const char *stage, uint64_t done, uint64_t total) {
  return true;
}

TEST(a_failed_prediction_leaves_the_old_file) {
  auto_schema *schema = schema_quoted("{" LABEL ", \"columns\": [" COLUMNS "]}");
  auto_file *good = file_with_text("a,y,c\n1,no,u\n9,\"yes, \"\"sir\"\"\",v\n");
  auto_file *bad = file_with_text("a,y,c\n1,no,u\nx,no,u\n"), *empty = file_with_text("a,y,c\n");
  char *other = file_with_text("+1 1:1\n"), *out = file_with_text("old"), *text = NULL;
  size_t length = 0;
  auto_data *data = read_data(good, schema, 0);
  auto_model *model = model_without_noise(data, "logistic");
  const dperm_source from_bad = {.path = bad}, from_empty = {.path = empty};
  const dperm_source from_good = {.path = good}, from_nowhere = {.path = "no/such/file"};
  const dperm_source from_other = {.path = other, .format = DPERM_FORMAT_SVMLIGHT};
  const dperm_progress stopping = {stop, NULL};
  dperm_metrics m = {.rows = 77};
  assert_fails(dperm_predict_file(model, &from_bad, out, NULL, err), DPERM_INVALID_DATA, ":3:1:");
  assert_fails(dperm_predict_file(model, &from_empty, out, NULL, err), DPERM_INVALID_DATA,
               "no rows");
  assert_fails(dperm_predict_file(model, &from_nowhere, out, NULL, err), DPERM_IO_ERROR, "no/such");
  assert_fails(dperm_predict_file(model, &from_other, out, NULL, err), DPERM_INVALID_DATA,
               "trained on CSV");
  assert_fails(dperm_predict_file(model, &from_good, out, &stopping, err), DPERM_CANCELLED,
               "stopped");
  assert_fails(dperm_predict_file(model, &from_good, "no/such/place", NULL, err), DPERM_IO_ERROR,
               "cannot write");
  assert_fails(dperm_score_file(model, &from_bad, NULL, &m, err), DPERM_INVALID_DATA, ":3:1:");
  assert_fails(dperm_score_file(model, &from_empty, NULL, &m, err), DPERM_INVALID_DATA, "no rows");
  assert_fails(dperm_score_file(model, &from_good, &stopping, &m, err), DPERM_CANCELLED, "stopped");
  assert_int_equal(m.rows, 77);
  assert_ok(file_read_all(out, 100, &text, &length, err));
  assert_string_equal(text, "old");
  free(text);
  file_remove(other);
  file_remove(out);
}
