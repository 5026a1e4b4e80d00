/* The usual record, scanned and encoded in one go: no quotes, no blanks around fields, nothing
 * missing, plain numbers. Whatever else comes is left where it stands for csv_next and encoder_add,
 * which know everything and say what is wrong; a row is the same to the bit either way. */
#ifndef DPERM_DATA_QUICK_ROWS_H
#define DPERM_DATA_QUICK_ROWS_H

#include "data/encode.h"
#include "data/known_records.h"

typedef enum quick_kind { QUICK_SKIP, QUICK_NUMBER, QUICK_CATEGORY, QUICK_LABEL } quick_kind;

/* What a text of one to eight bytes came to in a field, so that it need not be parsed, transformed
 * or looked up again: most fields of most files hold few different texts. */
typedef struct quick_known {
  uint64_t text; /* its bytes; 0 for none yet */
  double value;  /* of its entry; of a label's text, the label */
  uint32_t column;
  uint32_t entries; /* 1, or 0 for none: the two above then say nothing, but for a label */
} quick_known;
/* Places for each of the first so many fields: what fits a processor's own cache. */
enum { QUICK_KNOWN = 64, QUICK_FIELDS_KNOWN = 128 };

/* What to do with a field. */
typedef struct quick_field {
  quick_kind kind;
  bool zero_is_nothing; /* a zero has no entry, whatever the column's range */
  size_t c;             /* the schema's column */
  const schema_column *column;
  quick_known *known; /* its texts; NULL where they are not remembered … */
  size_t missed;      /* … since too many of them were not found there */
} quick_field;

typedef struct quick_rows {
  encoder *e;
  quick_field *fields;
  quick_known *known; /* of all fields */
  size_t records;     /* so far */
  size_t *clamped;    /* columns of values out of range in the record at hand */
  bool fits;          /* the columns stand in the schema's order */
  bool may_miss;      /* there are markers of missing values beside the empty one */
  known_records lines;
} quick_rows;

/* `e` is open; another one for the same file may be put in its place afterwards. */
dperm_status quick_rows_open(encoder *e, quick_rows *out, dperm_error *err);
void quick_rows_close(quick_rows *q);

/* Appends the next record and moves on; false, with nothing changed, for one that is not usual or
 * not whole in the window. `rows` are only appended to until the window's bytes move (csv_moved).
 */
bool quick_rows_next(quick_rows *q, csv_reader *csv, growing_rows *rows);

#endif
