/* What a reader gives at a time: cells of records that a schema describes, or rows that are numbers
 * already (svmlight). One of the two is empty. */
#pragma once

#include "matrix/growing_rows.h"
#include "table/table.h"

typedef struct read_batch {
  record_batch records;
  growing_rows rows;
} read_batch;

static inline size_t read_batch_count(const read_batch *batch) {
  return batch->records.count + batch->rows.count;
}
static inline void read_batch_clear(read_batch *batch) {
  batch_clear(&batch->records);
  rows_clear(&batch->rows);
}

/* What is done with records as they come, in order: added to a table, or to a file. */
typedef dperm_status batch_taker(void *context, const read_batch *batches, size_t count,
                                 dperm_error *err);
