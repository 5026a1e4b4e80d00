/* What is no sound Arrow stream is refused in one line, before anything outside of its buffers is
 * read, and is given back once. */
#include <math.h>

#include "arrow_people.h"

/* ---- what is refused */

static void assert_refused(const made_table *table, const char *message) {
  OWNED(opened_close) opened o = arrow_opened(table, NULL, false);
  assert_int_not_equal(o.status, DPERM_OK);
  assert_null(strchr(o.why.message, '\n'));
  if (!strstr(o.why.message, message)) {
    fail_msg("\"%s\" instead of \"%s\"", o.why.message, message);
  }
}

static void assert_column_refused(made_column code, const char *message) {
  code.name = "code";
  const made_column columns[] = {age_column, code, label_column};
  const made_table table = people_table(columns);
  assert_refused(&table, message);
}

TEST(other_types_are_refused_by_name) {
  static const char *const types[][2] = {
      {"tdD", "date"},   {"tsu:UTC", "timestamp"}, {"d:10,2", "decimal"},       {"z", "binary"},
      {"+l", "list"},    {"+s", "struct"},         {"+w:3", "fixed_size_list"}, {"tDs", "duration"},
      {"q\n", "q\\x0a"}, {"", "Arrow type ;"}};
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
    const made_column columns[] = {
        age_column, {.name = "code", .format = types[t][0], .numbers = people_codes}, label_column};
    made_table table = people_table(columns);
    table.rows = 0; /* the schema is enough */
    assert_refused(&table, types[t][1]);
  }
  static const char period[] = "\1\0\0\0\x14\0\0\0"
                               "ARROW:extension:name\6\0\0\0period",
                    senseless[] = "\xff\xff\xff\xff";
  assert_column_refused((made_column){.format = "l", .numbers = people_codes, .metadata = period},
                        "Arrow type period;");
  assert_column_refused(
      (made_column){.format = "l", .numbers = people_codes, .metadata = senseless}, "metadata");
  assert_column_refused((made_column){.format = "g", .entries = "u", .texts = people_texts},
                        "without places");
}

TEST(values_without_a_text_are_refused_and_not_quoted) {
  static const char *const invalid[PEOPLE] = {"0", "1", "2", "secret\xff", "0", "1"};
  static const double lost[PEOPLE] = {0, 1, 2, 0x1p53, 0, 1}, endless[PEOPLE] = {0, 1, INFINITY};
  assert_column_refused((made_column){.format = "u", .texts = invalid},
                        "row 3 of column \"code\" is a text that is not UTF-8");
  assert_column_refused((made_column){.format = "g", .numbers = lost}, "lost digits");
  const made_column columns[] = {
      {.name = "age", .format = "g", .numbers = endless}, code_column, label_column};
  const made_table table = people_table(columns);
  assert_refused(&table, "row 2 of column \"age\" is infinite");
}

static void spoil_nothing(struct ArrowArray *batch, size_t number) {
  (void)batch;
  (void)number;
}
#define SPOIL(name, ...)                                                                           \
  static void name(struct ArrowArray *batch, size_t number) {                                      \
    if (number == 1) {                                                                             \
      __VA_ARGS__;                                                                                 \
    }                                                                                              \
  }
SPOIL(less, batch->children[0]->length--)
SPOIL(below_zero, batch->children[0]->length = -1)
SPOIL(far, batch->children[0]->offset = INT64_MAX)
SPOIL(before, batch->children[0]->offset = -1)
SPOIL(long_batch, batch->length = INT64_MAX)
SPOIL(negative_batch, batch->length = -1)
SPOIL(far_batch, batch->offset = INT64_MAX / 2)
SPOIL(other_columns, batch->n_children--)
SPOIL(no_columns, batch->children = NULL)
SPOIL(no_column, batch->children[1] = NULL)
SPOIL(no_buffers, batch->children[0]->buffers = NULL)
SPOIL(few_buffers, batch->children[0]->n_buffers = 1)
SPOIL(many_buffers, batch->children[1]->n_buffers = 5)
SPOIL(negative_buffers, batch->children[1]->n_buffers = -3)
SPOIL(no_values, batch->children[0]->buffers[1] = NULL)
SPOIL(no_ends, batch->children[1]->buffers[1] = NULL)
SPOIL(no_bytes, batch->children[1]->buffers[2] = NULL)
SPOIL(many_nulls, batch->children[0]->null_count = 9)
SPOIL(hidden_nulls, batch->children[0]->null_count = 1; batch->children[0]->buffers[0] = NULL)
SPOIL(null_records, batch->null_count = 1)
SPOIL(a_dictionary, batch->children[0]->dictionary = batch->children[1])
SPOIL(grandchildren, batch->children[0]->n_children = 1;
      batch->children[0]->children = batch->children)
