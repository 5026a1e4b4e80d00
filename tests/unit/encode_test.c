/* Encoding of CSV records, to the last bit: each expected double is computed here from the
 * documented rule (encode_property_test.c has every kind of column). Messages name the place and
 * never the content. Schemas are written with ' for ". */
#include "dperm/unsafe.h"
#include "support.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static dperm_status read_csv(const char *schema_text, const char *csv, dperm_data **data,
                             dperm_error *err) {
  dperm_schema *schema = schema_quoted(schema_text);
  auto_file *path = file_with_text(csv);
  dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  dperm_status status = dperm_data_read(&source, NULL, data, err);
  dperm_schema_free(schema); /* the data keep their own share */
  return status;
}

static dperm_data *encoded(const char *schema, const char *csv) {
  dperm_data *data = NULL;
  assert_ok(read_csv(schema, csv, &data, err));
  return data;
}

static void refuses(const char *schema, const char *csv, const char *words) {
  dperm_data *data = NULL;
  assert_fails(read_csv(schema, csv, &data, err), DPERM_INVALID_DATA, words);
  assert_null(data);
}

/* The rule of row_norm.c, written again: at least the norm. */
static double norm_of(const double *values, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += values[i] * values[i];
  }
  return count == 1 ? fabs(values[0]) : sqrt(sum) * (1 + ((double)count + 16) / 0x1p53);
}

static double factor_of(double divisor) {
  return divisor == 1.0 ? 1.0 : 1 / divisor * (1 - 0x1p-51);
}

#define LABEL "'label': {'column': 'y', 'positive': ['p', 'P'], 'negative': ['n']}"
#define ONE_NUMBER "{'name': 'a', 'type': 'numeric', 'min': -3, 'max': 7}"
#define COLOURS "{'name': 'c', 'type': 'categorical', 'values': ['red', 'green', 'blue']}"

/* ---- one value */

TEST(numbers_are_divided_by_the_larger_bound) {
  auto_data *data = encoded("{" LABEL ", 'columns': [" ONE_NUMBER "]}",
                            "a,y\n1,p\n-3,n\n7,P\n0,n\n.1,n\n-1e-3,p\n");
  assert_int_equal(dperm_data_rows(data), 6);
  assert_int_equal(dperm_data_dims(data), 1);
  static const double values[] = {1, -3, 7, 0, 0.1, -1e-3}, labels[] = {1, -1, 1, -1, -1, 1};
  for (size_t i = 0; i < 6; i++) {
    assert_row(data, i, ROW(values[i] / 7.0));
  }
  assert_memory_equal(dperm_data_labels(data), labels, sizeof labels);
}

TEST(numbers_beyond_the_range_are_clamped) {
  auto_data *data = encoded("{" LABEL ", 'columns': [" ONE_NUMBER "]}",
                            "a,y\n8,p\n-4,n\n1e999,p\n-1e999,p\n1e308,p\n");
  assert_row(data, 0, ROW(1));
  assert_row(data, 1, ROW(-3.0 / 7.0));
  assert_row(data, 2, ROW(1));
  assert_row(data, 3, ROW(-3.0 / 7.0));
  assert_row(data, 4, ROW(1));
  dperm_unsafe_column_counts counts;
  assert_ok(dperm_unsafe_data_counts(data, 0, &counts, err));
  assert_int_equal(counts.clamped, 5);
}

TEST(categories_are_one_hot_and_unknown_ones_zeros) {
  auto_data *data = encoded("{" LABEL ", 'columns': [" COLOURS "]}",
                            "c,y\nblue,p\nred,n\n \"green\" ,n\nBlue,n\npink,n\n,n\n");
  assert_row(data, 0, ROW(0, 0, 1));
  assert_row(data, 1, ROW(1, 0, 0));
  assert_row(data, 2, ROW(0, 1, 0));
  assert_row(data, 3, ROW(0, 0, 0));
  assert_row(data, 4, ROW(0, 0, 0));
  assert_row(data, 5, ROW(0, 0, 0));
  dperm_unsafe_column_counts counts;
  assert_ok(dperm_unsafe_data_counts(data, 0, &counts, err));
  assert_int_equal(counts.unknown, 2);
  assert_int_equal(counts.missing, 1);
  assert_int_equal(counts.clamped, 0);
}

