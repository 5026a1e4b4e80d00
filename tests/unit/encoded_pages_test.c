/* Encoded files in pages: several of them, of a table and of sparse rows, any stretch of whose
 * records is that of the file they were made of; damage of every kind is refused: every single bit
 * that is flipped is noticed or changes nothing, and with its sums made right again no row leaves
 * its bounds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/dataset.h"
#include "encoded_image.h"
#include "read/encoded_file.h"
#include "text_buffer.h"

/* Column a is all different, b of a few thousand numbers, c a category, d the same everywhere. */
static const char schema_text[] =
    "{\"label\":{\"column\":\"y\",\"positive\":[\"p\"],\"negative\":[\"n\"]},\"columns\":["
    "{\"name\":\"a\",\"type\":\"numeric\",\"min\":0,\"max\":100000},"
    "{\"name\":\"b\",\"type\":\"numeric\",\"min\":0,\"max\":5000},"
    "{\"name\":\"no\",\"type\":\"ignore\"},"
    "{\"name\":\"c\",\"type\":\"categorical\",\"values\":[\"u\",\"v\",\"w\"]},"
    "{\"name\":\"d\",\"type\":\"numeric\",\"min\":0,\"max\":1}]}";
enum { COLUMNS = 5 };

static char *write_records(size_t rows) {
  static const char *const texts[] = {"", "x", "u", "v", "w"};
  text_buffer text = {0};
  put(&text, "a,b,c,d,no,y\n");
  for (size_t i = 0; i < rows; i++) {
    if (i % 97 != 5) {
      put(&text, "%zu.25", i);
    }
    put(&text, ",%zu,%s,0.5,-,%s\n", i * 37 % 4000, texts[i % 5], i % 3 ? "n" : "p");
  }
  char *path = file_with(text.bytes, text.length);
  free(text.bytes);
  return path;
}

static char *write_sparse(size_t rows) {
  text_buffer text = {0};
  for (size_t i = 0; i < rows; i++) {
    put(&text, "%s", i % 3 == 0 ? "1" : "-1");
    for (size_t j = i % 4; j < 20 && i % 11; j += 4 + i % 3) {
      put(&text, " %zu:0.%zu", j + 1, 1 + i % 5);
    }
    put(&text, "\n");
  }
  char *path = file_with(text.bytes, text.length);
  free(text.bytes);
  return path;
}

enum { PAGES = 3, ROWS = (PAGES - 1) * TABLE_PAGE + 777, SPARSE_DIMS = 20 };

/* Any stretch of the records, also within a page, at both ends of one, and none. */
static const size_t stretches[][2] = {{0, ROWS},
                                      {0, 1},
                                      {TABLE_PAGE - 1, 2},
                                      {TABLE_PAGE, TABLE_PAGE},
                                      {100, 2 * TABLE_PAGE},
                                      {ROWS - 1, 1},
                                      {5, 0},
                                      {ROWS, 0}};
enum { STRETCHES = sizeof stretches / sizeof *stretches };

static void same_cells(const record_table *t, const record_table *whole, size_t first,
                       size_t rows) {
  assert_int_equal(t->rows, rows);
  for (size_t i = 0; i < rows; i++) {
    for (size_t c = 0; c < COLUMNS; c++) {
      const double cells[] = {table_cell(t, i, c), table_cell(whole, first + i, c)};
      assert_true(memcmp(&cells[0], &cells[1], sizeof *cells) == 0);
    }
  }
}

