/* One face for the readers: encoded rows from any file of records, as many at a time as asked. */
#ifndef DPERM_READ_ROW_READER_H
#define DPERM_READ_ROW_READER_H

#include "read/encode.h"
#include "read/encoded_file.h"
#include "read/svmlight.h"

typedef struct row_reader {
  dperm_format format;
  csv_reader csv;
  encoder encoder;
  bool record_waiting; /* the first record was read to find the columns */
  svmlight_reader svmlight;
  encoded_file *encoded;
  size_t at; /* the next row of an encoded file */
  const char *path;
} row_reader;

/* AUTO becomes what the file begins with (encoded) or its name says; a name that does not tell is
 * CSV if there is a schema. */
dperm_status source_format(const dperm_source *source, dperm_format *out, dperm_error *err);

/* An encoded file whose schema and columns are those of the source, where it names any. */
dperm_status encoded_open_for(const dperm_source *source, encoded_file **out, dperm_error *err);

dperm_status row_reader_open(const dperm_source *source, bool need_labels,
                             const dperm_progress *progress, row_reader *out, dperm_error *err);
void row_reader_close(row_reader *reader);

/* The digest of the file's bytes, once all rows are read; labelled records only, since others are
 * charged to nobody. False if the source wants none. */
bool row_reader_digested(const row_reader *reader, unsigned char out[FILE_DIGEST_SIZE]);

/* What makes the number of rows doubtful (row_doubts.h), once all rows are read. */
unsigned row_reader_doubts(const row_reader *reader);

/* Appends rows until there are `limit` in `rows` or the file ends. */
dperm_status row_reader_next(row_reader *reader, size_t limit, growing_rows *rows,
                             dperm_error *err);

/* All rows that are left, some thousands at a time, to `take`: one call after the other, beside the
 * reading of the next rows, on another thread perhaps. */
dperm_status row_reader_each(row_reader *reader, rows_taker *take, void *context, dperm_error *err);

#endif
