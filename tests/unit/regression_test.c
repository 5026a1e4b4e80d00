/* Numeric labels in C: the same model by every door, values of rows from memory on the label's own
 * scale, and what a caller gets wrong. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dperm/ranks.h"
#include "dperm/score.h"
#include "model/model.h"
#include "refine/label_width.h"
#include "support.h"
#include "thread_ranks.h"

enum { RECORDS = 17000, DIMS = 3, RANKS_MOST = 3 }; /* more than a page of a table */

static const char schema_text[] =
    "{\"label\": {\"column\": \"y\", \"type\": \"numeric\", \"min\": -10, \"max\": 90}, "
    "\"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 10}, "
    "{\"name\": \"b\", \"type\": \"categorical\", \"values\": [\"u\", \"v\"]}]}";
static const char *const letters[] = {"u", "v"};

static double numbers[RECORDS], labels[RECORDS], rows[RECORDS * DIMS];
static int32_t codes[RECORDS];

static char *make_records(void) {
  random_source r = seeded(3);
  char *csv = calloc(RECORDS + 1, 40);
  size_t length = (size_t)sprintf(csv, "a,b,y\n");
  for (size_t i = 0; i < RECORDS; i++) {
    numbers[i] = floor(4096 * 10 * random_unit(&r)) / 4096;
    codes[i] = random_bits(&r) % 2;
    labels[i] = floor(64 * (3 * numbers[i] + 20 * codes[i] + 5 * random_normal(&r))) / 64;
    rows[i * DIMS] = numbers[i] / 10;
    rows[i * DIMS + 1 + (size_t)codes[i]] = 1;
    length +=
        (size_t)sprintf(csv + length, "%.10g,%s,%.10g\n", numbers[i], letters[codes[i]], labels[i]);
  }
  return csv;
}

static dperm_schema *numeric_schema(void) {
  dperm_schema *schema = NULL;
  assert_ok(dperm_schema_parse(schema_text, strlen(schema_text), "schema", &schema, err));
  return schema;
}

static dperm_data *from_table(const dperm_schema *schema, const double *of) {
  const dperm_column columns[] = {{.numbers = numbers},
                                  {.codes = codes, .texts = letters, .text_count = 2}};
  const dperm_column given = {.numbers = of};
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_table(schema, RECORDS, columns, &given, &data, err));
  return data;
}

static dperm_options usual(void) {
  dperm_options o = options_for(1);
  o.loss = (dperm_loss){.name = NULL}; /* the usual one for these labels */
  return o;
}

/* The bytes of the model that comes of a seed. */
static dperm_status text_of(const dperm_data *data, char **text) {
  dperm_error error = {DPERM_OK, ""}, *why = &error;
  dperm_options o = usual();
  auto_model *model = NULL;
  size_t length = 0;
  dperm_status status = dperm_random_seeded(7, &o.random, why);
  status = status == DPERM_OK ? dperm_train(data, &o, &model, why) : status;
  *text = NULL;
  if (status == DPERM_OK && model) {
    status = dperm_model_to_text(model, text, &length, why);
  }
  dperm_random_free(o.random);
  return status;
}

typedef struct job {
  dperm_source source;
  char *text[RANKS_MOST];
  dperm_status status[RANKS_MOST];
} job;

static void train_share(ranks *r, void *context) {
  job *j = context;
  auto_data *data = NULL;
  dperm_error error = {DPERM_OK, ""};
  j->status[r->rank] = dperm_data_read_spread(&j->source, r, NULL, &data, &error);
  if (j->status[r->rank] == DPERM_OK) {
    j->status[r->rank] = text_of(data, &j->text[r->rank]);
  }
}

TEST(numbers_by_every_door_give_one_model) {
  char *csv = make_records(), *first = NULL, *other = NULL;
  auto_file *path = file_with(csv, strlen(csv));
  dperm_schema *schema = numeric_schema();
  static size_t all[RECORDS];
  const dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  auto_data *file = NULL, *table = from_table(schema, labels), *chosen = NULL;
  for (size_t i = 0; i < RECORDS; i++) {
    all[i] = i;
  }
  assert_ok(dperm_data_read(&source, NULL, &file, err));
  assert_ok(dperm_data_select(file, all, RECORDS, &chosen, err));
  assert_int_equal(text_of(file, &first), DPERM_OK);
  assert_non_null(strstr(first, "\"log-cosh\""));
  const dperm_data *doors[] = {table, chosen};
  for (size_t d = 0; d < 2; d++) {
    assert_int_equal(text_of(doors[d], &other), DPERM_OK);
    assert_string_equal(first, other);
    dperm_text_free(other);
  }
  for (size_t count = 1; count <= RANKS_MOST; count++) {
    job j = {.source = source};
    thread_ranks_run(count, train_share, &j);
    for (size_t r = 0; r < count; r++) {
      assert_int_equal(j.status[r], DPERM_OK);
      assert_true((j.text[r] != NULL) == (r == 0));
    }
    assert_string_equal(first, j.text[0]);
    dperm_text_free(j.text[0]);
  }
  dperm_text_free(first);
  dperm_schema_free(schema);
  free(csv);
}

