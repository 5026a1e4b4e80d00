/* What a model says about data: scores against plain sums, metrics against the naive definitions
 * (the area under the curve over all pairs), data of another kind refused. */

#include <math.h>
#include <stdlib.h>

#include "model/model.h"
#include "support.h"

/* ---- metrics of scores */

static double naive_auc(const double *scores, const double *labels, size_t rows) {
  double wins = 0, pairs = 0;
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < rows; j++) {
      if (labels[i] > 0 && labels[j] < 0) {
        pairs++;
        wins += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
      }
    }
  }
  return wins / pairs;
}

TEST(metrics_match_the_naive_definitions) {
  const dperm_loss logistic = dperm_loss_logistic();
  enum { MOST = 400 };
  double scores[MOST], labels[MOST];
  random_source r;
  assert_ok(random_seeded(1, &r, err));
  for (size_t rows = 2; rows <= MOST; rows += 1 + rows / 3) {
    for (double grain = 1e-6; grain < 3; grain *= 50) { /* coarse grains make ties */
      size_t false_positives = 0, false_negatives = 0, positives = 0;
      long double log_loss = 0;
      for (size_t i = 0; i < rows; i++) {
        labels[i] = i < 2 ? (i ? 1.0 : -1.0) : random_unit(&r) < 0.3 ? 1.0 : -1.0;
        scores[i] = grain * floor((random_normal(&r) + 0.5 * labels[i]) / grain);
        positives += labels[i] > 0;
        false_positives += scores[i] > 0 && labels[i] < 0;
        false_negatives += !(scores[i] > 0) && labels[i] > 0;
        long double p = 1 / (1 + expl(-(long double)scores[i]));
        log_loss -= logl(labels[i] > 0 ? p : 1 - p);
      }
      dperm_metrics m;
      assert_ok(metrics_of(2, scores, labels, rows, &logistic, 1, &m, err));
      assert_int_equal(m.rows, rows);
      assert_int_equal(m.false_positives, false_positives);
      assert_int_equal(m.false_negatives, false_negatives);
      assert_int_equal(m.errors, false_positives + false_negatives);
      assert_close(m.error_rate, (double)m.errors / (double)rows, 0);
      assert_close(m.auc, naive_auc(scores, labels, rows), 1e-14);
      assert_close(m.log_loss, (double)(log_loss / rows), 1e-13);
      assert_int_equal(m.baseline_class, 2 * positives > rows);
      assert_close(m.baseline,
                   (double)(m.baseline_class ? rows - positives : positives) / (double)rows, 1e-15);
      assert_ok(metrics_of(2, scores, labels, rows, NULL, 1, &m, err));
      assert_true(isnan(m.log_loss));
      assert_close(m.auc, naive_auc(scores, labels, rows), 1e-14);
    }
  }
}

TEST(log_loss_of_a_sure_mistake_stays_finite) {
  const dperm_loss logistic = dperm_loss_logistic();
  const double scores[] = {1e5, -1e300}, labels[] = {-1, 1};
  dperm_metrics m;
  assert_ok(metrics_of(2, scores, labels, 1, &logistic, 1, &m, err));
  assert_close(m.log_loss, 1e5, 1e-9);
  assert_ok(metrics_of(2, scores, labels, 2, &logistic, 1, &m, err));
  assert_true(m.log_loss == 5e299);
  assert_true(m.errors == 2 && m.auc == 0);
}

TEST(one_class_alone_has_no_curve) {
  const dperm_loss logistic = dperm_loss_logistic();
  const double scores[] = {1, 2, 3}, ups[] = {1, 1, 1}, downs[] = {-1, -1, -1};
  dperm_metrics m;
  assert_ok(metrics_of(2, scores, ups, 3, &logistic, 1, &m, err));
  assert_true(isnan(m.auc) && m.errors == 0 && m.error_rate == 0);
  assert_ok(metrics_of(2, scores, downs, 3, &logistic, 1, &m, err));
  assert_true(isnan(m.auc) && m.false_positives == 3 && m.error_rate == 1);
}

TEST(a_score_of_zero_predicts_the_negative_class) {
  const dperm_loss logistic = dperm_loss_logistic();
  const double scores[] = {0.0, -0.0, 0.0}, labels[] = {-1, -1, 1};
  dperm_metrics m;
  assert_ok(metrics_of(2, scores, labels, 3, &logistic, 1, &m, err));
  assert_true(m.false_negatives == 1 && m.false_positives == 0 && m.auc == 0.5);
  assert_close(m.log_loss, log(2), 1e-15);
}

/* ---- models on data */

enum { ROWS = 700, DIMS = 6 };

static dperm_data *random_data(uint64_t seed) {
  static double x[ROWS * DIMS], labels[ROWS];
  random_source r;
  dperm_data *data = NULL;
  assert_ok(random_seeded(seed, &r, err));
  for (size_t i = 0; i < ROWS * (size_t)DIMS; i++) {
    x[i] = 0.4 * random_normal(&r);
  }
  for (size_t i = 0; i < ROWS; i++) {
    labels[i] = x[i * DIMS] + 0.3 * random_normal(&r) > 0 ? 1 : -1;
  }
  assert_ok(dperm_data_from_dense(ROWS, DIMS, x, labels, 1.0, &data, err));
  return data;
}

