/* A file read in pieces by several threads, with the quick way for usual records and a memory of
 * short texts, is the file read record by record and byte by byte without: the same cells to the
 * bit, the same counts, the same message at the same place. Records of every kind are mixed at
 * random: quotes, line ends inside of them, blanks, tabs, comments, blank lines, CRLF, missing and
 * unknown values, numbers in many forms and out of range. */
#include <stdio.h>
#include <stdlib.h>

#include "base/thread_pool.h"
#include "data/dataset.h"
#include "read/csv.h"
#include "support.h"

static const char schema_text[] =
    "{\"missing\": [\"?\", \"\", \"0.00x\"], \"comment\": \"#\", \"on_missing\": \"zero\","
    "\"label\": {\"column\": \"y\", \"positive\": [\"yes\", \"a longer label\"], \"negative\": "
    "[\"no\"]},"
    "\"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 50},"
    "{\"name\": \"b\", \"type\": \"categorical\", \"values\": [\"red\", \"green\", \"a very long "
    "value of a category\", \"a very long colour of a category\"]},"
    "{\"name\": \"c\", \"type\": \"numeric\", \"min\": -2, \"max\": 3, \"scale\": \"center\"},"
    "{\"name\": \"d\", \"type\": \"ignore\"},"
    "{\"name\": \"e\", \"type\": \"numeric\", \"min\": 0, \"max\": 1000, \"transform\": "
    "\"log1p\"}]}";

typedef struct text {
  char *bytes;
  size_t length, capacity;
} text;

static void put(text *t, const char *more) {
  size_t length = strlen(more);
  if (t->length + length + 1 > t->capacity) {
    t->capacity = 2 * t->capacity + length + 1;
    t->bytes = realloc(t->bytes, t->capacity);
    assert_non_null(t->bytes);
  }
  memcpy(t->bytes + t->length, more, length + 1);
  t->length += length;
}

