/* The seam for files of records: a reader opens a source, hands its records to a taker batch by
 * batch, and is closed, after the manner of an ArrowArrayStream. Each format is one entry
 * of the table in row_reader.c, in a file of its own; nobody else asks for the format.
 * tests/property/reader_conformance_test.c runs one suite over every entry. */
#pragma once

#include "base/owned.h"
#include "dperm/unsafe.h"
#include "read/encoded_file.h"
#include "read/window.h"
#include "schema/schema.h"

/* What is done with records as they come, in order: `count` batches of cells under a schema, at
 * most what a reader holds at a time; or rows that are numbers already (svmlight), else NULL. */
typedef dperm_status batch_taker(void *context, const record_batch *records, size_t count,
                                 const growing_rows *rows, dperm_error *err);

typedef struct row_reader row_reader;

typedef struct row_reader_kind {
  const char *name; /* as --format has it */
  dperm_format format;
  /* Whether a source without a format is of this one; kinds are asked in the table's order. NULL
   * for the last, which takes what is left. */
  bool (*recognizes)(const dperm_source *source);
  /* Fills `reader`, which has `size` zeroed bytes but for its kind and what is below. On failure
   * it is closed by the caller. */
  size_t size;
  dperm_status (*open)(row_reader *reader, const dperm_source *source, dperm_error *err);
  void (*close)(row_reader *reader);
  /* Hands all records to `take`; NULL where they are used where they stand in
   * the file, which carries its own schema (data_of_encoded). */
  dperm_status (*read)(row_reader *reader, batch_taker *take, void *context, dperm_error *err);
  /* What makes the number of rows doubtful (row_doubt), once all rows are read. */
  unsigned (*doubts)(const row_reader *reader);
} row_reader_kind;

extern const row_reader_kind csv_format, svmlight_format, encoded_format, arrow_format;
/* All of them, NULL at the end. */
extern const row_reader_kind *const row_reader_kinds[];

/* What every reader starts with. */
struct row_reader {
  const row_reader_kind *kind;
  const char *path; /* or what to call a stream */
  const dperm_progress *progress;
  bool need_labels;
  bool may_be_empty; /* no records at all are not a mistake */
  bool digest; /* the bytes are to be digested: labelled records only, others are charged to nobody
                */

  /* Set by `open`: */
  size_t dims;
  const dperm_schema *schema; /* of the rows to be made, or NULL */
  const dperm_schema *cells;  /* that the cells are of: the same, or an encoded file's own */
  window *text;               /* of a text of lines; or NULL */
  encoded_file *file;         /* that is mapped; or NULL */
  dperm_unsafe_column_counts **counts; /* one per column of the schema, may be taken; or NULL */
};

/* What to call a source in a message; and whether it is there. */
const char *source_name(const dperm_source *source);
dperm_status source_check_there(const dperm_source *source, dperm_error *err);
/* The format of a source: what it says, or by its content and name. */
dperm_status row_reader_find(const dperm_source *source, const row_reader_kind **out,
                             dperm_error *err);
dperm_status row_reader_open(const dperm_source *source, bool need_labels,
                             const dperm_progress *progress, row_reader **out, dperm_error *err);
void row_reader_close(row_reader *reader);
OWNED_HANDLE(row_reader, row_reader_close)

/* The digest of the file's bytes, once all rows are read. False if the source wants none, or is no
 * file. */
bool row_reader_digested(const row_reader *reader, unsigned char out[FILE_DIGEST_SIZE]);
