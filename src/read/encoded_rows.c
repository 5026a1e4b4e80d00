/* The reader of encoded files. Whoever wants all records maps them (data/dataset_read.c); here they
 * are copied batch by batch. */
#include <stdlib.h>

#include "base/memory.h"
#include "read/row_reader.h"
#include "table/rows.h"

typedef struct encoded_records {
  row_reader base;
  record_table *table; /* all records, once the first are asked for; or, of svmlight, */
  matrix *rows;        /* rows */
  double *labels, *work;
  size_t at; /* the next one */
} encoded_records;

static bool recognizes(const dperm_source *source) {
  return encoded_recognized(source->path);
}

/* Schema and columns are those of the source, where it names any. */
static dperm_status open_file(row_reader *reader, const dperm_source *source, dperm_error *err) {
  const char *wrong = NULL;
  TRY(encoded_open(source->path, &reader->file, err));
  const encoded_file *file = reader->file;
  if (source->schema && !file->schema) {
    wrong =
        "holds svmlight rows, which have no schema; leave the schema out, or use a model of such "
        "rows";
  } else if (source->dims && file->schema) {
    wrong = "has a schema inside, where plain columns are expected; leave their number out, or use "
            "another model";
  } else if (source->dims && source->dims != file->header->dims) {
    wrong = "was encoded with another number of columns than the one given, or the model's; give "
            "the file that goes with it";
  } else if (file->trailer->rows == 0 && !reader->may_be_empty) {
    return fail_no_rows(source->path, err);
  }
  if (wrong) {
    FAIL(err, DPERM_INVALID_DATA, "%s: %s", source->path, wrong);
  }
  reader->cells = file->schema;
  reader->schema = source->schema ? source->schema : file->schema;
  reader->dims = file->schema ? reader->schema->dims : (size_t)file->header->dims;
  return DPERM_OK;
}

static void close_file(row_reader *reader) {
  encoded_records *r = (encoded_records *)reader;
  table_free(r->table);
  matrix_free(r->rows);
  free(r->labels);
  free(r->work);
  encoded_close(reader->file);
}

static dperm_status map_all(encoded_records *r, dperm_error *err) {
  row_reader *reader = &r->base;
  const size_t all = (size_t)reader->file->trailer->rows;
  if (r->table || r->rows) {
    return DPERM_OK;
  }
  if (reader->schema) {
    return encoded_table(reader->file, 0, all, reader->progress, &r->table, err);
  }
  TRY(memory_new(all, sizeof *r->labels, &r->labels, err));
  TRY(encoded_rows(reader->file, 0, all, reader->progress, &r->rows, r->labels, err));
  return memory_new(r->rows->work_size, sizeof *r->work, &r->work, err);
}

static dperm_status copy_rows(encoded_records *r, size_t count, growing_rows *rows,
                              dperm_error *err) {
  rows_reset(rows);
  for (size_t i = 0; i < count; i++) {
    row_view row;
    r->rows->kind->views(r->rows, r->at + i, 1, r->work, &row);
    TRY(rows_add(rows, row, r->labels[r->at + i], err));
  }
  return DPERM_OK;
}

/* Behind the last record, it must still be the file that was checked. */
static dperm_status next(row_reader *reader, size_t limit, read_batch *batch, dperm_error *err) {
  encoded_records *r = (encoded_records *)reader;
  TRY(map_all(r, err));
  const size_t left = (size_t)reader->file->trailer->rows - r->at;
  const size_t count = left < limit ? left : limit;
  TRY(r->table ? batch_copy(r->table, NULL, r->at, count, &batch->records, err)
               : copy_rows(r, count, &batch->rows, err));
  r->at += count;
  return left > count ? DPERM_OK : encoded_unchanged(reader->file, err);
}

static unsigned doubts(const row_reader *reader) {
  return (unsigned)reader->file->trailer->flags;
}

const row_reader_kind encoded_format = {
    .name = "encoded",
    .format = DPERM_FORMAT_ENCODED,
    .mapped = true,
    .recognizes = recognizes,
    .size = sizeof(encoded_records),
    .open = open_file,
    .close = close_file,
    .next = next,
    .doubts = doubts,
};
