/* See table.h. */
#include "table/table.h"

#include "base/memory.h"
#include "base/narrow.h"
#include "base/thread_pool.h"
#include "matrix/matrix.h"

/* ---- layout */

dperm_status table_layout_of(const dperm_schema *schema, table_layout *out, dperm_error *err) {
  *out = (table_layout){.person = NO_PERSON};
  TRY(memory_new(schema->column_count + 1, sizeof *out->places, &out->places, err));
  for (size_t c = 0; c < schema->column_count; c++) {
    if (column_type_has_cells(schema->columns[c].type)) {
      out->places[out->count++] = c;
    }
  }
  if (schema->person != NO_PERSON) {
    out->person = out->count;
    out->places[out->count++] = schema->person;
  }
  out->places[out->count++] = schema->column_count;
  return DPERM_OK;
}

void table_layout_clear(table_layout *layout) {
  free(layout->places);
  *layout = (table_layout){0};
}

/* ---- life */

dperm_status table_new(const dperm_schema *schema, record_table **out, dperm_error *err) {
  OWNED(table_free_at) record_table *t = NULL;
  TRY(memory_new(1, sizeof *t, &t, err));
  atomic_init(&t->owners, 1);
  t->schema = schema_share(schema);
  TRY(table_layout_of(schema, &t->layout, err));
  *out = TAKE(t);
  return DPERM_OK;
}

record_table *table_share(const record_table *t) {
  record_table *shared = (record_table *)t; /* only the count of owners changes */
  if (shared) {
    atomic_fetch_add(&shared->owners, 1);
  }
  return shared;
}

static void free_columns(packed_column *columns, size_t count) {
  for (size_t c = 0; c < count; c++) {
    free((void *)columns[c].values); /* the indexes are in the same piece */
  }
}

void table_free(record_table *t) {
  if (!t || atomic_fetch_sub(&t->owners, 1) != 1) {
    return;
  }
  if (!t->mapped) {
    free_columns(t->pages, t->page_count * t->layout.count);
  }
  free(t->pages);
  if (t->release) {
    t->release(t->file);
  }
  table_layout_clear(&t->layout);
  dperm_schema_free(t->schema);
  free(t);
}

/* ---- batches */

dperm_status batch_reserve(record_batch *batch, size_t columns, size_t capacity, dperm_error *err) {
  batch->count = batch->names_used = 0;
  if (batch->columns == columns && batch->capacity >= capacity && batch->cells) {
    return DPERM_OK;
  }
  batch_clear(batch);
  TRY(memory_raw(columns, (capacity + 1) * sizeof *batch->cells, &batch->cells, err));
  batch->columns = columns;
  batch->capacity = capacity;
  return DPERM_OK;
}

void batch_clear(record_batch *batch) {
  free(batch->cells);
  free(batch->names);
  *batch = (record_batch){0};
}

dperm_status batch_name(record_batch *batch, slice name, double *cell, dperm_error *err) {
  TRY(memory_reserve(&batch->names, &batch->names_capacity, batch->names_used + name.length + 1, 1,
                     err));
  *cell = (double)batch->names_used;
  memcpy(batch->names + batch->names_used, name.start, name.length);
  batch->names[batch->names_used + name.length] = '\0';
  batch->names_used += name.length + 1;
  return DPERM_OK;
}

/* ---- growing */

dperm_status table_builder_open(const dperm_schema *schema, page_taker *take, void *context,
                                table_builder *out, dperm_error *err) {
  *out = (table_builder){.take = take, .context = context};
  TRY(table_new(schema, &out->table, err));
  out->columns = out->table->layout.count;
  /* NOLINTNEXTLINE(bugprone-sizeof-expression) */
  TRY(memory_new(out->columns, sizeof *out->packers, &out->packers, err));
  for (size_t c = 0; c < out->columns; c++) {
    TRY(packer_new(&out->packers[c], err));
  }
  return DPERM_OK;
}

void table_builder_close(table_builder *b) {
  for (size_t c = 0; b->packers && c < b->columns; c++) {
    packer_free(b->packers[c]);
  }
  free(b->packers);
  lookup_clear(&b->persons);
  table_free(b->table);
  *b = (table_builder){0};
}

/* The batches as each column's job sees them. */
typedef struct adding {
  table_builder *b;
  const record_batch *batches;
  size_t count;
  double *persons; /* their cells, of all batches one after the other; NULL without */
  bool last;       /* the page ends here, full or not */
  atomic_bool failed;
} adding;

