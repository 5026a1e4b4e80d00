/* Tables in pages: packed columns give their cells back to the bit, whatever they hold; a builder
 * cuts pages where they are full, however the records come; parts of a table are its records.
 * encoded_pages_test.c has the same pages in a file. */
#include <math.h>
#include <stdlib.h>

#include "support.h"
#include "table/table.h"

static bool same_bits(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

static double of_bits(uint64_t bits) {
  double out;
  memcpy(&out, &bits, sizeof out);
  return out;
}

/* ---- packed columns */

/* So many different numbers, those that are odd first: equal ones of other bits, and NaNs. */
static double number(size_t i) {
  static const uint64_t odd[] = {0x7ff8000000000000, 0, 0x8000000000000000, 0x7ff8000000000001,
                                 0xfff8000000000000, 1, 0x7fefffffffffffff};
  return i < 7 ? of_bits(odd[i]) : (double)i / 7;
}

/* Of `count` cells, each number in turn, or in runs; the width that they are packed in. One packer
 * for all, which is to forget the page before. */
static uint32_t pack_and_compare(column_packer *packer, size_t count, size_t distinct, bool runs) {
  static double cells[TABLE_PAGE];
  packed_column p;
  for (size_t i = 0; i < count; i++) {
    cells[i] = number(runs ? i * distinct / count : i % distinct);
  }
  assert_ok(packer_add(packer, cells, count / 3, err));
  assert_ok(packer_add(packer, cells + count / 3, count - count / 3, err));
  assert_ok(packer_end(packer, &p, err));
  for (size_t i = 0; i < count; i++) {
    assert_true(same_bits(packed_value(&p, i), cells[i]));
  }
  assert_int_equal(p.distinct, p.width == 8 ? count : distinct);
  free((void *)p.values);
  return p.width;
}

TEST(packed_cells_come_back_to_the_bit) {
  static const size_t counts[] = {1, 2, 3, 4, 7, 513, 1000, TABLE_PAGE - 1, TABLE_PAGE};
  static const size_t kinds[] = {1, 2, 3, 7, 31, 32, 33, 255, 256, 257, 500, 8191, 8192};
  size_t met[9] = {0};
  column_packer *packer = NULL;
  assert_ok(packer_new(&packer, err));
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && kinds[k] <= counts[c]; k++) {
      const size_t count = counts[c], distinct = kinds[k];
      bool few = 2 * distinct <= count + 1; /* at most half have numbers of their own */
      uint32_t wanted = distinct == 1 ? 0 : !few ? 8 : distinct <= 256 ? 1 : 2;
      for (int runs = 0; runs < 2; runs++) {
        uint32_t width = pack_and_compare(packer, count, distinct, runs);
        assert_int_equal(width, wanted);
        met[width]++;
      }
    }
    (void)pack_and_compare(packer, counts[c], counts[c], true); /* all different */
  }
  packer_free(packer);
  assert_true(met[0] && met[1] && met[2] && met[8]);
}

/* ---- tables in memory */

/* Column a is all different, b of a few thousand numbers, c a category, d the same everywhere. */
static const char schema_text[] =
    "{\"label\":{\"column\":\"y\",\"positive\":[\"p\"],\"negative\":[\"n\"]},\"columns\":["
    "{\"name\":\"a\",\"type\":\"numeric\",\"min\":0,\"max\":100000},"
    "{\"name\":\"b\",\"type\":\"numeric\",\"min\":0,\"max\":5000},"
    "{\"name\":\"no\",\"type\":\"ignore\"},"
    "{\"name\":\"c\",\"type\":\"categorical\",\"values\":[\"u\",\"v\",\"w\"]},"
    "{\"name\":\"d\",\"type\":\"numeric\",\"min\":0,\"max\":1}]}";
enum { COLUMNS = 5 };

static double cell_at(size_t row, size_t column) {
  switch (column) {
  case 0:
    return row % 97 == 5 ? (double)NAN : (double)row + 0.25;
  case 1:
    return (double)(row * 37 % 4000);
  case 2:
    return (double)(row % 5); /* missing, unknown, and the three (table/cell.h) */
  case 3:
    return 0.5;
  default:
    return (double)(row % 3 == 0);
  }
}

static bool same_cell(double a, double b) {
  return (isnan(a) && isnan(b)) || same_bits(a, b);
}

static void check_table(const record_table *t, size_t first, size_t rows) {
  assert_int_equal(t->rows, rows);
  assert_int_equal(t->layout.count, COLUMNS);
  for (size_t i = 0; i < rows; i++) {
    for (size_t c = 0; c < COLUMNS; c++) {
      assert_true(same_cell(table_cell(t, i, c), cell_at(first + i, c)));
    }
  }
}

typedef struct taken {
  size_t rows, pages, most; /* after `most` pages it says no */
} taken;