TEST(a_table_of_several_pages_is_that_of_the_records) {
  auto_schema *schema = schema_quoted(schema_text);
  auto_file *csv = write_records(ROWS);
  const dperm_source source = {.path = csv, .format = DPERM_FORMAT_CSV, .schema = schema};
  auto_file *path = encoded_of(&source);
  encoded_file *file = NULL;
  auto_data *read = NULL;
  assert_ok(dperm_data_read(&source, NULL, &read, err));
  assert_int_equal(read->table->rows, ROWS);
  assert_ok(encoded_open(path, &file, err));
  assert_int_equal(file->trailer->pages, PAGES);
  for (size_t s = 0; s < STRETCHES; s++) {
    record_table *t = NULL;
    OWNED(matrix_free_at) matrix *x = NULL;
    double row[8], other[8];
    assert_ok(encoded_table(file, stretches[s][0], stretches[s][1], NULL, &t, err));
    same_cells(t, read->table, stretches[s][0], stretches[s][1]);
    assert_ok(rows_of_table(t, schema, &x, err));
    table_free(t); /* the rows have their own share, and it the file's */
    for (size_t i = 0; i < x->rows; i++) {
      x->kind->row(x, i, row);
      read->x->kind->row(read->x, stretches[s][0] + i, other);
      assert_memory_equal(row, other, x->cols * sizeof *row);
    }
  }
  static const uint32_t widths[] = {8, 2, 1, 0, 1};
  for (size_t c = 0; c < COLUMNS; c++) { /* all of them were tried */
    assert_int_equal(table_column(read->table, 0, c)->width, widths[c]);
  }
  encoded_close(file);
}

TEST(sparse_rows_of_several_pages_are_those_of_the_records) {
  auto_file *svm = write_sparse(ROWS);
  const dperm_source source = {.path = svm, .format = DPERM_FORMAT_SVMLIGHT, .dims = SPARSE_DIMS};
  auto_file *path = encoded_of(&source);
  encoded_file *file = NULL;
  auto_data *read = NULL;
  static double labels[ROWS];
  assert_ok(dperm_data_read(&source, NULL, &read, err));
  assert_ok(encoded_open(path, &file, err));
  assert_int_equal(file->trailer->pages, PAGES);
  for (size_t s = 0; s < STRETCHES; s++) {
    const size_t from = stretches[s][0], count = stretches[s][1];
    OWNED(matrix_free_at) matrix *x = NULL;
    assert_ok(encoded_rows(file, from, count, NULL, &x, labels, err));
    assert_memory_equal(labels, read->labels + from, count * sizeof *labels);
    for (size_t i = 0; i < count; i++) {
      double row[SPARSE_DIMS], other[SPARSE_DIMS];
      x->kind->row(x, i, row);
      read->x->kind->row(read->x, from + i, other);
      assert_memory_equal(row, other, sizeof row);
    }
  }
  encoded_close(file);
}

/* ---- damage */

/* Both kinds, of so many records. */
static encoded_image some_image(bool sparse, size_t rows) {
  auto_schema *schema = sparse ? NULL : schema_quoted(schema_text);
  auto_file *path = sparse ? write_sparse(rows) : write_records(rows);
  dperm_source source = {.path = path, .format = DPERM_FORMAT_CSV, .schema = schema};
  if (sparse) {
    source = (dperm_source){.path = path, .format = DPERM_FORMAT_SVMLIGHT, .dims = SPARSE_DIMS};
  }
  encoded_image m = image_of(&source);
  return m;
}

static void refuse(const encoded_image *m, size_t size, const char *words) {
  dperm_data *data = NULL;
  assert_fails(image_read(m, size, &data, err), DPERM_INVALID_DATA, words);
  assert_null(data);
}