/* Numbers the names of persons in the order of the records, which every process of a job reads. */
static dperm_status number_persons(table_builder *b, const record_batch *batches, size_t count,
                                   size_t rows, double **out, dperm_error *err) {
  const size_t column = b->table->layout.person;
  double *to = NULL;
  if (column == NO_PERSON || rows == 0) {
    return DPERM_OK;
  }
  TRY(memory_raw(rows, sizeof *to, &to, err));
  *out = to;
  for (const record_batch *batch = batches; batch < batches + count; batch++) {
    for (size_t i = 0; i < batch->count; i++) {
      double cell = batch->cells[column * batch->capacity + i];
      if (batch->names_used > 0) {
        const slice name = slice_of(batch->names + (size_t)cell);
        int32_t number = lookup_find(&b->persons, name);
        if (number == LOOKUP_NONE) {
          bool added = false;
          number = (int32_t)b->persons.count;
          FAIL_IF(b->persons.count >= INT32_MAX, err, DPERM_UNSUPPORTED,
                  "more than %d persons; give fewer records", INT32_MAX);
          TRY(lookup_add(&b->persons, name, number, &added, err));
        }
        cell = number;
      }
      *to++ = cell;
    }
  }
  return DPERM_OK;
}

static dperm_status pack_column(const adding *a, size_t c) {
  const record_table *t = a->b->table;
  column_packer *packer = a->b->packers[c];
  size_t used = a->b->filled, page = t->page_count * t->layout.count + c, before = 0;
  for (size_t i = 0; i < a->count; i++) {
    const record_batch *batch = &a->batches[i];
    const double *from = c == t->layout.person && a->persons ? a->persons + before
                         : batch->count                      ? batch->cells + c * batch->capacity
                                                             : NULL;
    before += batch->count;
    for (size_t left = batch->count; left > 0;) {
      size_t space = TABLE_PAGE - used, some = left < space ? left : space;
      TRY(packer_add(packer, from, some, NULL));
      used += some;
      from += some;
      left -= some;
      if (used == TABLE_PAGE) {
        TRY(packer_end(packer, &t->pages[page], NULL));
        page += t->layout.count;
        used = 0;
      }
    }
  }
  return a->last && used > 0 ? packer_end(packer, &t->pages[page], NULL) : DPERM_OK;
}

static void add_column(void *context, size_t c, size_t worker) {
  adding *a = context;
  if (pack_column(a, c) != DPERM_OK) {
    atomic_store(&a->failed, true);
  }
}

/* Gives the pages that are full to whoever takes them. */
static dperm_status hand_on(table_builder *b, size_t pages, size_t last_rows, dperm_error *err) {
  record_table *t = b->table;
  const size_t columns = t->layout.count;
  dperm_status status = DPERM_OK;
  for (size_t p = 0; b->take && p < pages; p++) {
    packed_column *page = t->pages + p * columns;
    if (status == DPERM_OK) {
      status = b->take(b->context, page, p + 1 < pages ? TABLE_PAGE : last_rows, err);
    }
    free_columns(page, columns);
  }
  t->page_count = b->take ? 0 : t->page_count;
  return status;
}

static dperm_status add(table_builder *b, const record_batch *batches, size_t count, bool last,
                        dperm_error *err) {
  record_table *t = b->table;
  const size_t columns = b->columns, before = t->page_count;
  OWNED_MEMORY double *persons = NULL;
  size_t rows = b->filled;
  for (size_t i = 0; i < count; i++) {
    rows += batches[i].count;
  }
  TRY(number_persons(b, batches, count, rows - b->filled, &persons, err));
  adding a = {.b = b, .batches = batches, .count = count, .persons = persons, .last = last};
  size_t rest = rows % TABLE_PAGE, pages = rows / TABLE_PAGE + (last && rest > 0);
  const size_t needed = (before + pages) * columns;
  TRY(memory_reserve(&t->pages, &t->page_capacity, needed, sizeof *t->pages, err));
  if (pages > 0) {
    memset(t->pages + before * columns, 0, pages * columns * sizeof *t->pages);
  }
  FAIL_IF(t->rows + rows - b->filled > rows_held, err, DPERM_UNSUPPORTED,
          "more than %zu records, which is as many as fit here; use dperm on a computer of 64 bits",
          rows_held);
  pool_run(columns, add_column, &a);
  t->rows += rows - b->filled;
  t->page_count += pages;
  b->filled = last ? 0 : rest;
  FAIL_IF(atomic_load(&a.failed), err, DPERM_OUT_OF_MEMORY,
          "out of memory while the records were read");
  return hand_on(b, pages, last && rest > 0 ? rest : TABLE_PAGE, err);
}

