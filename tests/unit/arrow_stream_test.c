/* Arrow streams: every type has the cells that the same records have in a CSV file, however it is
 * cut, and nothing of a stream is kept. */
#include <math.h>

#include "arrow_people.h"
#include "base/thread_pool.h"
#include "data/dataset.h"
#include "data/identity.h"

/* ---- what is taken */

TEST(every_type_of_numbers_has_the_cells_of_csv) {
  static const char *const formats[] = {"c", "C", "s", "S", "i", "I", "l", "L", "e", "f", "g"};
  for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
    for (size_t coded = 0; coded < 2; coded++) {
      const made_column columns[] = {age_column,
                                     {.name = "code",
                                      .format = coded ? "L" : formats[f],
                                      .entries = coded ? formats[f] : NULL,
                                      .numbers = people_codes},
                                     label_column};
      made_table table = people_table(columns);
      assert_read_as_csv(&table);
      table.batch = 2;
      table.pad = 9;
      table.first = 1;
      assert_read_as_csv(&table);
    }
  }
}

TEST(every_type_of_texts_has_the_cells_of_csv) {
  static const char *const formats[] = {"u", "U", "vu"};
  static const char *const age_texts[PEOPLE] = {"0", "7.50", "4e1", "100", "-9.0", "12"};
  for (size_t f = 0; f < 3; f++) {
    for (size_t coded = 0; coded < 2; coded++) {
      const char *format = coded ? "c" : formats[f], *entries = coded ? formats[f] : NULL;
      const made_column columns[] = {
          {.name = "age", .format = format, .entries = entries, .texts = age_texts},
          {.name = "code", .format = format, .entries = entries, .texts = people_texts},
          {.name = "ill", .format = format, .entries = entries, .texts = people_labels}};
      made_table table = people_table(columns);
      assert_read_as_csv(&table);
      table.batch = 4;
      table.pad = 1;
      assert_read_as_csv(&table);
    }
  }
}

TEST(truths_are_numbers_in_numeric_columns_and_words_elsewhere) {
  static const double truths[PEOPLE] = {1, 0, 1, 0, 0, 1};
  const made_column columns[] = {{.name = "age", .format = "b", .numbers = truths},
                                 {.name = "code", .format = "b", .numbers = truths},
                                 label_column};
  made_table table = people_table(columns);
  table.pad = 3;
  OWNED(opened_close)
  opened want = csv_opened("age,code,ill\n1,True,no\n0,False,yes\n1,True,no\n0,False,no\n"
                           "0,False,yes\n1,True,yes\n");
  OWNED(opened_close) opened found = arrow_opened(&table, NULL, false);
  assert_int_equal(found.status, DPERM_OK);
  assert_same_cells(found.data, want.data);
}

TEST(null_and_nan_are_missing_whatever_lies_there) {
  static const double some[PEOPLE] = {NAN, 7.5, 40, 100, NAN, NAN};
  static const char *const texts[PEOPLE] = {"0", NULL, "2", "1", NULL, "2"};
  OWNED(opened_close)
  opened want = csv_opened("age,code,ill\n?,0,no\n7.5,?,yes\n40,2,no\n100,1,no\n,?,yes\n,2,yes\n");
  const made_column columns[] = {{.name = "age", .format = "g", .numbers = some},
                                 {.name = "code", .format = "u", .texts = texts},
                                 label_column};
  made_table table = people_table(columns);
  table.pad = 2;
  OWNED(opened_close) opened found = arrow_opened(&table, NULL, false);
  assert_int_equal(found.status, DPERM_OK);
  assert_same_cells(found.data, want.data);
  dperm_unsafe_column_counts counts;
  assert_ok(dperm_unsafe_data_counts(found.data, 1, &counts, err));
  assert_int_equal(counts.missing, 2);
}

TEST(labels_come_beside_a_stream_or_not_at_all) {
  static const int32_t beside[PEOPLE] = {0, 1, 0, 0, 1, 1};
  static const char *const names[] = {"no", "yes"};
  const dperm_column given = {.codes = beside, .texts = names, .text_count = 2};
  const made_column columns[] = {age_column, code_column, label_column};
  made_table table = people_table(columns);
  table.column_count = 2;
  OWNED(opened_close) opened want = csv_opened(people_csv);
  OWNED(opened_close) opened found = arrow_opened(&table, &given, false);
  assert_int_equal(found.status, DPERM_OK);
  assert_same_cells(found.data, want.data);
  OWNED(opened_close) opened bare = arrow_opened(&table, NULL, true);
  assert_int_equal(bare.status, DPERM_OK);
  assert_true(bare.data->unlabelled);
  OWNED(opened_close) opened missed = arrow_opened(&table, NULL, false);
  assert_string_equal(missed.why.message, "the data have no column \"ill\" that the schema lists; "
                                          "add it, or mend the schema");
  for (int more = -1; more <= 1; more += 2) {
    table.rows = (size_t)(PEOPLE - 1);
    made_column longer[2] = {age_column, code_column};
    double many[PEOPLE + 1] = {0};
    longer[0].numbers = longer[1].numbers = many;
    longer[1].texts = NULL;
    longer[1].format = "g";
    table.columns = longer;
    table.rows = (size_t)(PEOPLE + more);
    OWNED(opened_close) opened odd = arrow_opened(&table, &given, false);
    assert_int_equal(odd.status, DPERM_INVALID_DATA);
    assert_non_null(strstr(odd.why.message, "6 labels; give as many of both"));
  }
}

