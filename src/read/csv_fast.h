/* The usual record, scanned and encoded in one go: no quotes, no blanks around fields, nothing
 * missing, plain numbers. Whatever else comes is left where it stands for csv_next and encoder_add,
 * which know everything and say what is wrong; a row is the same to the bit either way. */
#ifndef DPERM_READ_CSV_FAST_H
#define DPERM_READ_CSV_FAST_H

#include "read/encode.h"

typedef enum csv_fast_kind {
  CSV_FAST_SKIP,
  CSV_FAST_NUMBER,
  CSV_FAST_CATEGORY,
  CSV_FAST_LABEL
} csv_fast_kind;

/* What a text of one to eight bytes came to in a field, so that it need not be parsed, transformed
 * or looked up again: most fields of most files hold few different texts. */
typedef struct csv_fast_known {
  uint64_t text; /* its bytes; 0 for none yet */
  double value;  /* of its entry; of a label's text, the label */
  uint32_t column;
  uint32_t entries; /* 1, or 0 for none: the two above then say nothing, but for a label */
} csv_fast_known;
/* Places for each of the first so many fields: what fits a processor's own cache. */
enum { CSV_FAST_KNOWN = 64, CSV_FAST_FIELDS_KNOWN = 128 };

/* What to do with a field. */
typedef struct csv_fast_field {
  csv_fast_kind kind;
  bool zero_is_nothing; /* a zero has no entry, whatever the column's range */
  size_t c;             /* the schema's column */
  const schema_column *column;
  csv_fast_known *known; /* its texts; NULL where they are not remembered … */
  size_t missed;         /* … since too many of them were not found there */
} csv_fast_field;

typedef struct csv_fast {
  encoder *e;
  csv_fast_field *fields;
  csv_fast_known *known; /* of all fields */
  size_t records;        /* so far */
  size_t *clamped;       /* columns of values out of range in the record at hand */
  bool fits;             /* the columns stand in the schema's order */
  bool may_miss;         /* there are markers of missing values beside the empty one */
} csv_fast;

/* `e` is open; another one for the same file may be put in its place afterwards. */
dperm_status csv_fast_open(encoder *e, csv_fast *out, dperm_error *err);
void csv_fast_close(csv_fast *q);

/* Appends the next record and moves on; false, with nothing changed, for one that is not usual or
 * not whole in the window. */
bool csv_fast_next(csv_fast *q, csv_reader *csv, growing_rows *rows);

#endif
