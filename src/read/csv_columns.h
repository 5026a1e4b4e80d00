/* Where the schema's columns stand in the records of a CSV file, and the record at hand as a row.
 * What a field's text becomes is the encoder's (encode.h); the messages with their places are here.
 */
#pragma once

#include "read/csv.h"
#include "read/encode.h"

typedef struct csv_columns {
  size_t *field_of; /* of each column of the schema, and last of the label; SIZE_MAX for none */
  size_t count;     /* fields that every record must have */
} csv_columns;

/* Reads the header, or looks at the first record, to know where the columns are; `csv` then stands
 * before the first data record. A file without the label's column is fine unless labels are
 * needed. */
dperm_status csv_columns_open(const dperm_schema *schema, bool need_labels, csv_reader *csv,
                              csv_columns *out, dperm_error *err);
void csv_columns_close(csv_columns *columns);

/* Appends the current record of `csv` to `rows`, or drops it if the schema says so. */
dperm_status csv_columns_encode(const csv_columns *columns, encoder *e, const csv_reader *csv,
                                growing_rows *rows, dperm_error *err);
