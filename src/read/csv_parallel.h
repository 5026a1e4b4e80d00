/* All records of a CSV file, in spans of up to some megabytes that several threads share. */
#pragma once

#include "read/csv_columns.h"

/* Appends the records from where `csv` stands to the end of the file. As csv_columns_next would one
 * by one: the same rows, counts and messages, whatever the number of threads. With `take` the rows
 * go there span by span, beside the reading of the next one; none are left. */
dperm_status csv_parallel_read(csv_reader *csv, const csv_columns *columns, encoder *e,
                               growing_rows *rows, rows_taker *take, void *context,
                               dperm_error *err);
