/* Rows from tables in memory: the same bits as CSV records of the same values; and the constant
 * column of rows from memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/dataset.h"
#include "dperm/score.h"
#include "dperm/verify.h"
#include "model/model.h"
#include "support.h"

static const char schema_text[] =
    "{\"missing\": [\"?\"], \"on_missing\": \"%s\", \"intercept\": true,"
    " \"label\": {\"column\": \"y\", \"classes\": [\"a\", \"b\", \"c\"]},"
    " \"columns\": ["
    "{\"name\": \"age\", \"type\": \"numeric\", \"min\": 0, \"max\": 90, \"scale\": \"center\"},"
    "{\"name\": \"note\", \"type\": \"ignore\"},"
    "{\"name\": \"gain\", \"type\": \"numeric\", \"min\": 0, \"max\": 9999, \"transform\": "
    "\"log1p\", \"weight\": 2},"
    "{\"name\": \"job\", \"type\": \"categorical\", \"values\": [\"farmer\", \"nurse\"]}]}";

static const char csv_text[] = "age,note,gain,job,y\n"
                               "17.25,x,3,farmer,a\n"
                               "99,x,?,nurse,b\n"
                               "?,x,1e5,pilot,c\n"
                               "40,x,0,?,a\n";
enum { ROWS = 4, DIMS = 5 };

static const double ages[ROWS] = {17.25, 99, (double)NAN, 40};
static const int32_t gains[ROWS] = {0, 3, 1, 2}, jobs[ROWS] = {0, 1, 2, -1},
                     sides[ROWS] = {0, 1, 2, 0};
static const char *const gain_texts[] = {"3", "1e5", "0", "?"};
static const char *const job_texts[] = {"farmer", "nurse", "pilot"};
static const char *const side_texts[] = {"a", "b", "c"};

static dperm_schema *schema_of(const char *on_missing) {
  char json[1024];
  dperm_schema *schema = NULL;
  int length = snprintf(json, sizeof json, schema_text, on_missing);
  assert_ok(dperm_schema_parse(json, (size_t)length, "S", &schema, err));
  return schema;
}

static dperm_data *read_csv(const dperm_schema *schema) {
  auto_file *path = file_with_text(csv_text);
  dperm_data *data = NULL;
  const dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  return data;
}

static void fill(dperm_column columns[4], dperm_column *label) {
  columns[0] = (dperm_column){.numbers = ages};
  columns[1] = (dperm_column){.numbers = NULL};
  columns[2] = (dperm_column){.codes = gains, .texts = gain_texts, .text_count = 4};
  columns[3] = (dperm_column){.codes = jobs, .texts = job_texts, .text_count = 3};
  *label = (dperm_column){.codes = sides, .texts = side_texts, .text_count = 3};
}

TEST(tables_and_files_give_the_same_rows) {
  static const char *const rules[] = {"zero", "category", "drop"};
  for (size_t r = 0; r < 3; r++) {
    auto_schema *schema = schema_of(rules[r]);
    auto_data *file = read_csv(schema), *table = NULL;
    dperm_column columns[4], label;
    fill(columns, &label);
    assert_ok(dperm_data_from_table(schema, ROWS, columns, &label, &table, err));
    assert_int_equal(dperm_data_rows(table), r == 2 ? 1 : ROWS);
    assert_same_rows(file, table);
    for (size_t c = 0; c < schema->column_count; c++) {
      dperm_unsafe_column_counts a, b;
      assert_ok(dperm_unsafe_data_counts(file, c, &a, err));
      assert_ok(dperm_unsafe_data_counts(table, c, &b, err));
      assert_memory_equal(&a, &b, sizeof a);
    }
  }
}

TEST(numbers_may_stand_apart) {
  const char *json =
      "{\"label\": {\"column\": \"y\", \"positive\": [\"1\"], \"negative\": \"*\"}, "
      "\"columns\": [{\"name\": \"u\", \"type\": \"numeric\", \"min\": 0, \"max\": 2},"
      "{\"name\": \"v\", \"type\": \"numeric\", \"min\": 0, \"max\": 4}]}";
  const double table[] = {1, 1, 2, 2, 0, 4};
  const dperm_column columns[] = {{.numbers = table, .stride = 2},
                                  {.numbers = table + 1, .stride = 2}};
  auto_schema *schema = NULL;
  auto_data *data = NULL;
  double row[2];
  assert_ok(dperm_schema_parse(json, strlen(json), "S", &schema, err));
  assert_ok(dperm_data_from_table(schema, 3, columns, NULL, &data, err));
  assert_ok(dperm_data_row(data, 0, row, err));
  assert_true(row[0] == 0.5 && row[1] == 0.25);
  assert_ok(dperm_data_row(data, 2, row, err));
  assert_true(row[0] == 0 && row[1] == 1);
  dperm_model *model = NULL;
  dperm_options options = options_for(1);
  assert_fails(dperm_train(data, &options, &model, err), DPERM_INVALID_DATA, "no labels");
}

TEST(tables_that_do_not_fit_are_refused) {
  static const char *const bad_number[] = {"3", "many", "0", "?"}, *const bad_side[] = {"a", "b",
                                                                                        "z"};
  static const int32_t beyond[] = {0, 1, 3, 0}, none[] = {0, 1, -1, 0};
  const double endless[] = {1, 2, 3, (double)INFINITY};
  auto_schema *schema = schema_of("zero");
  auto_data *data = NULL;
  dperm_column columns[4], label;
  fill(columns, &label);
  columns[2].texts = bad_number;
  assert_fails(dperm_data_from_table(schema, ROWS, columns, &label, &data, err), DPERM_INVALID_DATA,
               "row 2 of column \"gain\" is a text that is not a finite number");
  fill(columns, &label);
  columns[0].numbers = endless;
  assert_fails(dperm_data_from_table(schema, ROWS, columns, &label, &data, err), DPERM_INVALID_DATA,
               "row 3 of column \"age\" is infinite");
  fill(columns, &label);
  columns[3] = (dperm_column){.numbers = ages};
  assert_fails(dperm_data_from_table(schema, ROWS, columns, &label, &data, err),
               DPERM_INVALID_ARGUMENT, "\"job\" must be given as codes");
  fill(columns, &label);
  columns[3].codes = beyond;
  assert_fails(dperm_data_from_table(schema, ROWS, columns, &label, &data, err),
               DPERM_INVALID_ARGUMENT, "row 2 of column \"job\" has the code of no text");
  fill(columns, &label);
  label.texts = bad_side;
  assert_fails(dperm_data_from_table(schema, ROWS, columns, &label, &data, err), DPERM_INVALID_DATA,
               "label of row 2 is not one");
  fill(columns, &label);
  label.codes = none;
  assert_fails(dperm_data_from_table(schema, ROWS, columns, &label, &data, err), DPERM_INVALID_DATA,
               "label of row 2 is not one");
  fill(columns, &label);
  assert_ok(dperm_data_from_table(schema, 0, columns, &label, &data, err)); /* fits may refuse it */
  assert_int_equal(dperm_data_rows(data), 0);
}

