/* Where the schema's columns stand in the records of a CSV file, and the next record as cells of a
 * table. What a field's text becomes is decided in table/cell.h; the messages with their places are
 * here. */
#pragma once

#include "read/csv.h"
#include "read/row_reader.h"
#include "table/cell.h"

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
