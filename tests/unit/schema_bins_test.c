/* "bins", "line" and "crosses" of a schema: what they become and how they are named, and a clear
 * sentence with its place for every mistake. Schemas are written with ' for ". */
#include "model/model.h"
#include "schema/schema.h"
#include "support.h"
#include "text_buffer.h"

#define LABEL "'label': {'column': 'y', 'positive': ['1'], 'negative': ['0']}"
#define AGE(more) "{'name': 'age', 'type': 'numeric', 'min': 0, 'max': 100" more "}"
#define SEX "{'name': 'sex', 'type': 'categorical', 'values': ['F', 'M']}"
#define ONE(more) "{" LABEL ", 'columns': [" AGE(more) "]}"
#define CROSSED(crosses, more)                                                                     \
  "{" LABEL                                                                                        \
  ", 'columns': [" AGE(", 'bins': [20, 40]") ", " SEX                                              \
                                             ", {'name': 'old', 'type': 'numeric', 'min': 0, "     \
                                             "'max': 1}, {'name': 'no', 'type': 'ignore'}], "      \
                                             "'crosses': " crosses more "}"

/* The names of all encoded columns, each followed by a blank. */
static void named(const dperm_schema *schema, const char *expected) {
  static text_buffer names;
  names.length = 0;
  for (size_t j = 0; j < dperm_schema_dims(schema); j++) {
    char one[100];
    (void)dperm_schema_feature_name(schema, j, one, sizeof one);
    put(&names, "%s ", one);
  }
  assert_string_equal(names.bytes, expected);
}

/* ---- bins */

TEST(bins_are_named_by_their_ends) {
  static const struct {
    const char *schema, *names;
    size_t bins;
  } cases[] = {
      {ONE(", 'bins': 4"), "age[0,25) age[25,50) age[50,75) age[75,100] ", 4},
      {ONE(", 'bins': [0, 0.1, 33.5, 100]"), "age[0,0.1) age[0.1,33.5) age[33.5,100] ", 3},
      {ONE(", 'bins': [50], 'line': 0.5"), "age age[0,50) age[50,100] ", 2},
      {ONE(", 'bins': [50], 'line': 0"), "age[0,50) age[50,100] ", 2},
      {ONE(", 'bins': [0, 100]"), "age[0,100] ", 1},
      {"{" LABEL ", 'on_missing': 'category', 'intercept': true, 'columns': ["
       "{'name': 'x', 'type': 'numeric', 'min': -1e-3, 'max': 1e9, 'bins': [7], 'line': 2}]}",
       "x x[-0.001,7) x[7,1000000000] x=(missing) (intercept) ", 2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    auto_schema *schema = schema_quoted(cases[i].schema);
    named(schema, cases[i].names);
    assert_int_equal(column_bins(&schema->columns[0]), cases[i].bins);
    assert_int_equal(schema->columns[0].bins_auto, 0);
    assert_int_equal(schema->columns[0].type, COLUMN_NUMERIC);
  }
}

TEST(equal_widths_are_those_of_the_transformed_range) {
  auto_schema *schema =
      schema_quoted("{" LABEL ", 'columns': [{'name': 'x', 'type': 'numeric', 'min': "
                    "0, 'max': 999, 'transform': 'log1p', 'bins': 3}]}");
  assert_close(schema->columns[0].cuts[0], 9, 1e-13);
  assert_close(schema->columns[0].cuts[1], 99, 1e-12);
}

TEST(a_line_has_a_bound_of_its_own) {
  auto_schema *schema = schema_quoted(ONE(", 'bins': [50], 'line': 0.25, 'weight': 0.5"));
  const noise_body *body = &schema->bounds.body;
  assert_int_equal(body->count, 2);
  assert_true(body->runs[0].width == 1 && body->runs[0].radius == 0.25);
  assert_true(body->runs[1].width == 2 && body->runs[1].radius == 0.5);
  assert_close(schema->bounds.norm1, 0.75, 1e-15);
  assert_true(schema_column_bound(schema, 0) == 0.5);
  assert_true(schema->columns[0].line == 0.25);
  assert_int_equal(schema->columns[0].width, 3);
}

/* Complete rows of weight 1 are not changed, as with categories: a bin counts in rho, a line does
 * not. */
TEST(bins_count_as_categories_do) {
  auto_schema *binned =
      schema_quoted("{" LABEL ", 'columns': [" AGE(", 'bins': 2, 'line': 1") ", " SEX "]}");
  auto_schema *plain = schema_quoted("{" LABEL ", 'columns': [" SEX ", {'name': 'b', 'type': "
                                     "'categorical', 'values': ['u', 'v']}]}");
  assert_true(binned->min_divisor == plain->min_divisor);
  assert_close(binned->max_norm * binned->max_norm, 3, 1e-13);
}

TEST(mistakes_in_bins_are_named) {
#define X(min, max, bins)                                                                          \
  "{" LABEL ", 'columns': [{'name': 'x', 'type': 'numeric', 'min': " min ", 'max': " max           \
  ", 'bins': " bins "}]}"
  static const char *const odd[] = {
      ONE(", 'bins': 1"),           ONE(", 'bins': 4097"),       ONE(", 'bins': 2.5"),
      ONE(", 'bins': 'many'"),      ONE(", 'bins': true"),       ONE(", 'bins': []"),
      ONE(", 'bins': [1, '2']"),    ONE(", 'bins': [1, null]"),  ONE(", 'bins': [1, 3, 3]"),
      ONE(", 'bins': [-1, 3]"),     ONE(", 'bins': [3, 100.5]"), X("1", "1.0000000000000004", "4"),
      X("-1.7e308", "1.7e308", "4")};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    schema_refused(odd[i], "must be a whole number from 2 to 4096");
  }
  schema_refused(ONE(", 'bins': [1, 3, 3]"), "s.json:1:");
  schema_refused(ONE(", 'line': 1"), "\"line\" stands beside \"bins\"");
  schema_refused(ONE(", 'bins': 2, 'line': -1"), "\"line\" must be between 1e-6 and 1e6");
  schema_refused(ONE(", 'bins': 2, 'line': 1e7"), "\"line\" must be between 1e-6 and 1e6");
  schema_refused(ONE(", 'bins': 2, 'line': 'yes'"), "\"line\" must be a number");
  schema_refused("{" LABEL
                 ", 'columns': [{'name': 'c', 'type': 'categorical', 'values': ['a'], 'bins': "
                 "2}]}",
                 "unknown key \"bins\"");
}

