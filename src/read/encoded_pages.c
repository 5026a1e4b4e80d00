/* Pages of an encoded file, checked and then used where they stand. What is checked of a cell_value
 * is what cell.c makes: a number within its column's range or NaN, the code of a category, the
 * index of a class; rows made of such cells are within the bounds of any schema (table/rows.c). A
 * sparse row has its columns ascending and ‖x‖₂ ≤ 1 in exact arithmetic. */
#include <math.h>

#include "base/double_double.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/thread_pool.h"
#include "matrix/equal_rows.h"
#include "read/row_reader.h"
#include "schema/row_norm.h"
#include "table/cell.h"

static const unsigned char *page_bytes(const encoded_file *file, size_t page) {
  return file->bytes + file->pages[page].offset;
}

/* ---- pages of a record_table */

/* Column c of a page, whose descriptors are within it; false where it is not. */
static bool find_column(const encoded_file *file, size_t page, size_t c, packed_column *out) {
  const encoded_page *p = &file->pages[page];
  const encoded_column *given = (const encoded_column *)(const void *)page_bytes(file, page) + c;
  const uint64_t indexes = given->width == 8 ? 0 : (uint64_t)given->width * p->rows;
  bool right = given->values % ENCODED_UNIT == 0 && given->values <= p->size &&
               given->distinct >= 1 && given->distinct <= p->rows &&
               given->distinct * sizeof(double) + indexes <= p->size - given->values;
  right = right && (given->width == 0   ? given->distinct == 1
                    : given->width == 8 ? given->distinct == p->rows
                                        : given->width == 1 || given->width == 2);
  if (!right) {
    return false;
  }
  const unsigned char *values = page_bytes(file, page) + given->values;
  *out = (packed_column){given->distinct, given->width, (const double *)(const void *)values,
                         values + given->distinct * sizeof(double)};
  return true;
}

/* Below `codes` and whole. */
static bool is_code(double value, size_t codes) {
  return value >= 0 && value < (double)codes && value == floor(value);
}

static bool cell_holds(const dperm_schema *schema, size_t place, double value) {
  if (place == schema->column_count) {
    const schema_column *target = schema->target;
    return target ? value >= target->min && value <= target->max
                  : is_code(value, schema->classes.count);
  }
  const schema_column *column = &schema->columns[place];
  if (place == schema->person) {
    return is_code(value, INT32_MAX);
  }
  return column->type == COLUMN_NUMERIC
             ? isnan(value) || (value >= column->min && value <= column->max)
             : is_code(value, column->categories.count + CELL_CATEGORY);
}

static bool column_holds(const dperm_schema *schema, size_t place, const packed_column *p,
                         size_t rows) {
  for (size_t i = 0; i < p->distinct; i++) {
    if (!cell_holds(schema, place, p->values[i])) {
      return false;
    }
  }
  for (size_t i = 0; (p->width == 1 || p->width == 2) && i < rows; i++) {
    size_t index =
        p->width == 1 ? ((const uint8_t *)p->indexes)[i] : ((const uint16_t *)p->indexes)[i];
    if (index >= p->distinct) {
      return false;
    }
  }
  return true;
}

static bool table_page_holds(const encoded_file *file, const record_table *t, size_t page) {
  const size_t columns = t->layout.count;
  bool right = file->pages[page].size >= columns * sizeof(encoded_column);
  for (size_t c = 0; right && c < columns; c++) {
    packed_column packed;
    right = find_column(file, page, c, &packed) &&
            column_holds(file->schema, t->layout.places[c], &packed, file->pages[page].rows);
  }
  return right;
}

/* ---- pages of sparse rows */

typedef struct sparse_page {
  const uint64_t *starts;
  const double *labels, *values;
  const uint32_t *columns;
} sparse_page;

static sparse_page sparse_page_of(const encoded_file *file, size_t page) {
  const size_t rows = file->pages[page].rows;
  sparse_page p = {.starts = (const uint64_t *)(const void *)page_bytes(file, page)};
  p.labels = (const double *)(const void *)(p.starts + rows + 1);
  p.values = p.labels + rows;
  p.columns = (const uint32_t *)(const void *)(p.values + p.starts[rows]);
  return p;
}

/* ‖x‖₂ ≤ 1. The reader leaves a row alone where row_norm_upper says so, and else makes its norm at
 * most 1 − 2^−54 (row_norm.c), so that Σx² ≤ 1 − 2^−54: twice the precision tells that from 1, with
 * errors below 2^−80 for any number of entries there can be. */
