/* Records to an encoded file in one pass: pages are packed as the records come, and each is written
 * when it is full. Memory does not grow with the file. */
#include <sodium.h>

#include "base/file_write.h"
#include "base/memory.h"
#include "read/row_reader.h"

typedef struct encoded_writer {
  output_file *out;
  uint64_t at; /* bytes written */
  char *part;  /* that is being made: the header, a page, or the end */
  size_t used, part_capacity;
  table_builder records;
  growing_rows rows; /* of svmlight: the page that is being filled */
  encoded_page *pages;
  size_t page_count, page_capacity;
  uint64_t row_count, most_entries;
  uint32_t header_check;
  crypto_generichash_state prints; /* of the records of a stream, which has no bytes to digest */
} encoded_writer;

/* ---- bytes */

/* Adds to the part, filled up to a multiple of ENCODED_UNIT. Nothing may be no place at all: that
 * of indexes where there are none, or of entries. */
static dperm_status put(encoded_writer *w, const void *bytes, size_t size, dperm_error *err) {
  TRY(memory_reserve(&w->part, &w->part_capacity, w->used + size + ENCODED_UNIT, 1, err));
  if (size > 0) {
    memcpy(w->part + w->used, bytes, size);
  }
  for (w->used += size; w->used % ENCODED_UNIT != 0;) {
    w->part[w->used++] = 0;
  }
  return DPERM_OK;
}

static dperm_status write_part(encoded_writer *w, dperm_error *err) {
  TRY(output_write(w->out, w->part, w->used, err));
  w->at += w->used;
  w->used = 0;
  return DPERM_OK;
}

static dperm_status write_page(encoded_writer *w, size_t rows, dperm_error *err) {
  TRY(memory_reserve(&w->pages, &w->page_capacity, w->page_count + 1, sizeof *w->pages, err));
  w->pages[w->page_count++] =
      (encoded_page){w->at, w->used, (uint32_t)rows, encoded_sum(0, w->part, w->used)};
  w->row_count += rows;
  return write_part(w, err);
}

/* ---- pages of a table (page_taker) */

static dperm_status write_columns(void *context, const packed_column *columns, size_t rows,
                                  dperm_error *err) {
  encoded_writer *w = context;
  const size_t count = w->records.table->layout.count;
  uint64_t at = count * sizeof(encoded_column);
  for (size_t c = 0; c < count; c++) {
    const packed_column *p = &columns[c];
    const encoded_column line = {p->distinct, p->width, at};
    size_t indexes = p->width == 8 ? 0 : rows * p->width;
    TRY(put(w, &line, sizeof line, err));
    at += encoded_aligned(p->distinct * sizeof *p->values + indexes);
  }
  for (size_t c = 0; c < count; c++) {
    const packed_column *p = &columns[c];
    TRY(put(w, p->values, p->distinct * sizeof *p->values, err));
    TRY(put(w, p->indexes, p->width == 8 ? 0 : rows * p->width, err));
  }
  return write_page(w, rows, err);
}

/* ---- pages of sparse rows */

static dperm_status write_rows(encoded_writer *w, dperm_error *err) {
  const growing_rows *r = &w->rows;
  for (size_t i = 0; i < r->count; i++) {
    uint64_t entries = r->starts[i + 1] - r->starts[i];
    w->most_entries = entries > w->most_entries ? entries : w->most_entries;
  }
  TRY(put(w, r->starts, (r->count + 1) * sizeof *r->starts, err));
  TRY(put(w, r->labels, r->count * sizeof *r->labels, err));
  TRY(put(w, r->values, r->entries * sizeof *r->values, err));
  TRY(put(w, r->columns, r->entries * sizeof *r->columns, err));
  TRY(write_page(w, r->count, err));
  rows_reset(&w->rows);
  return DPERM_OK;
}

static dperm_status add_rows(encoded_writer *w, const growing_rows *rows, dperm_error *err) {
  for (size_t i = 0; i < rows->count; i++) {
    TRY(rows_add(&w->rows, rows_view(rows, i), rows->labels[i], err));
    if (w->rows.count == TABLE_PAGE) {
      TRY(write_rows(w, err));
    }
  }
  return DPERM_OK;
}

/* ---- all of it */