/* A damaged page is named by its place, and only by who needs its records. */
TEST(a_damaged_page_is_named_by_its_place) {
  for (int sparse = 0; sparse < 2; sparse++) {
    encoded_image m = some_image(sparse, ROWS);
    for (size_t p = 0; p < PAGES; p++) {
      const encoded_page page = image_page(&m, p);
      unsigned char *byte = m.bytes + page.offset + page.size / 2;
      char place[64];
      (void)snprintf(place, sizeof place, "byte %llu: the sum of a page is wrong",
                     (unsigned long long)page.offset);
      *byte ^= 0x10;
      refuse(&m, m.size, place);
      char *path = file_with((const char *)m.bytes, m.size);
      encoded_file *file = NULL;
      record_table *t = NULL;
      matrix *x = NULL;
      double label;
      assert_ok(encoded_open(path, &file, err));
      for (size_t other = 0; other < PAGES; other++) {
        const size_t row = other * TABLE_PAGE + 3;
        dperm_status status = sparse ? encoded_rows(file, row, 1, NULL, &x, &label, NULL)
                                     : encoded_table(file, row, 1, NULL, &t, NULL);
        assert_int_equal(status, p == other ? DPERM_INVALID_DATA : DPERM_OK);
        table_free(t);
        matrix_free(x);
        t = NULL;
        x = NULL;
      }
      encoded_close(file);
      file_remove(path);
      *byte ^= 0x10;
    }
    image_free(&m);
  }
}

/* A directory that lies, under sums that are right. */
TEST(pages_that_cannot_be_are_refused) {
  for (int sparse = 0; sparse < 2; sparse++) {
    encoded_image m = some_image(sparse, ROWS);
    const encoded_page first = image_page(&m, 0), second = image_page(&m, 1);
    const encoded_page wrong[][2] = {{second, first},
                                     {first, first},
                                     {{first.offset, first.size, first.rows - 1, 0}, second},
                                     {{first.offset, first.size, first.rows + 1, 0}, second},
                                     {{first.offset, first.size, 0, 0}, second},
                                     {{first.offset + 8, first.size - 8, first.rows, 0}, second},
                                     {{first.offset, first.size - 8, first.rows, 0}, second},
                                     {{first.offset, first.size + 4, first.rows, 0}, second},
                                     {{first.offset, UINT64_MAX - 7, first.rows, 0}, second},
                                     {{first.offset, m.size, first.rows, 0}, second}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
      memcpy(m.bytes + m.trailer.directory, wrong[i], sizeof wrong[i]);
      encoded_seal(m.bytes, m.size);
      refuse(&m, m.size, "a page is not what it must be");
    }
    const encoded_page right[] = {first, second};
    memcpy(m.bytes + m.trailer.directory, right, sizeof right);
    encoded_trailer trailers[8];
    for (size_t i = 0; i < 8; i++) {
      trailers[i] = m.trailer;
    }
    trailers[0].rows += TABLE_PAGE;
    trailers[1].rows = 0;
    trailers[2].rows = UINT64_MAX;
    trailers[3].pages++;
    trailers[4].pages = UINT64_MAX;
    trailers[5].directory -= sizeof(encoded_page);
    trailers[6].flags = 16; /* which no encoder notes */
    trailers[7].most_entries = SPARSE_DIMS + 1;
    for (size_t i = 0; i < 8; i++) {
      memcpy(m.bytes + m.size - sizeof m.trailer, &trailers[i], sizeof m.trailer);
      encoded_seal(m.bytes, m.size);
      refuse(&m, m.size, "the trailer makes no sense");
    }
    memcpy(m.bytes + m.size - sizeof m.trailer, &m.trailer, sizeof m.trailer);
    encoded_seal(m.bytes, m.size);
    dperm_data *data = NULL;
    assert_ok(image_read(&m, m.size, &data, err)); /* all put back */
    dperm_data_free(data);
    image_free(&m);
  }
}

/* ---- every bit */

static bool same_data(const dperm_data *a, const dperm_data *b) {
  bool same = a->x->rows == b->x->rows && a->x->cols == b->x->cols && a->doubts == b->doubts &&
              memcmp(a->file_digest, b->file_digest, FILE_DIGEST_SIZE) == 0 &&
              memcmp(a->labels, b->labels, a->x->rows * sizeof *a->labels) == 0;
  for (size_t i = 0; same && i < a->x->rows; i++) {
    double row[64], other[64];
    assert_true(a->x->cols <= 64);
    a->x->kind->row(a->x, i, row);
    b->x->kind->row(b->x, i, other);
    same = memcmp(row, other, a->x->cols * sizeof *row) == 0;
  }
  return same;
}