static bool within_norm(const double *values, size_t count) {
  if (row_norm_upper(values, count) <= 1.0) {
    return true;
  }
  double_double sum = {0, 0};
  for (size_t e = 0; e < count; e++) {
    sum = dd_add(sum, two_product(values[e], values[e]));
  }
  return (sum.hi - 1.0) + sum.lo <= -0x1p-70;
}

static bool row_holds(const encoded_file *file, const sparse_page *p, size_t i) {
  const uint64_t from = p->starts[i], count = p->starts[i + 1] - from;
  uint64_t next = 0; /* the least column that may come */
  bool right = count <= file->trailer->most_entries && fabs(p->labels[i]) == 1;
  for (uint64_t e = from; right && e < from + count; e++) {
    right =
        p->columns[e] >= next && p->columns[e] < file->header->dims && fabs(p->values[e]) <= 1.0;
    next = (uint64_t)p->columns[e] + 1;
  }
  return right && within_norm(p->values + from, (size_t)count);
}

static bool sparse_page_holds(const encoded_file *file, const record_table *t, size_t page) {
  const uint64_t rows = file->pages[page].rows, size = file->pages[page].size;
  const uint64_t fixed = (2 * rows + 1) * sizeof(uint64_t);
  if (size < fixed) {
    return false;
  }
  const uint64_t *starts = (const uint64_t *)(const void *)page_bytes(file, page);
  bool right = starts[0] == 0 && starts[rows] <= (size - fixed) / 12 &&
               encoded_aligned((size_t)(fixed + 12 * starts[rows])) == size;
  for (uint64_t i = 0; right && i < rows; i++) {
    right = starts[i] <= starts[i + 1] && starts[i + 1] <= starts[rows];
  }
  const sparse_page p = right ? sparse_page_of(file, page) : (sparse_page){0};
  for (uint64_t i = 0; right && i < rows; i++) {
    right = row_holds(file, &p, (size_t)i);
  }
  return right;
}

/* ---- checking */

typedef bool page_check(const encoded_file *file, const record_table *t, size_t page);

enum { AT_A_TIME = 64 };

typedef struct inspection {
  const encoded_file *file;
  const record_table *table;
  page_check *holds;
  size_t first;
  enum { PAGE_FINE, PAGE_DAMAGED, PAGE_WRONG } found[AT_A_TIME];
} inspection;

static void inspect(void *context, size_t piece, size_t worker) {
  inspection *in = context;
  const size_t page = in->first + piece;
  const encoded_page *p = &in->file->pages[page];
  if (encoded_sum(0, page_bytes(in->file, page), (size_t)p->size) != p->check) {
    in->found[piece] = PAGE_DAMAGED;
  } else if (!in->holds(in->file, in->table, page)) {
    in->found[piece] = PAGE_WRONG;
  }
}

/* Pages from `first` to before `end`, some at a time. */
static dperm_status check_pages(const encoded_file *file, const record_table *t, page_check *holds,
                                size_t first, size_t end, const dperm_progress *progress,
                                dperm_error *err) {
  for (size_t at = first; at < end; at += AT_A_TIME) {
    inspection in = {.file = file, .table = t, .holds = holds, .first = at};
    size_t count = end - at < AT_A_TIME ? end - at : AT_A_TIME;
    pool_run(count, inspect, &in);
    for (size_t p = 0; p < count; p++) {
      const uint64_t place = file->pages[at + p].offset;
      RETURN_IF(in.found[p] == PAGE_DAMAGED,
                encoded_damaged(file, place, "the sum of a page is wrong", err));
      FAIL_IF(in.found[p] == PAGE_WRONG, err, DPERM_INVALID_DATA,
              "%s: byte %llu: a page holds what no record becomes under this schema, and the noise "
              "would not cover it; encode the records again",
              file->path, (unsigned long long)place);
    }
    TRY(progress_tick(progress, "checking", file->pages[at + count - 1].offset,
                      file->trailer->directory, err));
  }
  return DPERM_OK;
}

/* ---- tables */

static void release_file(void *file) {
  encoded_close(file);
}

dperm_status encoded_table(encoded_file *file, size_t from, size_t count,
                           const dperm_progress *progress, record_table **out, dperm_error *err) {
  OWNED(table_free_at) record_table *t = NULL;
  const size_t first = from / TABLE_PAGE, end = count ? (from + count - 1) / TABLE_PAGE + 1 : first;
  TRY(table_new(file->schema, &t, err));
  TRY(check_pages(file, t, table_page_holds, first, end, progress, err));
  t->page_capacity = (end - first) * t->layout.count;
  TRY(memory_new(t->page_capacity, sizeof *t->pages, &t->pages, err));
  for (size_t p = first; p < end; p++) {
    for (size_t c = 0; c < t->layout.count; c++) {
      (void)find_column(file, p, c, &t->pages[(p - first) * t->layout.count + c]);
    }
  }
  t->mapped = true;
  t->rows = count;
  t->page_count = end - first;
  t->skipped = from % TABLE_PAGE;
  t->file = encoded_share(file);
  t->release = release_file;
  *out = TAKE(t);
  return DPERM_OK;
}