static dperm_status add_batches(void *context, const record_batch *records, size_t count,
                                const growing_rows *rows, dperm_error *err) {
  encoded_writer *w = context;
  for (size_t b = 0; b < count && records[b].prints; b++) {
    (void)crypto_generichash_update(&w->prints, (const unsigned char *)records[b].prints,
                                    records[b].count * sizeof *records[b].prints);
  }
  return w->records.table ? table_builder_add(&w->records, records, count, err)
                          : add_rows(w, rows, err);
}

static dperm_status write_header(encoded_writer *w, const row_reader *reader, dperm_error *err) {
  const dperm_schema *schema = reader->schema;
  OWNED_MEMORY char *dumped = schema ? json_dumps(schema->json, JSON_COMPACT) : NULL;
  FAIL_IF(schema && !dumped, err, DPERM_OUT_OF_MEMORY, "out of memory while writing the schema");
  const char *text = dumped ? dumped : "";
  const size_t length = strlen(text);
  encoded_header h = {.magic = ENCODED_MAGIC,
                      .version = ENCODED_VERSION,
                      .origin = schema ? ENCODED_FROM_SCHEMA : ENCODED_FROM_SVMLIGHT,
                      .dims = schema ? 0 : reader->dims,
                      .schema_length = length};
  h.check = encoded_sum(encoded_sum(0, &h, offsetof(encoded_header, check)), text, length);
  w->header_check = h.check;
  TRY(put(w, &h, sizeof h, err));
  TRY(put(w, text, length, err));
  return write_part(w, err);
}

static dperm_status write_end(encoded_writer *w, const row_reader *reader, dperm_error *err) {
  encoded_trailer t = {.magic = ENCODED_END,
                       .rows = w->row_count,
                       .most_entries = w->most_entries,
                       .pages = w->page_count,
                       .directory = w->at,
                       .flags = reader->kind->doubts(reader)};
  if (!row_reader_digested(reader, t.source)) {
    (void)crypto_generichash_final(&w->prints, t.source, sizeof t.source);
  }
  size_t size = w->page_count * sizeof *w->pages;
  t.directory_check =
      encoded_sum(encoded_sum(0, w->pages, size), &w->header_check, sizeof w->header_check);
  t.check = encoded_sum(0, &t, offsetof(encoded_trailer, check));
  TRY(put(w, w->pages, size, err));
  TRY(put(w, &t, sizeof t, err));
  return write_part(w, err);
}

static dperm_status write_all(encoded_writer *w, row_reader *reader, dperm_error *err) {
  OWNED(table_free_at) record_table *written = NULL;
  TRY(write_header(w, reader, err));
  if (reader->schema) {
    TRY(table_builder_open(reader->schema, write_columns, w, &w->records, err));
  }
  TRY(reader->kind->read(reader, add_batches, w, err));
  if (w->rows.count > 0) {
    TRY(write_rows(w, err));
  }
  if (reader->schema) {
    TRY(table_builder_finish(&w->records, &written, err));
  }
  RETURN_IF(w->row_count == 0 && !reader->may_be_empty, fail_no_rows(reader->path, err));
  return write_end(w, reader, err);
}

static void writer_close(encoded_writer *w) {
  output_discard(w->out);
  table_builder_close(&w->records);
  rows_clear(&w->rows);
  free(w->part);
  free(w->pages);
}

dperm_status dperm_encode_file(const dperm_source *source, const char *out_path,
                               const dperm_progress *progress, size_t *rows_written,
                               dperm_error *err) {
  OWNED(row_reader_close_at) row_reader *reader = NULL;
  OWNED(writer_close) encoded_writer w = {.out = NULL};
  TRY(encoded_machine_check(err));
  (void)crypto_generichash_init(&w.prints, NULL, 0, FILE_DIGEST_SIZE);
  dperm_source identified = *source; /* the file carries its source's digest */
  identified.no_identity = false;
  TRY(row_reader_open(&identified, true, progress, &reader, err));
  FAIL_IF(reader->file, err, DPERM_INVALID_ARGUMENT, "%s: is encoded already; give CSV or svmlight",
          source_name(source));
  TRY(output_open(out_path, true, &w.out, err));
  TRY(write_all(&w, reader, err));
  TRY(output_commit(TAKE(w.out), err));
  if (rows_written) {
    *rows_written = (size_t)w.row_count;
  }
  return DPERM_OK;
}