static dperm_status take_page(void *context, const packed_column *columns, size_t rows,
                              dperm_error *error) {
  taken *t = context;
  assert_true(rows > 0 && rows <= TABLE_PAGE);
  assert_int_equal(t->rows, t->pages * TABLE_PAGE); /* all before it were full */
  if (t->pages == t->most) {
    return error_set(error, DPERM_IO_ERROR, "the disk is full");
  }
  for (size_t i = 0; i < rows; i++) {
    for (size_t c = 0; c < COLUMNS; c++) {
      assert_true(same_cell(packed_value(&columns[c], i), cell_at(t->rows + i, c)));
    }
  }
  t->rows += rows;
  t->pages++;
  return DPERM_OK;
}

/* Records in batches of these sizes, round and round, three at a time. */
static dperm_status build(const dperm_schema *schema, size_t rows, const size_t sizes[3],
                          page_taker *take, taken *context, record_table **out,
                          dperm_error *error) {
  OWNED(table_builder_close) table_builder b = {0};
  record_batch batches[3] = {{0}};
  dperm_status status = table_builder_open(schema, take, context, &b, error);
  for (size_t at = 0; status == DPERM_OK && at < rows;) {
    for (size_t k = 0; k < 3; k++) {
      size_t count = sizes[k] < rows - at ? sizes[k] : rows - at;
      assert_ok(batch_reserve(&batches[k], COLUMNS, sizes[k] + k, err));
      for (size_t c = 0; c < COLUMNS; c++) {
        for (size_t i = 0; i < count; i++) {
          batches[k].cells[c * batches[k].capacity + i] = cell_at(at + i, c);
        }
      }
      batches[k].count = count;
      at += count;
    }
    status = table_builder_add(&b, batches, 3, error);
  }
  status = status == DPERM_OK ? table_builder_finish(&b, out, error) : status;
  for (size_t k = 0; k < 3; k++) {
    batch_clear(&batches[k]);
  }
  return status;
}

TEST(pages_end_where_they_are_full) {
  static const size_t rows[] = {
      0, 1, TABLE_PAGE - 1, TABLE_PAGE, TABLE_PAGE + 1, 2 * TABLE_PAGE, 3 * TABLE_PAGE + 500};
  static const size_t sizes[][3] = {{1000, 1, 7},
                                    {TABLE_PAGE, TABLE_PAGE, TABLE_PAGE},
                                    {TABLE_PAGE - 1, 1, 2 * TABLE_PAGE},
                                    {3, 3 * TABLE_PAGE, 90}};
  auto_schema *schema = schema_quoted(schema_text);
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      const size_t pages = (rows[r] + TABLE_PAGE - 1) / TABLE_PAGE;
      record_table *kept = NULL, *left = NULL, *none = NULL;
      taken all = {.most = SIZE_MAX}, some = {.most = 1};
      assert_ok(build(schema, rows[r], sizes[s], NULL, NULL, &kept, err));
      check_table(kept, 0, rows[r]);
      assert_int_equal(kept->page_count, pages);
      assert_ok(build(schema, rows[r], sizes[s], take_page, &all, &left, err));
      assert_true(all.rows == rows[r] && all.pages == pages);
      assert_int_equal(left->rows, rows[r]); /* though others have the pages */
      if (pages > 1) {
        assert_fails(build(schema, rows[r], sizes[s], take_page, &some, &none, err), DPERM_IO_ERROR,
                     "full");
        assert_null(none);
      }
      table_free(kept);
      table_free(left);
    }
  }
}

static record_table *table_of(const dperm_schema *schema, size_t rows) {
  static const size_t sizes[] = {5000, 5000, 5000};
  record_table *out = NULL;
  assert_ok(build(schema, rows, sizes, NULL, NULL, &out, err));
  return out;
}

/* Of the whole, and of what is left of it; over more than a page, in any order, some twice. */
TEST(selected_records_are_those_of_the_table) {
  enum { ROWS = 2 * TABLE_PAGE + 100, CHOSEN = TABLE_PAGE + 9000 };
  static size_t chosen[CHOSEN];
  auto_schema *schema = schema_quoted(schema_text);
  record_table *t = table_of(schema, ROWS), *part = NULL, *none = NULL;
  for (size_t skipped = 0; skipped < 2 * TABLE_PAGE; skipped += TABLE_PAGE - 10) {
    size_t left = ROWS - skipped;
    if (skipped > 0) {
      table_keep(t, TABLE_PAGE - 10, left);
    }
    check_table(t, skipped, left);
    for (size_t i = 0; i < CHOSEN; i++) {
      chosen[i] = (left - 1) * (i % 7) / 6 + (i * 7919 + i / 3) % left;
      chosen[i] = chosen[i] < left ? chosen[i] : i % left;
    }
    assert_ok(table_select(t, NULL, 0, chosen, CHOSEN, &part, err));
    assert_int_equal(part->rows, CHOSEN);
    for (size_t i = 0; i < CHOSEN; i++) {
      for (size_t c = 0; c < COLUMNS; c++) {
        assert_true(same_cell(table_cell(part, i, c), cell_at(skipped + chosen[i], c)));
      }
    }
    table_free(part);
  }
  assert_ok(table_select(t, NULL, 0, NULL, 0, &none, err));
  assert_int_equal(none->rows, 0);
  table_free(none);
  table_free(t);
}