/* ---- sparse rows, which are copied out of their pages when they are asked for (row_maker) */

typedef struct sparse_rows {
  row_maker maker;
  encoded_file *file;
  size_t from; /* the first row, in the file */
} sparse_rows;

static row_view view_of(const sparse_rows *s, size_t row) {
  const size_t at = (s->from + row) % TABLE_PAGE;
  const sparse_page p = sparse_page_of(s->file, (s->from + row) / TABLE_PAGE);
  const size_t from = (size_t)p.starts[at];
  return (row_view){(size_t)p.starts[at + 1] - from, p.columns + from, p.values + from};
}

static size_t make_rows(const row_maker *maker, size_t from, size_t count, size_t *places,
                        size_t *starts, uint32_t *columns, double *values) {
  const sparse_rows *s = (const sparse_rows *)maker;
  size_t used = 0, made = 0;
  if (places) {
    row_view rows[MATRIX_BLOCK]; /* as many as there are */
    for (size_t i = 0; i < MATRIX_BLOCK; i++) {
      rows[i] = view_of(s, from + i);
    }
    equal_rows_find(rows, places);
  }
  for (size_t i = 0; i < count; i++) {
    if (!places || places[i] == made) {
      const row_view row = view_of(s, from + i);
      starts[made++] = used;
      memcpy(columns + used, row.columns, row.count * sizeof *columns);
      memcpy(values + used, row.values, row.count * sizeof *values);
      used += row.count;
    }
  }
  starts[made] = used;
  return made;
}

static void free_rows(row_maker *maker) {
  encoded_close(((sparse_rows *)maker)->file);
  free(maker);
}

dperm_status encoded_rows(encoded_file *file, size_t from, size_t count,
                          const dperm_progress *progress, matrix **out, double *labels,
                          dperm_error *err) {
  OWNED_MEMORY sparse_rows *s = NULL;
  const size_t end = count ? (from + count - 1) / TABLE_PAGE + 1 : from / TABLE_PAGE;
  size_t entries = 0;
  TRY(check_pages(file, NULL, sparse_page_holds, from / TABLE_PAGE, end, progress, err));
  for (size_t i = 0; i < count; i++) {
    const sparse_page p = sparse_page_of(file, (from + i) / TABLE_PAGE);
    const size_t at = (from + i) % TABLE_PAGE;
    labels[i] = p.labels[at];
    entries += (size_t)(p.starts[at + 1] - p.starts[at]);
  }
  TRY(memory_new(1, sizeof *s, &s, err));
  s->maker = (row_maker){(size_t)file->trailer->most_entries, entries, make_rows, free_rows};
  s->from = from;
  TRY(matrix_made_new(&s->maker, count, (size_t)file->header->dims, out, err));
  s->file = encoded_share(file);
  s = NULL;
  return DPERM_OK;
}

/* ---- the reader */

static bool recognizes(const dperm_source *source) {
  return encoded_recognized(source->path);
}

/* Schema and columns are those of the source, where it names any. */
static dperm_status open_file(row_reader *reader, const dperm_source *source, dperm_error *err) {
  TRY(encoded_open(source->path, &reader->file, err));
  const encoded_file *file = reader->file;
  FAIL_IF((source->schema && !file->schema) ||
              (source->dims && (file->schema || source->dims != file->header->dims)),
          err, DPERM_INVALID_DATA,
          "%s: has %s inside, not what is given, or the model's; give the file that goes with it",
          source->path, file->schema ? "a schema" : "svmlight rows, or another number of columns,");
  RETURN_IF(file->trailer->rows == 0 && !reader->may_be_empty, fail_no_rows(source->path, err));
  reader->cells = file->schema;
  reader->schema = source->schema ? source->schema : file->schema;
  reader->dims = file->schema ? reader->schema->dims : (size_t)file->header->dims;
  return DPERM_OK;
}

static void close_file(row_reader *reader) {
  encoded_close(reader->file);
}

static unsigned doubts(const row_reader *reader) {
  return (unsigned)reader->file->trailer->flags;
}

const row_reader_kind encoded_format = {
    .name = "encoded",
    .format = DPERM_FORMAT_ENCODED,
    .recognizes = recognizes,
    .size = sizeof(row_reader),
    .open = open_file,
    .close = close_file,
    .doubts = doubts,
};
