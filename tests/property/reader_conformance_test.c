/* One suite for every reader of the table (src/read/row_reader.c): one thread or
 * several give the same cells, or rows, to the bit; what is wrong
 * is named with its place in the file; progress can cancel; an empty file and none at all are
 * refused by name. A new reader adds one line to `samples`.
 *
 * tests/property/row_independence_test.c sends hostile records through every way in, these readers
 * among them. */
#include <stdio.h>
#include <stdlib.h>

#include "base/thread_pool.h"
#include "data/dataset.h"
#include "input_paths.h"
#include "read/row_reader.h"

/* Files of a format for the suite. */
typedef struct sample {
  dperm_format format;
  record_family family; /* of the records that it is made of */
  bool encoded;         /* … by dperm_encode_file */
  const char *name;     /* an ending by which it is recognized; NULL if content tells, or nothing */
  /* A record that cannot be read, and what a message about it begins with, behind path and line. */
  const char *bad, *place;
} sample;

static const sample samples[] = {
    {DPERM_FORMAT_CSV, RECORDS_CSV, false, NULL, "\"a\"b", ":"},
    {DPERM_FORMAT_SVMLIGHT, RECORDS_SVMLIGHT, false, ".svm", "1 2:1 1:1", "7: the index"},
    {DPERM_FORMAT_ENCODED, RECORDS_CSV, true, NULL, NULL, NULL},
    {DPERM_FORMAT_ENCODED, RECORDS_SVMLIGHT, true, NULL, NULL, NULL},
};
enum { SAMPLES = sizeof samples / sizeof *samples, RECORDS = 300 };

/* ---- files and their records */

typedef struct sample_file {
  char *path;
  dperm_schema *schema;
  dperm_source source;
} sample_file;

static sample_file file_open(const sample *s, const record_set *set) {
  static const input plain = {.how = 0};
  sample_file f = {.path = write_records(&plain, set)};
  f.source = (dperm_source){.path = f.path, .format = DPERM_FORMAT_SVMLIGHT, .dims = RECORD_DIMS};
  if (set->family == RECORDS_CSV) {
    const char *text = set->layout->schema; /* which has ' in names */
    assert_ok(dperm_schema_parse(text, strlen(text), "schema", &f.schema, err));
    f.source = (dperm_source){.path = f.path, .format = DPERM_FORMAT_CSV, .schema = f.schema};
  }
  if (s->encoded) {
    char *path = file_with_text("");
    assert_ok(dperm_encode_file(&f.source, path, NULL, NULL, err));
    file_remove(f.path);
    f.path = path;
    f.source = (dperm_source){.path = path, .format = DPERM_FORMAT_ENCODED};
  }
  return f;
}

static void file_close(sample_file *f) {
  dperm_schema_free(f->schema);
  file_remove(f->path);
}

static record_set some_records(const sample *s, uint64_t seed) {
  random_source r;
  assert_ok(random_seeded(seed, &r, err));
  return records_draw(&r, s->family, (size_t)seed, false, false, RECORDS);
}

static bool same_record(const dperm_data *a, const dperm_data *b, size_t i) {
  double rows[2][RECORD_DIMS];
  bool same = memcmp(&a->labels[i], &b->labels[i], sizeof *a->labels) == 0;
  for (size_t c = 0; a->table && c < a->table->layout.count; c++) {
    const double cells[2] = {table_cell(a->table, i, c), table_cell(b->table, i, c)};
    same = same && memcmp(&cells[0], &cells[1], sizeof *cells) == 0;
  }
  if (!a->table) {
    a->x->kind->row(a->x, i, rows[0]);
    b->x->kind->row(b->x, i, rows[1]);
    same = same && memcmp(rows[0], rows[1], sizeof rows[0]) == 0;
  }
  return same;
}

/* ---- the suite */

static void every_reader_has_a_sample(void **state) {
  for (const row_reader_kind *const *kind = row_reader_kinds; *kind; kind++) {
    bool found = *kind == &arrow_format; /* no file: tests/unit/arrow_stream_test.c */
    for (size_t s = 0; s < SAMPLES; s++) {
      found = found || samples[s].format == (*kind)->format;
    }
    if (!found) {
      fail_msg("the reader of %s files has no sample in this suite", (*kind)->name);
    }
  }
}

static void any_number_of_threads_gives_the_same_records(void **state) {
  const sample *s = *state;
  for (uint64_t seed = 0; seed < RECORD_LAYOUTS; seed++) {
    record_set set = some_records(s, seed);
    sample_file f = file_open(s, &set);
    auto_data *whole = NULL;
    assert_ok(dperm_data_read(&f.source, NULL, &whole, err));
    assert_int_equal(dperm_data_rows(whole), RECORDS);
    for (int threads = 1; threads <= 3; threads += 2) {
      auto_data *again = NULL;
      thread_scope scope = threads_enter(threads);
      assert_ok(dperm_data_read(&f.source, NULL, &again, err));
      assert_int_equal(dperm_data_rows(again), RECORDS);
      for (size_t i = 0; i < RECORDS; i++) {
        assert_true(same_record(again, whole, i));
      }
      threads_leave(&scope);
    }
    file_close(&f);
    records_free(&set);
  }
}