TEST(the_reference_category_encodes_as_zeros) {
  auto_data *data = encoded("{" LABEL ", 'columns': [{'name': 'c', 'type': 'categorical', 'values':"
                            " ['red', 'green', 'blue'], 'reference': 'green'}, {'name': 'g',"
                            " 'type': 'categorical', 'groups': {'few': '*', 'two': ['2']},"
                            " 'reference': 'few'}], 'on_missing': 'category'}",
                            "c,g,y\nred,2,p\ngreen,2,n\nblue,9,n\npink,,n\ngreen,7,p\n");
  double f = factor_of(norm_of(ROW(1, 1), 2)); /* ρ counts columns with a reference too */
  assert_int_equal(dperm_data_dims(data), 5);  /* red, blue, missing; two, missing */
  assert_row(data, 0, ROW(f, 0, 0, f, 0));
  assert_row(data, 1, ROW(0, 0, 0, f, 0));
  assert_row(data, 2, ROW(0, f, 0, 0, 0));
  assert_row(data, 3, ROW(0, 0, 0, 0, f));
  assert_row(data, 4, ROW(0, 0, 0, 0, 0));
  dperm_unsafe_column_counts counts;
  assert_ok(dperm_unsafe_data_counts(data, 0, &counts, err));
  assert_int_equal(counts.unknown, 1); /* the reference is known */
}

/* ---- missing values */

TEST(missing_may_be_a_category_of_its_own) {
  auto_data *data =
      encoded("{" LABEL ", 'missing': ['?', 'NA'], 'on_missing': 'category', 'columns': ["
              "{'name': 'a', 'type': 'numeric', 'min': 0, 'max': 10, 'weight': 0.5}, " COLOURS "]}",
              "a,c,y\n?,NA,p\n5,red,n\nNA,pink,n\n10,\" ?\",n\n");
  double f = factor_of(norm_of(ROW(0.5, 1), 2)), h = factor_of(norm_of(ROW(0.25, 1), 2));
  assert_row(data, 0, ROW(0, 0.5 * f, 0, 0, 0, f));
  assert_row(data, 1, ROW(0.25 * h, 0, h, 0, 0, 0));
  assert_row(data, 2, ROW(0, 0.5, 0, 0, 0, 0));
  assert_row(data, 3, ROW(0.5, 0, 0, 0, 0, 0)); /* " ?" in quotes is another text */
}

TEST(missing_rows_may_be_dropped) {
  auto_data *data =
      encoded("{" LABEL ", 'missing': ['?'], 'on_missing': 'drop', 'columns': [" ONE_NUMBER
              ", " COLOURS ", {'name': 'i', 'type': 'ignore'}]}",
              "i,a,c,y\n1,?,red,p\n2,7,red,n\n3,1,?,n\n4,1,blue,?\n?,0,blue,p\n");
  assert_int_equal(dperm_data_rows(data), 2);
  double f = factor_of(norm_of(ROW(1, 1), 2));
  assert_row(data, 0, ROW(f, f, 0, 0));
  assert_row(data, 1, ROW(0, 0, 0, 1)); /* an ignored column may miss */
  static const double labels[] = {-1, 1};
  assert_memory_equal(dperm_data_labels(data), labels, sizeof labels);
  dperm_unsafe_column_counts counts;
  assert_ok(dperm_unsafe_data_counts(data, 0, &counts, err));
  assert_int_equal(counts.missing, 1);
}

TEST(dropping_every_row_leaves_no_data) {
  refuses("{" LABEL ", 'on_missing': 'drop', 'columns': [" ONE_NUMBER "]}", "a,y\n,p\n,n\n",
          "no rows");
}

/* ---- where the columns are */

