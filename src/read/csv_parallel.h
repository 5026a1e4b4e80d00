/* All records of a CSV file, in spans of up to some megabytes that several threads share. */
#pragma once

#include "read/csv_columns.h"
#include "read/read_batch.h"

/* Hands the records from where `csv` stands to the end of the file to `take`, span by span. As
 * csv_columns_next would one by one: the same cells, counts and messages, whatever the number of
 * threads. */
dperm_status csv_parallel_read(csv_reader *csv, const csv_columns *columns, cell_reader *cells,
                               batch_taker *take, void *context, dperm_error *err);
