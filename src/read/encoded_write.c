/* Records to an encoded file in one pass: rows are encoded some thousands at a time, their numbers
 * gathered into blocks, each block written when it is full. Memory does not grow with the file. */
#include <stdlib.h>
#include <string.h>

#include "base/file_write.h"
#include "base/memory.h"
#include "read/encoded_file.h"
#include "read/encoded_format.h"
#include "read/row_reader.h"

/* An array on its way: what is not written yet. */
typedef struct pending {
  unsigned char *bytes;
  size_t used, capacity;
} pending;

typedef struct encoded_writer {
  output_file *out;
  uint64_t at; /* bytes written */
  pending arrays[ENCODED_ARRAYS];
  encoded_block *blocks;
  size_t block_count, block_capacity;
  uint64_t rows, entries, most_entries;
  uint32_t header_check;
} encoded_writer;

static dperm_status put(encoded_writer *w, const void *bytes, size_t size, dperm_error *err) {
  w->at += size;
  return output_write(w->out, bytes, size, err);
}

static dperm_status fill(encoded_writer *w, dperm_error *err) {
  static const unsigned char zeros[ENCODED_ALIGN];
  size_t over = (size_t)(w->at % ENCODED_ALIGN);
  return over ? put(w, zeros, ENCODED_ALIGN - over, err) : DPERM_OK;
}

/* ---- blocks */

static dperm_status write_block(encoded_writer *w, encoded_array array, size_t size,
                                dperm_error *err) {
  pending *p = &w->arrays[array];
  TRY(memory_reserve(&w->blocks, &w->block_capacity, w->block_count + 1, sizeof *w->blocks, err));
  w->blocks[w->block_count++] =
      (encoded_block){(uint32_t)array, encoded_sum(0, p->bytes, size), w->at};
  TRY(put(w, p->bytes, size, err));
  TRY(fill(w, err));
  output_start_flushing(w->out);
  p->used -= size;
  memmove(p->bytes, p->bytes + size, p->used);
  return DPERM_OK;
}

/* Adds numbers to an array; full blocks go out. */
static dperm_status add(encoded_writer *w, encoded_array array, const void *numbers, size_t count,
                        dperm_error *err) {
  pending *p = &w->arrays[array];
  size_t size = count * encoded_number_size(array),
         full = encoded_block_numbers(array) * encoded_number_size(array);
  /* At once for what a block and a part of it need; pages that are not written cost nothing. */
  TRY(memory_reserve(&p->bytes, &p->capacity, (p->used > full ? p->used : full) + size, 1, err));
  if (size > 0) {
    memcpy(p->bytes + p->used, numbers, size);
    p->used += size;
  }
  while (p->used >= full) {
    TRY(write_block(w, array, full, err));
  }
  return DPERM_OK;
}

/* Takes over the rows; `rows` is empty afterwards but keeps its capacity. By so many rows at a
 * time, counted from the file's first, that the order of blocks is the same however the rows come.
 */
static dperm_status add_rows(void *context, growing_rows *rows, dperm_error *err) {
  enum { TURN = 4096 };
  encoded_writer *w = context;
  const uint64_t before = w->entries;
  for (size_t i = 0; i < rows->count; i++) {
    uint64_t entries = rows->starts[i + 1] - rows->starts[i];
    w->most_entries = entries > w->most_entries ? entries : w->most_entries;
    rows->starts[i] += before;
  }
  rows->starts[rows->count] += before;
  for (size_t from = 0; from < rows->count;) {
    size_t turn = TURN - (size_t)(w->rows % TURN);
    turn = turn < rows->count - from ? turn : rows->count - from;
    size_t entry = (size_t)(w->entries - before);
    size_t entries = (size_t)(rows->starts[from + turn] - w->entries);
    TRY(add(w, ENCODED_STARTS, rows->starts + from, turn, err));
    TRY(add(w, ENCODED_LABELS, rows->labels + from, turn, err));
    TRY(add(w, ENCODED_COLUMNS, rows->columns + entry, entries, err));
    TRY(add(w, ENCODED_VALUES, rows->values + entry, entries, err));
    w->rows += turn;
    w->entries += entries;
    from += turn;
  }
  rows_reset(rows);
  return DPERM_OK;
}