/* ---- auto */

/* Records can be read, encoded and planned for: their column is a line until a fit has bins. */
TEST(bins_that_are_not_chosen_yet_are_lines) {
  auto_schema *schema = schema_quoted(ONE(", 'bins': 'auto'")), *plain = schema_quoted(ONE(""));
  assert_int_equal(schema->columns[0].bins_auto, 1);
  assert_int_equal(column_bins(&schema->columns[0]), 0);
  named(schema, "age ");
  auto_file *path = file_with_text("age,y\n10,1\n20,0\n"), *out = file_with_text("");
  const dperm_source from = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  const dperm_source encoded = {.path = out, .schema = plain};
  auto_data *data = NULL, *lines = NULL;
  auto_model *model = NULL;
  dperm_plan plan;
  dperm_options options = options_for(1);
  double x = 0, line = 1;
  assert_ok(dperm_data_read(&from, NULL, &data, err));
  assert_ok(dperm_encode_file(&from, out, NULL, NULL, err));
  assert_ok(dperm_data_read(&encoded, NULL, &lines, err));
  assert_ok(dperm_data_row(data, 1, &x, err));
  assert_ok(dperm_data_row(lines, 1, &line, err));
  assert_true(x == line && dperm_data_dims(data) == 1);
  assert_ok(dperm_plan_for_schema(2, schema, &options, &plan, err));
  assert_ok(dperm_train(data, &options, &model, err));
  assert_int_equal(plan.dims, 4);
  assert_int_equal(dperm_model_dims(model), 4);
  named(dperm_model_schema(model), "age[0,25) age[25,50) age[50,75) age[75,100] ");
}

/* ---- crosses */

TEST(pairs_are_named_by_both_values) {
  auto_schema *schema = schema_quoted(CROSSED("[['age', 'sex']]", ""));
  named(schema, "age[0,20) age[20,40) age[40,100] sex=F sex=M old age[0,20)*sex=F age[0,20)*sex=M "
                "age[20,40)*sex=F age[20,40)*sex=M age[40,100]*sex=F age[40,100]*sex=M ");
  assert_int_equal(schema->cross_count, 1);
  assert_int_equal(schema->crosses[0].width, 6);
  assert_int_equal(schema->crosses[0].columns[0], 0);
  assert_int_equal(schema->crosses[0].columns[1], 1);
}

/* A category that is left out of its own block is a value of a pair. */
TEST(references_and_missing_values_are_values_of_a_pair) {
  auto_schema *schema =
      schema_quoted("{" LABEL ", 'on_missing': 'category', 'columns': [{'name': 'a', 'type': "
                    "'categorical', 'values': ['u', 'v'], 'reference': 'u'}, " AGE(
                        ", 'bins': [50]") "], "
                                          "'crosses': [{'columns': ['age', 'a'], 'weight': 0.5}]}");
  named(schema, "a=v a=(missing) age[0,50) age[50,100] age=(missing) age[0,50)*a=u age[0,50)*a=v "
                "age[0,50)*a=(missing) age[50,100]*a=u age[50,100]*a=v age[50,100]*a=(missing) "
                "age=(missing)*a=u age=(missing)*a=v age=(missing)*a=(missing) ");
}