/* There is a digest of the bytes; doubts are none for fine records. */
static void digest_is_made_and_fine_records_raise_no_doubts(void **state) {
  const sample *s = *state;
  record_set set = some_records(s, 2);
  sample_file f = file_open(s, &set);
  auto_data *all = NULL;
  assert_ok(dperm_data_read(&f.source, NULL, &all, err));
  assert_true(all->from_file);
  assert_int_equal(all->doubts, 0);
  file_close(&f);
  records_free(&set);
}

/* "path:line:column: …"; an encoded file has bytes instead of lines. */
static void trouble_is_named_with_its_place(void **state) {
  const sample *s = *state;
  record_set set = some_records(s, 0);
  char begin[512];
  dperm_error error;
  auto_data *all = NULL;
  size_t place = RECORDS / 2, line = place + 1;
  if (!s->encoded) {
    char *kept = set.at[place].line;
    size_t length = set.at[place].length;
    set.at[place].line = (char *)(uintptr_t)s->bad;
    set.at[place].length = strlen(s->bad);
    line += set.family == RECORDS_CSV && set.layout->header;
    sample_file f = file_open(s, &set);
    assert_int_equal(dperm_data_read(&f.source, NULL, &all, &error), DPERM_INVALID_DATA);
    (void)snprintf(begin, sizeof begin, "%s:%zu:%s", f.path, line,
                   *s->place == ':' ? "" : s->place);
    assert_memory_equal(error.message, begin, strlen(begin));
    set.at[place].line = kept;
    set.at[place].length = length;
    file_close(&f);
  } else {
    sample_file f = file_open(s, &set);
    encoded_file *encoded = NULL;
    assert_ok(encoded_open(f.path, &encoded, err));
    const long first = (long)encoded->pages[0].offset, where = first + 11;
    encoded_close(encoded);
    FILE *file = fopen(f.path, "r+b");
    assert_true(file && fseek(file, where, SEEK_SET) == 0);
    assert_true(fputc('x', file) == 'x' && fclose(file) == 0);
    assert_int_equal(dperm_data_read(&f.source, NULL, &all, &error), DPERM_INVALID_DATA);
    (void)snprintf(begin, sizeof begin, "%s: byte %ld: ", f.path, first);
    assert_memory_equal(error.message, begin, strlen(begin));
    file_close(&f);
  }
  records_free(&set);
}

static bool say_stop(void *context, const char *stage, uint64_t done, uint64_t total) {
  (void)context;
  (void)stage;
  (void)done;
  (void)total;
  return true;
}

static void progress_can_cancel(void **state) {
  const sample *s = *state;
  const dperm_progress progress = {.tick = say_stop};
  record_set set = some_records(s, 1);
  sample_file f = file_open(s, &set);
  auto_data *all = NULL;
  dperm_error error;
  assert_int_equal(dperm_data_read(&f.source, &progress, &all, &error), DPERM_CANCELLED);
  file_close(&f);
  records_free(&set);
}

static void empty_and_absent_files_are_refused_by_name(void **state) {
  const sample *s = *state;
  record_set set = some_records(s, 0);
  sample_file f = file_open(s, &set);
  char *empty = file_with_text("");
  dperm_data *data = NULL;
  f.source.path = empty;
  assert_fails(dperm_data_read(&f.source, NULL, &data, err), DPERM_INVALID_DATA, empty);
  f.source.path = "/nowhere/at/all";
  assert_fails(dperm_data_read(&f.source, NULL, &data, err), DPERM_IO_ERROR, "/nowhere/at/all");
  assert_null(data);
  file_remove(empty);
  file_close(&f);
  records_free(&set);
}

static void a_file_is_recognized(void **state) {
  const sample *s = *state;
  record_set set = some_records(s, 0);
  sample_file f = file_open(s, &set);
  const row_reader_kind *kind = NULL;
  char name[512];
  (void)snprintf(name, sizeof name, "%s%s", f.path, s->name ? s->name : "");
  f.source.format = DPERM_FORMAT_AUTO;
  f.source.path = name;
  assert_ok(row_reader_find(&f.source, &kind, err));
  assert_int_equal(kind->format, s->format);
  file_close(&f);
  records_free(&set);
}

int main(void) {
  static const struct {
    const char *name;
    CMUnitTestFunction test;
  } suite[] = {
      {"any number of threads gives the same records",
       any_number_of_threads_gives_the_same_records},
      {"a digest is made and fine records raise no doubts",
       digest_is_made_and_fine_records_raise_no_doubts},
      {"trouble is named with its place", trouble_is_named_with_its_place},
      {"progress can cancel", progress_can_cancel},
      {"empty and absent files are refused by name", empty_and_absent_files_are_refused_by_name},
      {"a file is recognized", a_file_is_recognized},
  };
  enum { SUITE = sizeof suite / sizeof *suite };
  static char names[SAMPLES * SUITE][96];
  struct CMUnitTest tests[SAMPLES * SUITE + 1] = {cmocka_unit_test(every_reader_has_a_sample)};
  for (size_t t = 0; t < (size_t)SAMPLES * SUITE; t++) {
    const sample *s = &samples[t / SUITE];
    (void)snprintf(names[t], sizeof names[t], "%s %s: %s", s->encoded ? "encoded" : "plain",
                   s->family == RECORDS_CSV ? "CSV" : "svmlight", suite[t % SUITE].name);
    tests[t + 1] = (struct CMUnitTest){.name = names[t],
                                       .test_func = suite[t % SUITE].test,
                                       .initial_state = (void *)(uintptr_t)s};
  }
  return cmocka_run_group_tests_name("readers", tests, NULL, NULL);
}
