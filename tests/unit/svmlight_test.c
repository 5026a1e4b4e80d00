/* The svmlight reader: good rows, every kind of bad one at its place, and rows clipped to norm 1
 * however large or small their values. */
#include "data/dataset.h"
#include "support.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static dperm_status read_text(const char *text, size_t length, size_t dims, dperm_data **data,
                              dperm_error *err) {
  auto_file *path = file_with(text, length);
  dperm_source source = {.path = path, .format = DPERM_FORMAT_SVMLIGHT, .dims = dims};
  dperm_status status = dperm_data_read(&source, NULL, data, err);
  return status;
}

static dperm_data *rows_of(const char *text, size_t dims) {
  dperm_data *data = NULL;
  assert_ok(read_text(text, strlen(text), dims, &data, err));
  return data;
}

static void refuses_bytes(const char *text, size_t length, const char *words) {
  dperm_data *data = NULL;
  assert_fails(read_text(text, length, 5, &data, err), DPERM_INVALID_DATA, words);
  assert_null(data);
}

static void refuses(const char *text, const char *words) {
  refuses_bytes(text, strlen(text), words);
}

/* ---- good files */

TEST(short_rows_keep_their_bits) {
  auto_data *data = rows_of("+1 1:0.1 3:-0.25\n-1 2:.5\t5:1e-3\n1\n-1 5:0\n", 5);
  assert_int_equal(dperm_data_rows(data), 4);
  assert_int_equal(dperm_data_dims(data), 5);
  assert_true(data->bounds.norm2 == 1.0);
  assert_row(data, 0, ROW(0.1, 0, -0.25, 0, 0));
  assert_row(data, 1, ROW(0, 0.5, 0, 0, 1e-3));
  assert_row(data, 2, ROW(0, 0, 0, 0, 0));
  assert_row(data, 3, ROW(0, 0, 0, 0, 0));
  static const double labels[] = {1, -1, 1, -1};
  assert_memory_equal(dperm_data_labels(data), labels, sizeof labels);
}

TEST(comments_blank_lines_and_crlf_are_skipped) {
  auto_data *data = rows_of("\xef\xbb\xbf# head\r\n\r\n  \n+1 1:0.5 # 2:0.5\r\n"
                            "-1 2:0.5# x\n#\n\t-1   3:0.5  \t\n+1 4:0.5",
                            5);
  assert_int_equal(dperm_data_rows(data), 4);
  assert_row(data, 0, ROW(0.5, 0, 0, 0, 0));
  assert_row(data, 1, ROW(0, 0.5, 0, 0, 0));
  assert_row(data, 2, ROW(0, 0, 0.5, 0, 0));
  assert_row(data, 3, ROW(0, 0, 0, 0.5, 0));
}

TEST(name_tells_the_format) {
  OWNED_MEMORY char *path = file_with_text("1 1:0.5\n0 2:1\n");
  char named[4200];
  (void)snprintf(named, sizeof named, "%s.svm", path);
  assert_int_equal(rename(path, named), 0);
  dperm_source source = {.path = named, .dims = 2};
  dperm_data *data = NULL;
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  assert_row(data, 0, ROW(0.5, 0));
  dperm_data_free(data);
  (void)remove(named);
}

/* ---- labels */

TEST(labels_may_be_zero_and_one_or_minus_and_plus_one) {
  static const char *const texts[] = {"0 1:1\n1 1:1\n+1.0 1:1\n0.0 1:1\n-0 1:1\n1e0\n",
                                      "-1 1:1\n+1 1:1\n1\n-1.0\n-1\n1\n"};
  static const double labels[] = {-1, 1, 1, -1, -1, 1};
  for (size_t i = 0; i < 2; i++) {
    auto_data *data = rows_of(texts[i], 5);
    assert_memory_equal(dperm_data_labels(data), labels, sizeof labels);
  }
}

TEST(other_labels_are_refused) {
  static const char *const labels[] = {"2",   "-2",  "0.5", "yes",   "nan",
                                       "inf", "1:1", "1,",  "1e999", "--1"};
  for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
    char text[64];
    (void)snprintf(text, sizeof text, "+1 1:1\n%s 1:1\n", labels[i]);
    refuses(text, ":2:1: the label must be");
  }
}

/* ---- bad rows */