/* ---- any number of threads, files, ledgers */

enum { MANY = 30000 };

static void many_rows(made_column columns[3]) {
  static double numbers[MANY];
  static const char *texts[MANY], *classes[MANY];
  for (size_t i = 0; i < MANY; i++) {
    numbers[i] = (double)(i * 7919 % 1013) / 8;
    texts[i] = people_texts[i % PEOPLE];
    classes[i] = people_labels[i * 31 % PEOPLE];
  }
  columns[0] = (made_column){.name = "age", .format = "g", .numbers = numbers};
  columns[1] = (made_column){.name = "code", .format = "u", .texts = texts};
  columns[2] = (made_column){.name = "ill", .format = "vu", .texts = classes};
}

TEST(threads_and_batches_change_nothing) {
  made_column columns[3];
  many_rows(columns);
  made_table table = people_table(columns);
  table.rows = MANY;
  OWNED(opened_close) opened whole = arrow_opened(&table, NULL, false);
  assert_int_equal(whole.status, DPERM_OK);
  static const size_t batches[] = {100, 4096, 29999};
  for (size_t b = 0; b < 3; b++) {
    table.batch = batches[b];
    thread_scope scope = threads_enter(b == 1 ? 1 : 3);
    OWNED(opened_close) opened found = arrow_opened(&table, NULL, false);
    threads_leave(&scope);
    assert_int_equal(found.status, DPERM_OK);
    assert_same_cells(found.data, whole.data);
    assert_memory_equal(found.data->prints, whole.data->prints, MANY * sizeof *whole.data->prints);
  }
}

/* A ledger knows them as it knows the same values by dperm_data_from_table. */
TEST(records_are_known_by_their_values) {
  static const int32_t code_places[PEOPLE] = {0, 1, 2, 1, 0, 2},
                       beside[PEOPLE] = {0, 1, 0, 0, 1, 1};
  static const char *const values[] = {"0", "1", "2"}, *const names[] = {"no", "yes"};
  double numbers[PEOPLE];
  memcpy(numbers, people_ages, sizeof numbers);
  numbers[4] = NAN; /* -9 */
  const dperm_column given[] = {{.numbers = numbers},
                                {.codes = code_places, .texts = values, .text_count = 3}};
  const dperm_column label = {.codes = beside, .texts = names, .text_count = 2};
  const made_column columns[] = {age_column, code_column, label_column};
  made_table table = people_table(columns);
  OWNED(opened_close) opened found = arrow_opened(&table, NULL, false);
  auto_data *same = NULL;
  assert_ok(dperm_data_from_table(found.schema, PEOPLE, given, &label, &same, err));
  assert_same_cells(found.data, same);
  data_identity one, two;
  assert_ok(identity_of_data(found.data, &one, err));
  assert_ok(identity_of_data(same, &two, err));
  assert_memory_equal(one.given, two.given, sizeof one.given);
}

TEST(a_stream_becomes_an_encoded_file) {
  made_column columns[3];
  many_rows(columns);
  made_table table = people_table(columns);
  table.rows = MANY;
  table.batch = 777;
  OWNED(opened_close) opened want = arrow_opened(&table, NULL, false);
  struct ArrowArrayStream stream = arrow_made(&table);
  const dperm_arrow arrow = {.stream = &stream};
  const dperm_source source = {.arrow = &arrow, .schema = want.schema};
  char *path = file_with_text("");
  size_t rows = 0;
  assert_ok(dperm_encode_file(&source, path, NULL, &rows, err));
  assert_int_equal(rows, MANY);
  assert_int_equal(arrow_live(), 0);
  auto_data *found = NULL;
  const dperm_source file = {.path = path};
  assert_ok(dperm_data_read(&file, NULL, &found, err));
  assert_same_cells(found, want.data);
  file_remove(path);
}