static const char *one_of(random_source *r, const char *const *list, size_t count) {
  return list[random_bits(r) % count];
}
#define ONE_OF(r, ...)                                                                             \
  one_of(r, (const char *const[]){__VA_ARGS__},                                                    \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* A record; `odd` of 100 fields are of the rarer kinds. */
static void put_record(random_source *r, text *t, uint64_t odd, const char *line_end) {
  bool rare[6];
  for (int i = 0; i < 6; i++) {
    rare[i] = random_bits(r) % 100 < odd;
  }
  put(t, rare[0] ? ONE_OF(r, "?", "", " 7", "\"8\"", "1e1", "-3", "99", "\t4", "+5", "0.000001")
                 : ONE_OF(r, "0", "1", "12", "3.25", "0.00", "1.00"));
  put(t, ",");
  put(t, rare[1]
             ? ONE_OF(r, "blue", "\"red\"", "?", " green ", "\"two\nlines, and \"\"quotes\"\"\"")
             : ONE_OF(r, "red", "green", "a very long value of a category",
                      "a very long colour of a category"));
  put(t, ",");
  put(t, rare[2] ? ONE_OF(r, "?", "5", "-9", "1234567890123456789", "1.5e-3")
                 : ONE_OF(r, "0", "2", "-1.5", "0.50", "3"));
  put(t, ",");
  put(t, rare[3] ? ONE_OF(r, "\"quoted, ignored\"", "", " ", "a\"b") : ONE_OF(r, "x", "whatever"));
  put(t, ",");
  put(t, rare[4] ? ONE_OF(r, "1001", "?", " 0") : ONE_OF(r, "0", "17", "999.9", "0.00"));
  put(t, ",");
  put(t, rare[5] ? ONE_OF(r, " yes", "\"no\"", "no ") : ONE_OF(r, "yes", "no", "a longer label"));
  put(t, line_end);
}

static text some_file(uint64_t seed, size_t records, uint64_t odd) {
  random_source r;
  text t = {NULL, 0, 0};
  assert_ok(random_seeded(seed, &r, err));
  const char *line_end = seed % 3 == 1 ? "\r\n" : "\n";
  put(&t, "a,b,c,d,e,y");
  put(&t, line_end);
  for (size_t i = 0; i < records; i++) {
    if (odd && random_bits(&r) % 200 == 0) {
      put(&t, ONE_OF(&r, "# a comment, \"with a quote", "#", "", "   "));
      put(&t, line_end);
    }
    bool last = i + 1 == records && seed % 2;
    size_t before = t.length;
    put_record(&r, &t, odd, last ? "" : line_end);
    for (uint64_t again = seed % 4 ? 0 : random_bits(&r) % 6; again > 0 && !last; again--) {
      OWNED_MEMORY char *copy = strdup(t.bytes + before); /* the same record once more */
      assert_non_null(copy);
      put(&t, copy);
      before = t.length - strlen(copy);
    }
  }
  return t;
}

/* ---- the two ways */

typedef struct outcome {
  dperm_status status;
  dperm_error err;
  record_table *table; /* what came of it, also where it ended early */
  dperm_unsafe_column_counts counts[5];
  unsigned doubts[2];
  size_t line;
  unsigned char digest[FILE_DIGEST_SIZE];
} outcome;

/* Adds to the table that grows in its context. */
static dperm_status gather(void *context, const record_batch *batches, size_t count,
                           const growing_rows *rows, dperm_error *error) {
  assert_null(rows);
  return table_builder_add(context, batches, count, error);
}

static dperm_status read_slowly(const csv_columns *columns, cell_reader *cells, csv_reader *csv,
                                table_builder *b, dperm_error *error) {
  OWNED(batch_clear) record_batch one = {0};
  csv->by_bytes = true;
  cells->known_columns = 0;
  for (bool found = true; found;) {
    TRY(batch_reserve(&one, columns->kept_count, 1, error));
    TRY(csv_columns_next(columns, cells, csv, &one, &found, error));
    TRY(table_builder_add(b, &one, 1, error));
  }
  return DPERM_OK;
}

/* No threads: record by record, without `take`. */
static outcome read_file(const char *path, const dperm_schema *schema, int threads,
                         batch_taker *take) {
  outcome o = {.status = DPERM_OK};
  csv_reader csv;
  csv_columns columns;
  cell_reader cells;
  table_builder b;
  assert_ok(csv_open(path, NULL, ',', "#", NULL, true, &csv, err));
  assert_ok(csv_columns_open(schema, true, false, &csv, &columns, err));
  assert_ok(cell_reader_open(schema, true, &cells, err));
  assert_ok(table_builder_open(schema, NULL, NULL, &b, err));
  thread_scope scope = threads_enter(threads ? threads : 1);
  o.status = threads ? csv_parallel_read(&csv, &columns, &cells, take, &b, &o.err)
                     : read_slowly(&columns, &cells, &csv, &b, &o.err);
  threads_leave(&scope);
  assert_ok(table_builder_finish(&b, &o.table, err));
  memcpy(o.counts, cells.counts, sizeof o.counts);
  o.doubts[0] = csv.doubts_first;
  o.doubts[1] = csv.doubts_further;
  o.line = csv.next_line;
  assert_true(byte_source_digested(csv.window.source, o.digest));
  table_builder_close(&b);
  cell_reader_close(&cells);
  csv_columns_close(&columns);
  csv_close(&csv);
  return o;
}

static void same_cells(const record_table *a, const record_table *b) {
  assert_int_equal(a->rows, b->rows);
  assert_int_equal(a->layout.count, b->layout.count);
  for (size_t i = 0; i < a->rows; i++) {
    for (size_t c = 0; c < a->layout.count; c++) {
      const double cells[2] = {table_cell(a, i, c), table_cell(b, i, c)};
      assert_true(memcmp(&cells[0], &cells[1], sizeof *cells) == 0);
    }
  }
}

static void same(const outcome *a, const outcome *b) {
  assert_int_equal(a->status, b->status);
  if (a->status != DPERM_OK) {
    assert_string_equal(a->err.message, b->err.message);
    return;
  }
  same_cells(a->table, b->table);
  assert_memory_equal(a->counts, b->counts, sizeof a->counts);
  assert_memory_equal(a->doubts, b->doubts, sizeof a->doubts);
  assert_memory_equal(a->digest, b->digest, sizeof a->digest);
  assert_int_equal(a->line, b->line);
}

/* Reads the bytes both ways, with one thread and with several; how it ended. */
static dperm_status compare(const text *t) {
  auto_file *path = file_with(t->bytes, t->length);
  auto_schema *schema = NULL;
  assert_ok(dperm_schema_parse(schema_text, sizeof schema_text - 1, "s", &schema, err));
  outcome slow = read_file(path, schema, 0, NULL);
  for (int threads = 1; threads <= 3; threads++) {
    outcome quick = read_file(path, schema, threads, gather);
    same(&slow, &quick);
    table_free(quick.table);
  }
  dperm_status status = slow.status;
  table_free(slow.table);
  return status;
}

/* ---- tests */

TEST(pieces_make_the_same_cells) {
  for (uint64_t seed = 0; seed < 12; seed++) {
    static const uint64_t odd[] = {0, 1, 20};
    size_t records = seed < 6 ? 60000 : 50 * (size_t)seed;
    text t = some_file(seed, records, odd[seed / 2 % 3]);
    assert_int_equal(compare(&t), DPERM_OK);
    free(t.bytes);
  }
}

static int refusals;

/* Takes one span and no more. */
static dperm_status refuse(void *context, const record_batch *batches, size_t count,
                           const growing_rows *rows, dperm_error *error) {
  if (((table_builder *)context)->table->rows > 0) {
    refusals++;
    return error_set(error, DPERM_IO_ERROR, "the disk is full");
  }
  return gather(context, batches, count, rows, error);
}

TEST(records_that_cannot_be_taken_end_the_reading) {
  text t = some_file(3, 60000, 0);
  char *path = file_with(t.bytes, t.length);
  dperm_schema *schema = NULL;
  assert_ok(dperm_schema_parse(schema_text, sizeof schema_text - 1, "s", &schema, err));
  for (int threads = 1; threads <= 3; threads++) {
    refusals = 0;
    outcome o = read_file(path, schema, threads, refuse);
    assert_int_equal(refusals, 1); /* a taker is not asked again with what it may have moved */
    assert_int_equal(o.status, DPERM_IO_ERROR);
    assert_string_equal(o.err.message, "the disk is full");
    assert_true(o.table->rows > 0 && o.table->rows < 60000);
    table_free(o.table);
  }
  dperm_schema_free(schema);
  file_remove(path);
  free(t.bytes);
}

/* Trouble anywhere: the message has the line and column of a reader that never looked ahead. */
TEST(trouble_is_reported_where_it_is) {
  random_source r;
  static const char *const trouble[] = {"1,red,0,x,5\n",        "1,red,zero,x,5,yes\n",
                                        "1,red,0,x,5,maybe\n",  "1,\"red\"x,0,x,5,yes\n",
                                        "1,red,0,x,5,yes,no\n", "1,red,0,\"never closed,5,yes\n",
                                        "nan,red,0,x,5,yes\n"};
  assert_ok(random_seeded(7, &r, err));
  for (uint64_t i = 0; i < 14; i++) {
    text t = some_file(100 + 2 * i, 30000, i % 2 ? 2 : 0), cut = {NULL, 0, 0};
    size_t at = t.length / 2 + random_bits(&r) % (t.length / 3);
    while (t.bytes[at - 1] != '\n') {
      at++;
    }
    char kept = t.bytes[at];
    t.bytes[at] = '\0';
    put(&cut, t.bytes);
    put(&cut, trouble[i % 7]);
    t.bytes[at] = kept;
    put(&cut, t.bytes + at);
    (void)compare(&cut); /* inside of quotes it may be no trouble at all */
    if (i % 2 == 0 && compare(&cut) == DPERM_OK) {
      fail_msg("trouble %d was not seen", (int)i % 7);
    }
    if (i == 0) { /* a NUL byte too */
      cut.bytes[cut.length / 2] = '\0';
      assert_int_equal(compare(&cut), DPERM_INVALID_DATA);
    }
    free(t.bytes);
    free(cut.bytes);
  }
}

/* A callback that asks for more threads while a file is read on two. */
static bool ask_for_threads(void *context, const char *what, uint64_t done, uint64_t of) {
  if (++*(int *)context == 3) {
    (void)threads_enter(6);
  }
  return false;
}

TEST(more_threads_may_come_meanwhile) {
  text t = some_file(4, 60000, 0);
  char *path = file_with(t.bytes, t.length);
  dperm_schema *schema = NULL;
  int calls = 0;
  const dperm_progress progress = {.tick = ask_for_threads, .context = &calls};
  assert_ok(dperm_schema_parse(schema_text, sizeof schema_text - 1, "s", &schema, err));
  outcome slow = read_file(path, schema, 0, NULL);
  const dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  dperm_data *data = NULL;
  thread_scope scope = threads_enter(2);
  assert_ok(dperm_data_read(&source, &progress, &data, err));
  threads_leave(&scope);
  assert_true(calls > 3);
  same_cells(data->table, slow.table);
  table_free(slow.table);
  dperm_data_free(data);
  dperm_schema_free(schema);
  file_remove(path);
  free(t.bytes);
}