dperm_status table_builder_add(table_builder *b, const record_batch *batches, size_t count,
                               dperm_error *err) {
  return add(b, batches, count, false, err);
}

dperm_status table_builder_finish(table_builder *b, record_table **out, dperm_error *err) {
  TRY(add(b, NULL, 0, true, err));
  *out = b->table;
  b->table = NULL;
  return DPERM_OK;
}

void table_keep(record_table *t, size_t first, size_t count) {
  const size_t columns = t->layout.count, from = (t->skipped + first) / TABLE_PAGE;
  const size_t end = count ? (t->skipped + first + count - 1) / TABLE_PAGE + 1 : from;
  free_columns(t->pages, from * columns);
  free_columns(t->pages + end * columns, (t->page_count - end) * columns);
  t->page_count = end - from;
  memmove(t->pages, t->pages + from * columns, t->page_count * columns * sizeof *t->pages);
  t->skipped = (t->skipped + first) % TABLE_PAGE;
  t->rows = count;
}

/* ---- some records */

dperm_status batch_copy(const record_table *t, const size_t *rows, size_t first, size_t count,
                        record_batch *out, dperm_error *err) {
  TRY(batch_reserve(out, t->layout.count, count ? count : 1, err));
  for (size_t c = 0; c < t->layout.count; c++) {
    for (size_t i = 0; i < count; i++) {
      out->cells[c * out->capacity + i] = table_cell(t, rows ? rows[first + i] : first + i, c);
    }
  }
  out->count = count;
  return DPERM_OK;
}

static dperm_status select_here(const record_table *t, const size_t *rows, size_t count,
                                record_table **out, dperm_error *err) {
  enum { SOME = 4096 };
  OWNED(table_builder_close) table_builder b = {0};
  OWNED(batch_clear) record_batch batch = {0};
  TRY(table_builder_open(t->schema, NULL, NULL, &b, err));
  for (size_t from = 0; from < count; from += SOME) {
    TRY(batch_copy(t, rows, from, count - from < SOME ? count - from : SOME, &batch, err));
    TRY(table_builder_add(&b, &batch, 1, err));
  }
  return table_builder_finish(&b, out, err);
}

/* Among processes the cells of a record travel as a row with an entry for each. */
static dperm_status cells_of_table(const record_table *t, growing_rows *out, dperm_error *err) {
  TRY(rows_reserve_many(out, t->rows, t->rows * t->layout.count, err));
  for (size_t i = 0; i < t->rows; i++) {
    for (size_t c = 0; c < t->layout.count; c++) {
      rows_push(out, c, table_cell(t, i, c));
    }
    rows_end(out, 0);
  }
  return DPERM_OK;
}

static dperm_status table_of_cells(const dperm_schema *schema, const growing_rows *rows,
                                   record_table **out, dperm_error *err) {
  OWNED(table_builder_close) table_builder b = {0};
  OWNED(batch_clear) record_batch batch = {0};
  TRY(table_builder_open(schema, NULL, NULL, &b, err));
  const size_t columns = b.table->layout.count;
  FAIL_IF(rows->entries != rows->count * columns, err, DPERM_IO_ERROR,
          "records were lost between the processes of this job; run it again");
  TRY(batch_reserve(&batch, columns, rows->count, err));
  for (size_t e = 0; e < rows->entries; e++) {
    batch.cells[e % columns * batch.capacity + e / columns] = rows->values[e];
  }
  batch.count = rows->count;
  TRY(table_builder_add(&b, &batch, 1, err));
  return table_builder_finish(&b, out, err);
}

dperm_status table_select(const record_table *t, ranks *r, size_t total, const size_t *rows,
                          size_t count, record_table **out, dperm_error *err) {
  OWNED(rows_clear) growing_rows before = {0}, after = {0};
  if (!r) {
    return select_here(t, rows, count, out, err);
  }
  TRY(ranks_agree(r, cells_of_table(t, &before, err), err));
  TRY(spread_select(r, &before, total, rows, count, &after, err));
  return ranks_agree(r, table_of_cells(t->schema, &after, out, err), err);
}