SPOIL(falling_ends, ((int32_t *)(uintptr_t)batch->children[1]->buffers[1])[1] = 1000)
SPOIL(negative_ends, ((int32_t *)(uintptr_t)batch->children[1]->buffers[1])[0] = -1)

TEST(batches_that_are_not_sound_are_refused) {
  static const struct {
    void (*spoil)(struct ArrowArray *batch, size_t number);
    const char *message;
  } cases[] = {{less, "column \"age\" is no sound Arrow array: it is shorter"},
               {below_zero, "its length or offset"},
               {far, "its length or offset"},
               {before, "its length or offset"},
               {long_batch, "a batch of the stream is no sound Arrow array: its length"},
               {negative_batch, "its length or offset"},
               {far_batch, "its length or offset"},
               {other_columns, "it has other columns than the stream says"},
               {no_columns, "buffers or children are missing"},
               {no_column, "column \"code\" is no sound Arrow array: its length or offset"},
               {no_buffers, "buffers or children are missing"},
               {few_buffers, "its number of buffers"},
               {many_buffers, "its number of buffers"},
               {negative_buffers, "buffers or children are missing"},
               {no_values, "a buffer is missing"},
               {no_ends, "a buffer is missing"},
               {no_bytes, "row 2 lies outside of its buffers"},
               {many_nulls, "its number of nulls"},
               {hidden_nulls, "does not say where"},
               {null_records, "null as a whole"},
               {a_dictionary, "a dictionary is missing, or is too much"},
               {grandchildren, "it has children"},
               {falling_ends, "row 2 lies outside of its buffers"},
               {negative_ends, "row 2 lies outside of its buffers"}};
  const made_column columns[] = {age_column, code_column, label_column};
  made_table table = people_table(columns);
  table.batch = 2;
  table.spoil = spoil_nothing;
  assert_read_as_csv(&table);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    table.spoil = cases[c].spoil;
    assert_refused(&table, cases[c].message);
  }
}

SPOIL(place_beyond, *(int8_t *)(uintptr_t)batch->children[1]->buffers[1] = 9)
SPOIL(place_before, *(int8_t *)(uintptr_t)batch->children[1]->buffers[1] = -1)
SPOIL(no_dictionary, batch->children[1]->dictionary = NULL)
SPOIL(short_dictionary, batch->children[1]->dictionary->length = 0)
SPOIL(null_record, static unsigned char bits = 1; batch->buffers[0] = &bits)

TEST(dictionaries_that_are_not_sound_are_refused) {
  static const struct {
    void (*spoil)(struct ArrowArray *batch, size_t number);
    const char *message;
  } cases[] = {{place_beyond, "row 2 lies outside of its dictionary"},
               {place_before, "row 2 lies outside of its dictionary"},
               {no_dictionary, "a dictionary is missing"},
               {short_dictionary, "outside of its dictionary"},
               {null_record, "null as a whole"}};
  const made_column columns[] = {
      age_column,
      {.name = "code", .format = "c", .entries = "vu", .texts = people_texts},
      label_column};
  made_table table = people_table(columns);
  table.batch = 2;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    table.spoil = cases[c].spoil;
    assert_refused(&table, cases[c].message);
  }
}

static const char *const long_texts[PEOPLE] = {
    "a longer text than a view holds", "1", "a longer text than a view holds", "1", "0", "2"};
#define VIEW(place) ((int32_t *)(uintptr_t)batch->children[1]->buffers[1])[place]
SPOIL(view_length, VIEW(0) = INT32_MAX)
SPOIL(view_below_zero, VIEW(0) = -5)
SPOIL(view_part, VIEW(2) = 2)
SPOIL(view_part_before, VIEW(2) = -1)
SPOIL(view_from, VIEW(3) = 1)
SPOIL(view_from_before, VIEW(3) = INT32_MIN)
SPOIL(view_sizes, batch->children[1]->buffers[4] = NULL)
SPOIL(view_no_part, batch->children[1]->buffers[2] = NULL)
SPOIL(view_buffers, batch->children[1]->n_buffers = 2)

TEST(views_that_are_not_sound_are_refused) {
  static void (*const cases[])(struct ArrowArray * batch, size_t number) = {
      view_length,      view_below_zero, view_part,    view_part_before, view_from,
      view_from_before, view_sizes,      view_no_part, view_buffers};
  const made_column columns[] = {
      age_column, {.name = "code", .format = "vu", .texts = long_texts}, label_column};
  made_table table = people_table(columns);
  table.batch = 2;
  OWNED(opened_close) opened fine = arrow_opened(&table, NULL, false);
  assert_int_equal(fine.status, DPERM_OK);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    table.spoil = cases[c];
    assert_refused(&table, "column \"code\" is no sound Arrow array: ");
  }
}