/* The only bytes that say nothing are those that fill up the schema to eight. */
TEST(a_flipped_bit_is_refused_or_changes_nothing) {
  for (int sparse = 0; sparse < 2; sparse++) {
    encoded_image m = some_image(sparse, 13);
    dperm_data *good = NULL;
    size_t accepted = 0;
    assert_ok(image_read(&m, m.size, &good, err));
    for (size_t bit = 0; bit < 8 * m.size; bit++) {
      auto_data *data = NULL;
      dperm_error error = {DPERM_OK, ""};
      m.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
      if (image_read(&m, m.size, &data, &error) == DPERM_OK) {
        assert_true(same_data(good, data));
        accepted++;
      } else {
        assert_null(data);
        assert_true(strlen(error.message) > 20 && !strchr(error.message, '\n'));
      }
      m.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    size_t frame = sizeof m.header + (size_t)m.header.schema_length;
    assert_int_equal(accepted, 8 * (encoded_aligned(frame) - frame));
    dperm_data_free(good);
    image_free(&m);
  }
}

static void check_bounds(const dperm_data *data) {
  for (size_t i = 0; i < data->x->rows && data->x->cols <= 64; i++) {
    double row[64], sum = 0;
    data->x->kind->row(data->x, i, row);
    for (size_t j = 0; j < data->x->cols; j++) {
      sum += row[j] * row[j];
    }
    assert_true(sum <= 1 + 1e-12 && fabs(data->labels[i]) == 1);
  }
}

/* What a hand that knows the sums can do: other rows, within the bounds of the file's schema and of
 * one with bins and pairs. */
TEST(a_flipped_bit_under_right_sums_leaves_rows_in_their_bounds) {
  auto_schema *other = schema_quoted(
      "{\"label\":{\"column\":\"y\",\"positive\":[\"p\"],\"negative\":[\"n\"]},\"columns\":["
      "{\"name\":\"a\",\"type\":\"numeric\",\"min\":0,\"max\":90000,\"bins\":4,\"line\":2},"
      "{\"name\":\"b\",\"type\":\"numeric\",\"min\":0,\"max\":5000,\"bins\":[1000,2000]},"
      "{\"name\":\"no\",\"type\":\"ignore\"},"
      "{\"name\":\"c\",\"type\":\"categorical\",\"groups\":{\"z\":[\"u\",\"w\"],\"rest\":\"*\"}},"
      "{\"name\":\"d\",\"type\":\"ignore\"}],"
      "\"on_missing\":\"category\",\"crosses\":[[\"a\",\"c\"],[\"b\",\"c\"]]}");
  for (int sparse = 0; sparse < 2; sparse++) {
    encoded_image m = some_image(sparse, 13);
    unsigned char *changed = malloc(m.size);
    size_t accepted = 0, refused = 0;
    assert_non_null(changed);
    for (size_t bit = 0; bit < 8 * m.size; bit++) {
      encoded_image now = m;
      dperm_data *data = NULL, view = {0};
      memcpy(changed, m.bytes, m.size);
      changed[bit / 8] ^= (unsigned char)(1u << bit % 8);
      encoded_seal(changed, m.size);
      now.bytes = changed;
      if (image_read(&now, m.size, &data, NULL) == DPERM_OK) {
        check_bounds(data);
        if (data->table && data_view_open(data, other, &view, NULL) == DPERM_OK) {
          check_bounds(&view);
        }
        accepted++;
      } else {
        refused++;
      }
      data_view_close(&view);
      dperm_data_free(data);
    }
    assert_true(accepted > 500 && refused > 1000);
    free(changed);
    image_free(&m);
  }
}
