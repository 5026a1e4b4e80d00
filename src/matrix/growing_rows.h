/* Encoded rows as they grow: what readers append to and the sparse matrix is made of. */
#pragma once

#include "base/status.h"

/* The entries of a row, where they stand. */
typedef struct row_view {
  size_t count;
  const uint32_t *columns;
  const double *values;
} row_view;

/* Zeroed is empty. Row i has the entries from starts[i] to starts[i + 1]. */
typedef struct growing_rows {
  size_t count, entries;
  size_t *starts; /* one more than rows, once there is one: the last is `entries` */
  size_t *places; /* NULL; or, of rows that grow no more, row i is the places[i]-th that `starts`
                     knows, and the last, of no row, tells how many those are (equal_rows.h) */
  uint32_t *columns;
  double *values, *labels;
  size_t starts_capacity, columns_capacity, values_capacity, labels_capacity;
} growing_rows;

static inline row_view rows_view(const growing_rows *rows, size_t i) {
  const size_t at = rows->places ? rows->places[i] : i, from = rows->starts[at];
  return (row_view){rows->starts[at + 1] - from, rows->columns + from, rows->values + from};
}

/* Makes space for `count` more rows with `entries` entries in all. */
dperm_status rows_reserve_many(growing_rows *rows, size_t count, size_t entries, dperm_error *err);
/* The same for one more row of up to `entries` entries. */
static inline dperm_status rows_reserve(growing_rows *rows, size_t entries, dperm_error *err) {
  return rows_reserve_many(rows, 1, entries, err);
}

/* One more entry of the row that is being made; space was reserved. */
static inline void rows_push(growing_rows *rows, size_t column, double value) {
  rows->columns[rows->entries] = (uint32_t)column;
  rows->values[rows->entries++] = value;
}

/* Entries from elsewhere for the row that is being made; space was reserved. */
void rows_copy(growing_rows *rows, row_view more);
/* Ends the row that is being made. */
void rows_end(growing_rows *rows, double label);

/* A row from elsewhere, behind the last. */
dperm_status rows_add(growing_rows *rows, row_view row, double label, dperm_error *err);
/* Rows first, …, first + count − 1 of another, behind the last. */
dperm_status rows_append(growing_rows *rows, const growing_rows *more, size_t first, size_t count,
                         dperm_error *err);

/* Forgets all rows but keeps the capacity. */
void rows_reset(growing_rows *rows);
void rows_clear(growing_rows *rows);
