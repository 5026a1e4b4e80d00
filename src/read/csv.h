/* Records of a CSV file: RFC 4180 quotes, LF or CRLF, unquoted fields trimmed of blanks, blank and
 * comment lines skipped, any size, one record in memory at a time. Then as cells of a table: what a
 * field's text becomes is decided in table/cell.h, the messages with their places are here. */
#pragma once

#include "read/row_reader.h"
#include "table/cell.h"

typedef struct csv_field {
  slice text;    /* without quotes and blanks */
  size_t offset; /* where the field begins, in bytes from the record's start */
} csv_field;

typedef struct csv_reader {
  window window;
  const char *path;
  char separator;
  const char *comment; /* or NULL */

  csv_field *fields; /* of the current record; valid until the next one */
  size_t field_count, field_capacity;
  bool any_record;                       /* a record was read */
  unsigned doubts_first, doubts_further; /* up to the first record, and behind it; of blank lines
                                            even where they cannot be records */
  bool quotes;                           /* some field so far: only then do records span lines */
  bool by_bytes;                         /* every record, as a test has it to compare with */
  bool within;                           /* what is read are lines of a record, to judge it by */
  size_t line;                           /* of the current record's first byte, from 1 */
  size_t next_line;                      /* of the byte after it */
  const char *record;                    /* its first byte */
  size_t record_length;                  /* without the line end */
  char *unquoted;                        /* space for fields that held doubled quotes */
  size_t unquoted_capacity;
} csv_reader;

/* `path`, `comment` and `progress` (may be NULL) must outlive the reader; not so the text of
 * records in memory, or NULL, which messages call `path`. */
dperm_status csv_open(const char *path, const slice *text, char separator, const char *comment,
                      const dperm_progress *progress, bool digest, csv_reader *out,
                      dperm_error *err);
void csv_close(csv_reader *reader);

/* The next record, or *found = false at the end. */
dperm_status csv_next(csv_reader *reader, bool *found, dperm_error *err);

/* What makes the number of records doubtful so far, `header` being whether the first one is none,
 * and `fields` how many each has. */
unsigned csv_doubts(const csv_reader *reader, bool header, size_t fields);

/* Makes the current record the next one again, to be split at another separator. */
void csv_take_back(csv_reader *reader, char separator);

/* Fails at the place where a field of the current record begins. */
dperm_status csv_fail_at(const csv_reader *reader, size_t offset, dperm_error *err,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));
#define CSV_FAIL_IF(condition, ...) RETURN_IF(condition, csv_fail_at(__VA_ARGS__))

/* ---- where the schema's columns stand in records */

/* A column of the table. */
typedef struct csv_column {
  size_t field; /* of a record; SIZE_MAX for the label of a file without one */
  size_t place; /* in the schema; its column_count for the label */
} csv_column;

typedef struct csv_columns {
  csv_column *kept; /* in the table's layout, the label's last */
  size_t kept_count;
  size_t count; /* fields that every record must have */
} csv_columns;

/* Reads the header, or looks at the first record, to know where the columns are; `csv` then stands
 * before the first data record. A file without the label's column is fine unless labels are
 * needed, one without a header and without a record where it may be empty. */
dperm_status csv_columns_open(const dperm_schema *schema, bool need_labels, bool may_be_empty,
                              csv_reader *csv, csv_columns *out, dperm_error *err);
void csv_columns_close(csv_columns *columns);

/* Appends the next record of `csv` to the batch, which has space for it, or drops it if the schema
 * says so; *found = false at the end. */
dperm_status csv_columns_next(const csv_columns *columns, cell_reader *cells, csv_reader *csv,
                              record_batch *batch, bool *found, dperm_error *err);

/* Hands the records from where `csv` stands to the end of the file to `take`, in spans of up to
 * some megabytes that several threads share. As csv_columns_next would one by one: the same cells,
 * counts and messages, whatever the number of threads. */
dperm_status csv_parallel_read(csv_reader *csv, const csv_columns *columns, cell_reader *cells,
                               batch_taker *take, void *context, dperm_error *err);