/* ---- before and behind them */

static dperm_status write_header(encoded_writer *w, const dperm_schema *schema, size_t dims,
                                 dperm_error *err) {
  OWNED_MEMORY char *dumped = schema ? json_dumps(schema->json, JSON_COMPACT) : NULL;
  if (schema && !dumped) {
    FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while writing the schema");
  }
  const char *text = dumped ? dumped : "";
  const size_t length = strlen(text);
  encoded_header h = {.magic = ENCODED_MAGIC,
                      .version = ENCODED_VERSION,
                      .origin = schema ? ENCODED_FROM_SCHEMA : ENCODED_FROM_SVMLIGHT,
                      .dims = dims,
                      .schema_length = length,
                      .first_block = encoded_aligned(sizeof h + length)};
  h.check = encoded_sum(encoded_sum(0, &h, offsetof(encoded_header, check)), text, length);
  w->header_check = h.check;
  TRY(put(w, &h, sizeof h, err));
  TRY(put(w, text, length, err));
  return fill(w, err);
}

static dperm_status write_end(encoded_writer *w, const row_reader *reader, dperm_error *err) {
  TRY(add(w, ENCODED_STARTS, &w->entries, 1, err));
  for (encoded_array a = ENCODED_STARTS; a < ENCODED_ARRAYS; a++) {
    if (w->arrays[a].used > 0) {
      TRY(write_block(w, a, w->arrays[a].used, err));
    }
  }
  encoded_trailer t = {.magic = ENCODED_END,
                       .rows = w->rows,
                       .entries = w->entries,
                       .most_entries = w->most_entries,
                       .blocks = w->block_count,
                       .directory = w->at,
                       .flags = reader->kind->doubts(reader)};
  (void)row_reader_digested(reader, t.source);
  size_t size = w->block_count * sizeof *w->blocks;
  t.directory_check =
      encoded_sum(encoded_sum(0, w->blocks, size), &w->header_check, sizeof w->header_check);
  t.check = encoded_sum(0, &t, offsetof(encoded_trailer, check));
  TRY(put(w, w->blocks, size, err));
  return put(w, &t, sizeof t, err);
}

static dperm_status write_all(encoded_writer *w, row_reader *reader, dperm_error *err) {
  OWNED(rows_clear) growing_rows rows = {0};
  TRY(write_header(w, reader->schema, reader->dims, err));
  TRY(row_reader_rest(reader, &rows, add_rows, w, err));
  if (w->rows == 0) {
    return fail_no_rows(reader->path, err);
  }
  return write_end(w, reader, err);
}

static void writer_close(encoded_writer *w) {
  output_discard(w->out);
  for (encoded_array a = ENCODED_STARTS; a < ENCODED_ARRAYS; a++) {
    free(w->arrays[a].bytes);
  }
  free(w->blocks);
}

dperm_status dperm_encode_file(const dperm_source *source, const char *out_path,
                               const dperm_progress *progress, size_t *rows_written,
                               dperm_error *err) {
  OWNED(row_reader_close_at) row_reader *reader = NULL;
  OWNED(writer_close) encoded_writer w = {.out = NULL};
  TRY(encoded_machine_check(err));
  dperm_source identified = *source; /* the file carries its source's digest */
  identified.no_identity = false;
  TRY(row_reader_open(&identified, true, progress, &reader, err));
  if (reader->kind->mapped) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%s: is encoded already; give CSV or svmlight",
         path_for_people(source->path));
  }
  TRY(output_open_private(out_path, &w.out, err));
  TRY(write_all(&w, reader, err));
  output_file *out = w.out;
  w.out = NULL;
  TRY(output_commit(out, err));
  if (rows_written) {
    *rows_written = (size_t)w.rows;
  }
  return DPERM_OK;
}