TEST(labels_beyond_the_range_count_as_its_ends) {
  static double wild[RECORDS];
  free(make_records());
  dperm_schema *schema = numeric_schema();
  memcpy(wild, labels, sizeof wild);
  wild[5] = 1e300;
  wild[6] = -11;
  labels[5] = 90;
  labels[6] = -10;
  auto_data *tame = from_table(schema, labels), *given = from_table(schema, wild);
  assert_memory_equal(dperm_data_labels(tame), dperm_data_labels(given), sizeof wild);
  assert_true(dperm_data_labels(given)[5] == 1 && dperm_data_labels(given)[6] == -1);
  dperm_schema_free(schema);
}

TEST(values_of_rows_from_memory_are_on_the_labels_scale) {
  free(make_records());
  auto_data *data = NULL;
  auto_model *model = NULL;
  static double values[RECORDS], scores[RECORDS];
  dperm_options o = usual();
  assert_ok(dperm_data_from_dense(RECORDS, DIMS, rows, NULL, 2, &data, err));
  assert_ok(dperm_data_add_intercept(data, 1, err));
  assert_ok(dperm_data_target(data, labels, -10, 90, err));
  o.random = NULL;
  assert_ok(dperm_random_seeded(1, &o.random, err));
  assert_ok(dperm_train(data, &o, &model, err));
  dperm_random_free(o.random);
  assert_int_equal(dperm_model_classes(model), 0);
  assert_ok(dperm_model_scores(model, data, scores, err));
  assert_ok(dperm_model_values(model, data, values, err));
  double squares = 0;
  for (size_t i = 0; i < RECORDS; i++) {
    assert_true(fabs(values[i] - fmin(fmax(40 + 50 * scores[i], -10), 90)) < 1e-12 * 90);
    squares += pow(values[i] - labels[i], 2);
  }
  assert_true(sqrt(squares / RECORDS) < 6); /* of errors of 5 */
}

/* What the proof of the question for h rests on (docs/proofs/bins.md, Lemma W). */
TEST(one_label_moves_no_width_by_more_than_one) {
  enum { LABELS = 40, TRIALS = 200 };
  random_source r = seeded(11);
  double own[LABELS];
  const matrix x = {.rows = LABELS};
  const dperm_data data = {.x = (matrix *)&x, .labels = own};
  for (size_t trial = 0; trial < TRIALS; trial++) {
    uint64_t apart[2][WIDTHS];
    size_t count = 0;
    const double spread = ldexp(1, -(int)(trial % 12));
    for (size_t i = 0; i < LABELS; i++) {
      own[i] = fmax(-1, fmin(1, spread * random_normal(&r)));
    }
    assert_ok(label_widths_of(&data, NULL, 0, apart[0], &count, err));
    own[trial % LABELS] = trial % 2 == 0 ? 1 : 2 * random_unit(&r) - 1;
    assert_ok(label_widths_of(&data, NULL, 0, apart[1], &count, err));
    for (size_t i = 0; i < WIDTHS; i++) {
      assert_true(apart[0][i] <= apart[1][i] + 1 && apart[1][i] <= apart[0][i] + 1);
      assert_true(i == 0 || apart[1][i] >= apart[1][i - 1]);
    }
  }
}

TEST(what_is_wrong_with_numbers_is_refused) {
  free(make_records());
  dperm_metrics metrics;
  dperm_score_options how = USUAL(dperm_score_options);
  dperm_private_score score;
  dperm_options o = usual();
  auto_data *data = NULL;
  auto_model *model = NULL;
  dperm_schema *schema = numeric_schema();
  auto_data *table = from_table(schema, labels);
  assert_ok(dperm_data_from_dense(RECORDS, DIMS, rows, NULL, 2, &data, err));
  assert_int_equal(dperm_data_target(data, labels, 5, 5, NULL), DPERM_INVALID_ARGUMENT);
  assert_int_equal(dperm_data_target(data, labels, 0, (double)NAN, NULL), DPERM_INVALID_ARGUMENT);
  assert_int_equal(dperm_data_target(data, labels, 0, 1e101, NULL), DPERM_INVALID_ARGUMENT);
  labels[9] = (double)NAN;
  assert_int_equal(dperm_data_target(data, labels, 0, 9, NULL), DPERM_INVALID_DATA);
  labels[9] = 0;
  assert_int_equal(dperm_data_target(table, labels, 0, 9, NULL), DPERM_INVALID_ARGUMENT);
  assert_int_equal(dperm_loss_quantile(1, 0.1, &o.loss, NULL), DPERM_INVALID_ARGUMENT);
  assert_int_equal(dperm_loss_quantile(0.5004, 0.1, &o.loss, NULL), DPERM_INVALID_ARGUMENT);
  assert_ok(dperm_loss_quantile(0.999, 0.1, &o.loss, err));
  assert_true(o.loss.lipschitz == 0.999 && o.loss.smoothness == 2.5);
  o.loss.lipschitz = 0.5; /* not what the name means */
  assert_int_equal(dperm_train(table, &o, &model, NULL), DPERM_INVALID_ARGUMENT);
  o.loss = dperm_loss_logistic();
  assert_int_equal(dperm_train(table, &o, &model, NULL), DPERM_INVALID_ARGUMENT);
  o = usual();
  assert_ok(dperm_train(table, &o, &model, err));
  assert_int_equal(dperm_model_score(model, table, &metrics, NULL), DPERM_UNSUPPORTED);
  how.epsilon = 1;
  assert_int_equal(dperm_model_score_private(model, table, &how, &score, NULL), DPERM_UNSUPPORTED);
  double value = 0;
  assert_int_equal(dperm_model_probabilities(model, table, &value, NULL), DPERM_UNSUPPORTED);
  dperm_schema_free(schema);
}
