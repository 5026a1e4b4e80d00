/* The reader of CSV files: scanner, columns and cells together. */
#include "read/csv_parallel.h"
#include "read/row_reader.h"

typedef struct csv_rows {
  row_reader base;
  csv_reader csv;
  csv_columns columns;
  cell_reader cells;
} csv_rows;

static dperm_status open_file(row_reader *reader, const dperm_source *source, dperm_error *err) {
  csv_rows *r = (csv_rows *)reader;
  const dperm_schema *schema = source->schema;
  if (!schema) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%s: CSV data need a schema; give one, or the svmlight format with its number of columns",
         path_for_people(source->path));
  }
  if (source->dims) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%s: CSV data have a schema; leave the number of columns out",
         path_for_people(source->path));
  }
  TRY(csv_open(source->path, schema->separator, schema->comment, reader->progress, reader->digest,
               &r->csv, err));
  TRY(csv_columns_open(schema, reader->need_labels, reader->may_be_empty, &r->csv, &r->columns,
                       err));
  TRY(cell_reader_open(schema, reader->need_labels, &r->cells, err));
  reader->schema = reader->cells = schema;
  reader->dims = schema->dims;
  reader->text = &r->csv.window;
  reader->counts = &r->cells.counts;
  return DPERM_OK;
}

static void close_file(row_reader *reader) {
  csv_rows *r = (csv_rows *)reader;
  cell_reader_close(&r->cells);
  csv_columns_close(&r->columns);
  csv_close(&r->csv);
}

static dperm_status next(row_reader *reader, size_t limit, read_batch *batch, dperm_error *err) {
  csv_rows *r = (csv_rows *)reader;
  bool found = true;
  TRY(batch_reserve(&batch->records, r->columns.kept_count, limit, err));
  while (found && batch->records.count < limit) {
    TRY(csv_columns_next(&r->columns, &r->cells, &r->csv, &batch->records, &found, err));
  }
  return DPERM_OK;
}

static dperm_status rest(row_reader *reader, batch_taker *take, void *context, dperm_error *err) {
  csv_rows *r = (csv_rows *)reader;
  r->csv.quotes = false; /* those of a header, which is behind us, do not matter */
  TRY(csv_parallel_read(&r->csv, &r->columns, &r->cells, take, context, err));
  reader->quotes = r->csv.quotes;
  return DPERM_OK;
}

static unsigned doubts(const row_reader *reader) {
  const csv_rows *r = (const csv_rows *)reader;
  return csv_doubts(&r->csv, reader->schema->header, r->columns.count);
}

const row_reader_kind csv_format = {
    .name = "csv",
    .format = DPERM_FORMAT_CSV,
    .by_schema = true,
    .size = sizeof(csv_rows),
    .open = open_file,
    .close = close_file,
    .next = next,
    .rest = rest,
    .doubts = doubts,
};
