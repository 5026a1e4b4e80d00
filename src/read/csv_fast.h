/* The next record of a CSV file as a row. The usual record, whole in the window and without quotes,
 * is cut into fields by bit masks (csv_simd.h), and what a short text became before is remembered;
 * any other record goes through csv_next and csv_columns_encode, which also make the messages. The
 * encoder decides either way, so a row is the same to the bit. */
#pragma once

#include "read/csv_columns.h"

/* A text of one to eight bytes and what it became in a field, so that it need not be parsed,
 * transformed or looked up again: most fields of most files hold few different texts. */
typedef struct csv_fast_known {
  uint64_t text; /* its bytes; 0 for none yet */
  encoded_text became;
} csv_fast_known;
/* Places for each of the first so many fields: what fits a processor's own cache. */
enum { CSV_FAST_KNOWN = 64, CSV_FAST_FIELDS_KNOWN = 128 };

typedef struct csv_fast_field {
  enum { FIELD_IGNORED, FIELD_COLUMN, FIELD_LABEL } kind;
  size_t c;                    /* the schema's column */
  const schema_column *column; /* NULL for the label */
  csv_fast_known *known;       /* NULL where texts are not remembered … */
  size_t missed;               /* … since too many of them were not found there */
} csv_fast_field;

typedef struct csv_fast {
  const csv_columns *columns;
  csv_fast_field *fields;
  csv_fast_known *known; /* of all fields */
  size_t records;        /* so far */
  bool fits;             /* the columns stand in the schema's order */
} csv_fast;

dperm_status csv_fast_open(const dperm_schema *schema, const csv_columns *columns, bool need_labels,
                           csv_fast *out, dperm_error *err);
void csv_fast_close(csv_fast *q);

/* Appends the next record, or *found = false at the end. */
dperm_status csv_fast_next(csv_fast *q, encoder *e, csv_reader *csv, growing_rows *rows,
                           bool *found, dperm_error *err);