/* ---- the constant column */

TEST(a_constant_column_counts_in_the_norm) {
  const double rows[] = {0, 3, 4, 0, 0, 1, 0, 0}, labels[] = {1, -1, 1, -1};
  const size_t starts[] = {0, 1, 2, 3, 3};
  const uint32_t places[] = {1, 0, 1};
  const double values[] = {3, 4, 1};
  auto_data *dense = NULL, *sparse = NULL;
  assert_ok(dperm_data_from_dense(4, 2, rows, labels, 4, &dense, err));
  assert_ok(dperm_data_from_csr(4, 2, starts, places, values, labels, 4, &sparse, err));
  assert_ok(dperm_data_add_intercept(dense, 3, err));
  assert_ok(dperm_data_add_intercept(sparse, 3, err));
  dperm_data *both[] = {dense, sparse};
  for (size_t k = 0; k < 2; k++) {
    double row[3];
    assert_int_equal(dperm_data_dims(both[k]), 3);
    assert_true(both[k]->bounds.norm2 >= 5 && both[k]->bounds.norm2 < 5 + 1e-12);
    assert_ok(dperm_data_row(both[k], 2, row, err));
    assert_true(row[0] == 0 && row[1] == 1 && row[2] == 3);
    assert_fails(dperm_data_add_intercept(both[k], 1, err), DPERM_INVALID_ARGUMENT, "only once");
  }
}

TEST(a_model_remembers_its_constant_column) {
  const double rows[] = {0, 1, 1, 0, 0, 1, 1, 1}, labels[] = {1, -1, 1, -1};
  auto_data *data = NULL, *bare = NULL;
  auto_model *model = NULL, *back = NULL;
  double scores[4], again[4];
  bool holds = false;
  dperm_options options = options_for(1);
  assert_ok(dperm_data_from_dense(4, 2, rows, labels, 2, &data, err));
  assert_ok(dperm_data_add_intercept(data, 0.5, err));
  assert_ok(dperm_data_from_dense(4, 2, rows, NULL, 2, &bare, err));
  assert_ok(dperm_train(data, &options, &model, err));
  auto_file *path = file_with_text("");
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(dperm_model_verify(path, NULL, 0, NULL, NULL, NULL, &holds, err));
  assert_true(holds);
  assert_ok(dperm_model_read(path, &back, err));
  assert_true(back->intercept == 0.5);
  assert_ok(dperm_model_scores(model, data, scores, err));
  assert_ok(dperm_model_scores(back, data, again, err));
  assert_memory_equal(scores, again, sizeof scores);
  assert_fails(dperm_model_scores(back, bare, again, err), DPERM_INVALID_DATA, "encoded columns");
  const dperm_source source = {.path = "x.svm"};
  dperm_metrics metrics;
  assert_fails(dperm_score_file(back, &source, NULL, &metrics, err), DPERM_INVALID_ARGUMENT,
               "predict from memory");
}