TEST(bad_entries_are_refused_at_their_place) {
  static const char *const cases[][2] = {
      {"+1 1:1 3:1 2:1\n", ":1:12: the index is not above the one before"},
      {"+1 2:1 2:1\n", ":1:8: the index is not above the one before"},
      {"+1 2:0 2:1\n", ":1:8: the index is not above the one before"},
      {"+1 0:1\n", ":1:4: the index is not a whole number"},
      {"+1 00:1\n", ":1:4: the index is not a whole number"},
      {"+1 -3:1\n", ":1:4: the index is not a whole number"},
      {"+1 1:1\n-1   6:1\n", ":2:6: the index is beyond"},
      {"+1 99999999999999999999:1\n", ":1:4: the index"},
      {"+1 4294967297:1\n", ":1:4: the index"},
      {"+1 1.5:1\n", ":1:4: the index is not a whole number"},
      {"+1 +1:1\n", ":1:4: the index is not a whole number"},
      {"+1 :1\n", ":1:4: the index is not a whole number"},
      {"+1 qid:3 1:1\n", ":1:4: the index is not a whole number"},
      {"+1 1\n", ":1:4: an entry must be index:value"},
      {"+1 1 :1\n", ":1:4: an entry must be index:value"},
      {"+1 1:\n", ":1:4: the value is not a finite number"},
      {"+1 1: 1\n", ":1:4: the value is not a finite number"},
      {"+1 1:x\n", ":1:4: the value is not a finite number"},
      {"+1 1:1:1\n", ":1:4: the value is not a finite number"},
      {"+1 1:0x1p3\n", ":1:4: the value is not a finite number"},
      {"+1 1:nan\n", ":1:4: the value is not a finite number"},
      {"+1 1:-inf\n", ":1:4: the value is not a finite number"},
      {"+1 1:1e999\n", ":1:4: the value is not a finite number"},
      {"+1 1:1,2:1\n", ":1:4: the value is not a finite number"},
      {"0 1:1\n1 1:1\n-1 1:1\n", ":3:1: labels 0 and -1"},
      {"-1 1:1\n  0 1:1\n", ":2:3: labels 0 and -1"},
      {"", "no rows"},
      {"# only a comment\n\n", "no rows"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    refuses(cases[i][0], cases[i][1]);
  }
}

TEST(messages_do_not_quote_the_record) {
  static const char *const texts[] = {"SECRET 1:1\n", "+1 SECRET\n", "+1 1:SECRET\n",
                                      "+1 SECRET:1\n"};
  for (size_t i = 0; i < 4; i++) {
    dperm_data *data = NULL;
    dperm_error error = {DPERM_OK, ""};
    assert_int_equal(read_text(texts[i], strlen(texts[i]), 5, &data, &error), DPERM_INVALID_DATA);
    assert_null(strstr(error.message, "SECRET"));
  }
}

TEST(bytes_that_are_no_text_are_refused) {
  refuses_bytes("+1 1:1\n+1 1:\0 1\n", 17, ":2:6: a NUL byte");
  refuses_bytes("\0", 1, ":1:1: a NUL byte");
  refuses_bytes("+1 1:1 # a\0\n", 12, ":1:11: a NUL byte");
  refuses_bytes("\xff\xfe+\0", 4, "UTF-16");
}

TEST(dims_are_required) {
  auto_file *path = file_with_text("+1 1:1\n");
  dperm_data *data = NULL;
  dperm_source source = {.path = path, .format = DPERM_FORMAT_SVMLIGHT};
  assert_fails(dperm_data_read(&source, NULL, &data, err), DPERM_INVALID_ARGUMENT, "(dims)");
  source.dims = (size_t)INT32_MAX + 1;
  assert_fails(dperm_data_read(&source, NULL, &data, err), DPERM_INVALID_ARGUMENT, "(dims)");
  source.format = (dperm_format)7;
  source.dims = 1;
  assert_fails(dperm_data_read(&source, NULL, &data, err), DPERM_INVALID_ARGUMENT, "format");
}

TEST(endless_line_is_refused) {
  size_t length = (size_t)18 << 20;
  OWNED_MEMORY char *text = malloc(length);
  assert_non_null(text);
  memset(text, ' ', length);
  memcpy(text, "+1\n", 3);
  refuses_bytes(text, length, ":2:1: a line of over");
}

/* ---- the norm */

TEST(rows_are_clipped_to_norm_one_however_large_or_small) {
  static const struct {
    const char *text;
    double first, second, apart; /* 0 for the same bits */
  } cases[] = {{"+1 1:3 2:4\n", 0.6, 0.8, 1e-14},
               {"-1 1:-300 2:400\n", -0.6, 0.8, 1e-14},
               {"+1 1:2\n", 1, 0, 1e-14},
               {"-1 1:1\n", 1, 0, 0},
               {"+1\n", 0, 0, 0},
               {"+1 1:3e300 2:-4e300\n", 0.6, -0.8, 1e-14},
               {"+1 1:1.7976931348623157e308 2:1.7976931348623157e308\n", 0x1.6a09e667f3bcdp-1,
                0x1.6a09e667f3bcdp-1, 1e-14},
               {"+1 1:1e300 2:1e-300\n", 1, 0, 1e-14},
               {"+1 1:3e-300 2:4e-300\n", 3e-300, 4e-300, 0},
               {"+1 1:5e-324 2:5e-324\n", 5e-324, 5e-324, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    auto_data *data = rows_of(cases[i].text, 5);
    double values[5];
    assert_ok(dperm_data_row(data, 0, values, err));
    assert_true(fabs(values[0] - cases[i].first) <= cases[i].apart);
    assert_true(fabs(values[1] - cases[i].second) <= cases[i].apart);
    assert_true(fabs(values[0]) <= 1 && values[2] == 0 && values[4] == 0);
  }
}

TEST(rows_across_the_windows_edge_are_whole) {
  enum { ROWS = 60000 };
  OWNED_MEMORY char *text = malloc(ROWS * 64);
  assert_non_null(text);
  size_t length = 0;
  for (int i = 0; i < ROWS; i++) {
    length += (size_t)sprintf(text + length, "%s %d:0.%d # %d\n", i % 3 ? "+1" : "-1", 1 + i % 5,
                              1 + i % 999, i);
  }
  auto_data *data = NULL;
  assert_ok(read_text(text, length, 5, &data, err));
  assert_int_equal(dperm_data_rows(data), ROWS);
  for (size_t i = 0; i < ROWS; i++) {
    char number[16];
    double expected[5] = {0};
    (void)snprintf(number, sizeof number, "0.%zu", 1 + i % 999);
    expected[i % 5] = strtod(number, NULL);
    assert_row(data, i, expected);
    assert_true(dperm_data_labels(data)[i] == (i % 3 ? 1.0 : -1.0));
  }
}