/* Of a line four parts of its range; bins that are not chosen yet are none, and have no parts. */
TEST(crosses_after_the_fit_are_of_parts) {
  auto_schema *lines = schema_quoted("{" LABEL ", 'intercept': true, 'columns': [" AGE(
      "") ", " SEX "], 'crosses': [{'columns': ['age', 'sex'], 'after_fit': true}]}");
  named(lines,
        "age sex=F sex=M age[0,25)*sex=F age[0,25)*sex=M age[25,50)*sex=F age[25,50)*sex=M "
        "age[50,75)*sex=F age[50,75)*sex=M age[75,100]*sex=F age[75,100]*sex=M (intercept) ");
  assert_int_equal(lines->after_fit, 8);
  auto_schema *bins = schema_quoted("{" LABEL ", 'on_missing': 'category', 'columns': [" AGE(
      ", 'bins': 8") ", " SEX "], 'crosses': [{'columns': ['sex', 'age'], 'after_fit': true}]}");
  assert_int_equal(bins->after_fit, 15);
  char name[100];
  (void)dperm_schema_feature_name(bins, bins->dims - 1, name, sizeof name);
  assert_string_equal(name, "sex=(missing)*age=(missing)");
  (void)dperm_schema_feature_name(bins, bins->dims - 15, name, sizeof name);
  assert_string_equal(name, "sex=F*age[0,25)");
  auto_schema *open = schema_quoted("{" LABEL ", 'columns': [" AGE(
      ", 'bins': 'auto'") ", " SEX "], 'crosses': [['age', 'sex']]}");
  assert_int_equal(open->dims, 5); /* a line, two values, and as many pairs */
}

TEST(a_long_name_is_cut_and_its_length_told) {
  auto_schema *schema = schema_quoted(CROSSED("[['sex', 'age']]", ""));
  char name[8];
  assert_int_equal(dperm_schema_feature_name(schema, 6, name, sizeof name), 15);
  assert_string_equal(name, "sex=F*a"); /* of sex=F*age[0,20) */
}

/* A cross counts in rho where every row has one of its entries; elsewhere it is a bound only. */
TEST(a_cross_counts_where_it_is_sure) {
#define REST "{'name': 'c', 'type': 'categorical', 'groups': {'a': ['a'], 'b': '*'}}"
#define PAIR(missing, other, names)                                                                \
  "{" LABEL ", 'on_missing': '" missing                                                            \
  "', 'columns': [" AGE(", 'bins': 2") ", " other "], "                                            \
                                       "'crosses': [['age', '" names "']]}"
  static const struct {
    const char *schema;
    double squares;
  } cases[] = {{PAIR("category", REST, "c"), 3},
               {PAIR("category", SEX, "sex"), 2},
               {PAIR("zero", REST, "c"), 2}};
  for (size_t i = 0; i < 3; i++) {
    auto_schema *schema = schema_quoted(cases[i].schema);
    assert_close(schema->min_divisor * schema->min_divisor, cases[i].squares, 1e-13);
    assert_close(schema->max_norm * schema->max_norm, 3, 1e-13);
  }
}

TEST(mistakes_in_crosses_are_named) {
  static const char *const odd[] = {
      CROSSED("[['age']]", ""),        CROSSED("[['age', 'sex', 'old']]", ""),
      CROSSED("['age']", ""),          CROSSED("[{'weight': 1}]", ""),
      CROSSED("[['age', 3]]", ""),     CROSSED("[['age', 'size']]", ""),
      CROSSED("[['age', 'old']]", ""), CROSSED("[['no', 'age']]", ""),
      CROSSED("[['age', 'age']]", ""), CROSSED("[['age', 'sex'], ['sex', 'age']]", "")};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    schema_refused(odd[i], "a cross is a list of two different columns");
  }
  schema_refused(CROSSED("{}", ""), "\"crosses\" must be a list of pairs");
  schema_refused(CROSSED("[{'columns': ['age', 'sex'], 'wait': 1}]", ""), "unknown key \"wait\"");
  schema_refused(CROSSED("[{'columns': ['age', 'sex'], 'weight': 0}]", ""), "between 1e-6 and 1e6");
}

TEST(too_many_pairs_are_refused) {
  schema_refused(
      "{" LABEL ", 'columns': [" AGE(
          ", 'bins': 4096") ", {'name': 'b', 'type': 'numeric', "
                            "'min': 0, 'max': 1, 'bins': 257}], 'crosses': [['b', 'age']]}",
      "the cross of \"b\" and \"age\" has more than 1048576 pairs");
}