TEST(header_decides_the_order_and_other_columns_are_passed_over) {
  auto_data *data = encoded("{" LABEL ", 'columns': [" ONE_NUMBER ", " COLOURS
                            ", {'name': 'gone', 'type': 'ignore'}]}",
                            "c, extra ,y,\"a\"\nred,zzz,p,0\nblue,\"x,y\",n,7\n");
  assert_row(data, 0, ROW(0, 1, 0, 0));
  double f = factor_of(norm_of(ROW(1, 1), 2));
  assert_row(data, 1, ROW(f, 0, 0, f));
}

TEST(without_a_header_the_schema_decides_the_order) {
  auto_data *data =
      encoded("{'header': false, " LABEL ", 'columns': [" ONE_NUMBER ", {'name': 'y', 'type':"
              " 'label'}, {'name': 'i', 'type': 'ignore'}, " COLOURS "]}",
              "0,p,anything,green\n\n0,n,,blue\n");
  assert_int_equal(dperm_data_rows(data), 2);
  assert_row(data, 0, ROW(0, 0, 1, 0));
  assert_row(data, 1, ROW(0, 0, 0, 1));
}

TEST(separator_comment_and_star_label_are_the_schemas) {
  auto_data *data =
      encoded("{'separator': ';', 'comment': '|', 'label': {'column': 'y',"
              " 'positive': ['yes, sir'], 'negative': '*'}, 'columns': [" ONE_NUMBER "]}",
              "|note\na;y\n7;yes, sir\n|7;x\n7;no\n7;\n");
  static const double labels[] = {1, -1, -1};
  assert_int_equal(dperm_data_rows(data), 3);
  assert_memory_equal(dperm_data_labels(data), labels, sizeof labels);
}

/* ---- refusals */

TEST(records_of_another_length_are_refused) {
  static const char schema[] = "{" LABEL ", 'columns': [" ONE_NUMBER "]}";
  refuses(schema, "a,y\n1,p\n\n1,p,2\n", ":4:1: 3 fields where 2 are expected");
  refuses(schema, "a,y\n1\n", ":2:1: 1 fields where 2 are expected");
  refuses("{'header': false, " LABEL ", 'columns': [" ONE_NUMBER
          ", {'name': 'y', 'type': 'label'}]}",
          "1\n", ":1:1: 1 fields where 2 are expected");
}

TEST(headers_that_do_not_fit_are_refused) {
  static const char schema[] = "{" LABEL ", 'columns': [" ONE_NUMBER "]}";
  refuses(schema, "b,y\n1,p\n", ":1:1: the header has no column \"a\"");
  refuses(schema, "a,z\n1,p\n", ":1:1: the header has no label column \"y\"");
  refuses(schema, "a,y,a\n1,p,1\n", ":1:5: columns 1 and 3 are both called \"a\"");
  refuses(schema, "a,y,y\n1,p,p\n", "columns 2 and 3 are both called \"y\"");
}

