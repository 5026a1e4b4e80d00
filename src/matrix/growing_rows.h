/* Encoded rows as they grow: what the readers append to and the sparse matrix is made of. */
#pragma once

#include <stdbool.h>

#include "base/status.h"

/* Zeroed is empty. Row i has the entries from starts[i] to starts[i + 1]. */
typedef struct growing_rows {
  size_t count, entries;
  size_t *starts; /* one more than rows, once there is one: the last is `entries` */
  uint32_t *columns;
  double *values, *labels;
  size_t starts_capacity, columns_capacity, values_capacity, labels_capacity;
} growing_rows;

/* Makes space for one more row of up to `entries` entries. */
dperm_status rows_reserve(growing_rows *rows, size_t entries, dperm_error *err);

/* Makes space for `count` more rows with `entries` entries in all. */
dperm_status rows_reserve_many(growing_rows *rows, size_t count, size_t entries, dperm_error *err);

/* One more entry of the row that is being made; space was reserved. */
static inline void rows_push(growing_rows *rows, size_t column, double value) {
  rows->columns[rows->entries] = (uint32_t)column;
  rows->values[rows->entries++] = value;
}

/* Ends the row that is being made. */
void rows_end(growing_rows *rows, double label);

/* Entries from elsewhere for the row that is being made; space was reserved. */
void rows_copy(growing_rows *rows, const uint32_t *columns, const double *values, size_t count);
/* All rows of another, behind the last. */
dperm_status rows_append(growing_rows *rows, const growing_rows *more, dperm_error *err);
/* Leaves rows first, …, first + count − 1 alone. */
void rows_keep(growing_rows *rows, size_t first, size_t count);

/* Forgets all rows but keeps the capacity. */
void rows_reset(growing_rows *rows);
void rows_clear(growing_rows *rows);
/* Gives back what growth left unused; there is a row. */
void rows_trim(growing_rows *rows);