TEST(scores_are_plain_sums_and_metrics_follow) {
  const dperm_loss log_loss = dperm_loss_logistic();
  auto_data *data = random_data(2);
  auto_model *logistic = model_without_noise(data, "logistic"),
             *huber = model_without_noise(data, "huber");
  double scores[ROWS], row[DIMS];
  assert_ok(dperm_model_scores(logistic, data, scores, err));
  for (size_t i = 0; i < ROWS; i++) {
    double sum = 0;
    assert_ok(dperm_data_row(data, i, row, err));
    for (size_t j = 0; j < DIMS; j++) {
      sum += row[j] * dperm_model_weights(logistic)[j];
    }
    assert_close(scores[i], sum, 1e-14 * (1 + fabs(sum)));
  }
  dperm_metrics m, naive;
  assert_ok(dperm_model_score(logistic, data, &m, err));
  assert_ok(metrics_of(2, scores, dperm_data_labels(data), ROWS, &log_loss, 1, &naive, err));
  assert_memory_equal(&m, &naive, sizeof m);
  assert_close(m.auc, naive_auc(scores, dperm_data_labels(data), ROWS), 1e-14);
  assert_true(m.error_rate < 0.3 && m.log_loss < log(2));
  assert_ok(dperm_model_score(huber, data, &m, err));
  assert_true(isnan(m.log_loss)); /* a margin is not a probability */
}

static dperm_data *read_csv(const char *schema_text, const char *text, dperm_schema **schema) {
  dperm_data *data = NULL;
  auto_file *path = file_with_text(text);
  *schema = schema_quoted(schema_text);
  const dperm_source source = {.path = path, .schema = *schema};
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  return data;
}

/* A row that was scaled to another norm is another row; the model's is known also from its file. */
TEST(rows_of_another_norm_are_refused) {
  const double x[] = {3, 4, -3, -4}, y[] = {1, -1}, norms[] = {1, 2, 5, 1 + 1e-9};
  for (int constant = 0; constant < 2; constant++) {
    dperm_data *data[4] = {NULL};
    double scores[2];
    auto_file *path = file_with_text("");
    auto_model *read = NULL;
    for (size_t i = 0; i < 4; i++) {
      assert_ok(dperm_data_from_dense(2, 2, x, y, norms[i], &data[i], err));
      assert_ok(constant ? dperm_data_add_intercept(data[i], 0.7, err) : DPERM_OK);
    }
    auto_model *model = model_without_noise(data[0], "logistic");
    assert_ok(dperm_model_write(model, path, err));
    assert_ok(dperm_model_read(path, &read, err));
    for (size_t i = 0; i < 4; i++) {
      const dperm_model *both[] = {model, read};
      for (size_t m = 0; m < 2; m++) {
        if (i == 0) {
          assert_ok(dperm_model_scores(both[m], data[i], scores, err));
        } else {
          assert_fails(dperm_model_scores(both[m], data[i], scores, err), DPERM_INVALID_DATA,
                       "the rows have a norm bound of");
        }
      }
      dperm_data_free(data[i]);
    }
  }
}

#define SCHEMA(name, top)                                                                          \
  "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": [\"0\"]},"                 \
  " \"columns\": [{\"name\": \"" name "\", \"type\": \"numeric\", \"min\": 0, \"max\": " top "}]}"

/* Records under a schema that is as wide as the model's are seen as that sees them; under a
 * narrower one they have lost what it would see. */
TEST(data_of_another_encoding_are_refused) {
  auto_schema *first = NULL, *again = NULL, *wider = NULL, *narrower = NULL;
  auto_data *data = read_csv(SCHEMA("a", "10"), "a,y\n1,1\n9,0\n", &first);
  auto_data *same = read_csv(SCHEMA("a", "10"), "a,y\n2,1\n50,0\n", &again);
  auto_data *wide = read_csv(SCHEMA("a", "99"), "a,y\n2,1\n50,0\n", &wider);
  auto_data *other = read_csv(SCHEMA("a", "9"), "a,y\n1,1\n9,0\n", &narrower);
  auto_data *six = random_data(3);
  auto_model *model = model_without_noise(data, "logistic"),
             *memory = model_without_noise(six, "logistic");
  double scores[ROWS], wide_scores[2];
  dperm_metrics m;
  assert_ok(dperm_model_scores(model, same, scores, err));
  assert_ok(dperm_model_scores(model, wide, wide_scores, err));
  assert_memory_equal(scores, wide_scores, sizeof wide_scores);
  assert_fails(dperm_model_scores(model, other, scores, err), DPERM_INVALID_SCHEMA,
               "a schema with other columns, ranges");
  assert_fails(dperm_model_score(model, other, &m, err), DPERM_INVALID_SCHEMA, "ranges");
  assert_fails(dperm_model_scores(model, six, scores, err), DPERM_INVALID_DATA,
               "6 encoded columns");
  assert_fails(dperm_model_scores(memory, data, scores, err), DPERM_INVALID_DATA,
               "on rows without one");
}

/* Weights that a file may hold, but whose sums no double can: no score, and no endless loop. */
TEST(scores_beyond_all_doubles_are_an_error) {
  auto_data *data = random_data(4);
  auto_model *model = model_without_noise(data, "logistic");
  double scores[ROWS];
  dperm_metrics m;
  for (size_t j = 0; j < DIMS; j++) {
    model->weights[j] = j % 2 ? -1.7e308 : 1.7e308;
  }
  assert_fails(dperm_model_scores(model, data, scores, err), DPERM_NUMERIC_ERROR, "too large");
  assert_fails(dperm_model_score(model, data, &m, err), DPERM_NUMERIC_ERROR, "too large");
}