TEST(bad_cells_are_refused_at_their_place) {
  static const char schema[] = "{" LABEL ", 'columns': [" COLOURS ", " ONE_NUMBER "]}";
  static const char *const cases[][2] = {
      {"c,a,y\nred,x1,p\n", ":2:5: column \"a\" is not a finite number"},
      {"c,a,y\nred,1 2,p\n", ":2:5: column \"a\" is not a finite number"},
      {"c,a,y\nred,0x10,p\n", ":2:5: column \"a\" is not a finite number"},
      {"c,a,y\nred,\"1,5\",p\n", ":2:5: column \"a\" is not a finite number"},
      {"c,a,y\n\"r\ned\",-,p\n", ":3:5: column \"a\" is not a finite number"},
      {"c,a,y\nred,nan,p\n", ":2:5: column \"a\" is not a finite number"},
      {"c,a,y\nred,  -inf,p\n", ":2:7: column \"a\" is not a finite number"},
      {"c,a,y\nred,Infinity,p\n", ":2:5: column \"a\" is not a finite number"},
      {"c,a,y\nred,1,q\n", ":2:7: the label in column \"y\" is not one that the schema lists"},
      {"c,a,y\nred,1,\n", ":2:7: the label in column \"y\""},
      {"c,a,y\nred,1,pp\n", ":2:7: the label in column \"y\""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    refuses(schema, cases[i][0], cases[i][1]);
  }
}

TEST(files_without_records_are_refused) {
  static const char schema[] = "{" LABEL ", 'columns': [" ONE_NUMBER "]}";
  refuses(schema, "", "no rows");
  refuses(schema, "a,y\n", "no rows");
  refuses(schema, "\n \n", "no rows");
}

TEST(messages_never_hold_the_content_of_a_cell) {
  static const char *const tables[] = {"c,a,y\nred,SECRET,p\n",     "c,a,y\nred,1,SECRET\n",
                                       "c,a,y\nred,1,p,SECRET\n",   "c,a,y\nSECRET\n",
                                       "c,a,y\nred,\"SECRET,p\n",   "c,a,y\nred,1,\"p\"SECRET\n",
                                       "c,a,y\nSECRET,nan,SECRET\n"};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    dperm_data *data = NULL;
    dperm_error error = {DPERM_OK, ""};
    assert_int_equal(
        read_csv("{" LABEL ", 'columns': [" COLOURS ", " ONE_NUMBER "]}", tables[i], &data, &error),
        DPERM_INVALID_DATA);
    assert_null(strstr(error.message, "SECRET"));
    assert_null(strchr(error.message, '\n'));
  }
}

/* ---- counts */

TEST(counts_tell_missing_unknown_and_clamped) {
  auto_data *data = encoded("{" LABEL ", 'missing': ['?', ''], 'columns': [" ONE_NUMBER ", " COLOURS
                            ", {'name': 'i', 'type': 'ignore'}]}",
                            "a,c,i,y\n9,?,?,p\n7,pink,,n\n?,grey,,n\n,red,,n\n-3,blue,,n\n");
  static const dperm_unsafe_column_counts expected[] = {{2, 0, 1}, {1, 2, 0}, {0, 0, 0}};
  for (size_t c = 0; c < 3; c++) {
    dperm_unsafe_column_counts counts;
    assert_ok(dperm_unsafe_data_counts(data, c, &counts, err));
    assert_memory_equal(&counts, &expected[c], sizeof counts);
  }
  dperm_unsafe_column_counts counts;
  assert_fails(dperm_unsafe_data_counts(data, 3, &counts, err), DPERM_INVALID_ARGUMENT,
               "no counts for column 3");
  auto_data *part = NULL;
  assert_ok(dperm_data_select(data, (const size_t[]){4, 0}, 2, &part, err));
  assert_fails(dperm_unsafe_data_counts(part, 0, &counts, err), DPERM_INVALID_ARGUMENT,
               "no counts");
  double f = factor_of(norm_of(ROW(-3.0 / 7.0, 1), 2));
  assert_row(part, 0, ROW(-3.0 / 7.0 * f, 0, 0, f));
  assert_row(part, 1, ROW(1, 0, 0, 0));
}

static bool stop_at_once(void *context, const char *stage, uint64_t done, uint64_t total) {
  assert_string_equal(stage, "reading");
  *(uint64_t *)context = total;
  return true;
}

TEST(reading_can_be_stopped) {
  auto_schema *schema = schema_quoted("{" LABEL ", 'columns': [" ONE_NUMBER "]}");
  auto_file *path = file_with_text("a,y\n1,p\n");
  dperm_source source = {.path = path, .schema = schema};
  uint64_t total = 0;
  dperm_progress progress = {stop_at_once, &total};
  dperm_data *data = NULL;
  assert_fails(dperm_data_read(&source, &progress, &data, err), DPERM_CANCELLED, "stopped");
  assert_null(data);
  assert_int_equal(total, 8);
  source.schema = NULL;
  assert_fails(dperm_data_read(&source, NULL, &data, err), DPERM_INVALID_ARGUMENT,
               "CSV data need a schema");
}