static void no_format(struct ArrowSchema *schema) {
  schema->children[1]->format = NULL;
}
static void no_table(struct ArrowSchema *schema) {
  schema->format = "l";
}
static void negative_children(struct ArrowSchema *schema) {
  schema->n_children = -1;
}
static void no_children(struct ArrowSchema *schema) {
  schema->children = NULL;
}
static void no_child(struct ArrowSchema *schema) {
  schema->children[2] = NULL;
}
static void two_of_a_name(struct ArrowSchema *schema) {
  schema->children[1]->name = "age";
}
static void no_name(struct ArrowSchema *schema) {
  schema->children[1]->name = NULL;
}

TEST(schemas_that_are_not_sound_are_refused) {
  static const struct {
    void (*spoil)(struct ArrowSchema *schema);
    const char *message;
  } cases[] = {{no_format, "it has no type"},
               {no_table, "give a table"},
               {negative_children, "its columns are missing"},
               {no_children, "its columns are missing"},
               {no_child, "its columns are missing"},
               {two_of_a_name, "several columns \"age\""},
               {no_name, "no column \"code\""}};
  const made_column columns[] = {age_column, code_column, label_column};
  made_table table = people_table(columns);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    table.spoil_schema = cases[c].spoil;
    assert_refused(&table, cases[c].message);
  }
}

/* ---- streams that fail */

static int fail_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  memset(out, 0xa5, sizeof *out); /* what a failed call leaves is nobody's */
  return 5;
}
static int fail_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  memset(out, 0xa5, sizeof *out);
  return 22;
}
static int empty_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  return 0;
}

TEST(a_stream_that_fails_is_given_back_once) {
  const made_column columns[] = {age_column, code_column, label_column};
  const made_table table = people_table(columns);
  OWNED(opened_close) opened o = csv_opened(people_csv);
  for (size_t which = 0; which < 4; which++) {
    static const char *const messages[] = {"failed with error 5;", "failed with error 22;",
                                           "the stream's schema is no sound Arrow array",
                                           "it has no functions"};
    struct ArrowArrayStream stream = arrow_made(&table);
    stream.get_schema = which == 0 ? fail_schema : which == 2 ? empty_schema : stream.get_schema;
    stream.get_next = which == 1 ? fail_next : which == 3 ? NULL : stream.get_next;
    const dperm_arrow arrow = {.stream = &stream};
    const dperm_source source = {.arrow = &arrow, .schema = o.schema};
    dperm_data *data = NULL;
    assert_fails(dperm_data_read(&source, NULL, &data, err),
                 which < 2 ? DPERM_IO_ERROR : DPERM_INVALID_DATA, messages[which]);
    assert_null(stream.release);
    assert_int_equal(arrow_live(), 0);
    assert_fails(dperm_data_read(&source, NULL, &data, err), DPERM_INVALID_DATA, "used up before");
  }
}

static bool say_stop(void *context, const char *stage, uint64_t done, uint64_t total) {
  return true;
}

TEST(sources_are_a_path_or_a_stream) {
  const made_column columns[] = {age_column, code_column, label_column};
  made_table table = people_table(columns);
  OWNED(opened_close) opened o = csv_opened(people_csv);
  struct ArrowArrayStream stream = arrow_made(&table);
  dperm_arrow arrow = {.stream = &stream};
  dperm_source source = {.arrow = &arrow, .path = "x", .schema = o.schema};
  dperm_data *data = NULL;
  assert_fails(dperm_data_read(&source, NULL, &data, err), DPERM_INVALID_ARGUMENT, "path and a st");
  assert_non_null(stream.release); /* it was not read */
  source.path = NULL;
  source.format = DPERM_FORMAT_CSV;
  assert_fails(dperm_data_read(&source, NULL, &data, err), DPERM_INVALID_ARGUMENT, "Arrow stream");
  source.format = DPERM_FORMAT_AUTO;
  const dperm_progress progress = {.tick = say_stop};
  assert_fails(dperm_data_read(&source, &progress, &data, err), DPERM_CANCELLED, "reading");
  assert_int_equal(arrow_live(), 0);
  table.rows = 0;
  stream = arrow_made(&table);
  assert_fails(dperm_data_read(&source, NULL, &data, err), DPERM_INVALID_DATA, "Arrow stream");
  stream = arrow_made(&table);
  source.may_be_empty = true;
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  assert_int_equal(dperm_data_rows(data), 0);
  dperm_data_free(data);
  source.schema = NULL;
  stream = arrow_made(&table);
  assert_fails(dperm_data_read(&source, NULL, &data, err), DPERM_INVALID_ARGUMENT, "schema");
  assert_int_equal(arrow_live(), 0);
}
