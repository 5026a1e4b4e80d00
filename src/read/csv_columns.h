/* Where the schema's columns stand in the records of a CSV file, and the next record as a row.
 * What a field's text becomes is the encoder's (encode.h); the messages with their places are here.
 */
#pragma once

#include "read/csv.h"
#include "read/encode.h"

typedef struct csv_columns {
  size_t *field_of; /* of each column that is encoded, and last of the label; SIZE_MAX for none */
  size_t count;     /* fields that every record must have */
} csv_columns;

/* Reads the header, or looks at the first record, to know where the columns are; `csv` then stands
 * before the first data record. A file without the label's column is fine unless labels are
 * needed, one without a header and without a record where it may be empty. */
dperm_status csv_columns_open(const dperm_schema *schema, bool need_labels, bool may_be_empty,
                              csv_reader *csv, csv_columns *out, dperm_error *err);
void csv_columns_close(csv_columns *columns);

/* Appends the next record of `csv` to `rows`, or drops it if the schema says so; *found = false at
 * the end. */
dperm_status csv_columns_next(const csv_columns *columns, encoder *e, csv_reader *csv,
                              growing_rows *rows, bool *found, dperm_error *err);
