/* Growing arrays of encoded rows. */
#include "matrix/growing_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

dperm_status rows_reserve_many(growing_rows *rows, size_t count, size_t entries, dperm_error *err) {
  size_t needed = rows->entries + entries + 1; /* not 0: rows point into arrays, even empty ones */
  size_t most = rows->count + count;
  if (most + 1 <= rows->starts_capacity && most <= rows->labels_capacity &&
      (!rows->shares || most <= rows->ends_capacity) && needed <= rows->columns_capacity &&
      needed <= rows->values_capacity) {
    return DPERM_OK;
  }
  TRY(memory_reserve(&rows->starts, &rows->starts_capacity, most + 1, sizeof *rows->starts, err));
  if (rows->shares) {
    TRY(memory_reserve(&rows->ends, &rows->ends_capacity, most, sizeof *rows->ends, err));
  }
  TRY(memory_reserve(&rows->labels, &rows->labels_capacity, most, sizeof *rows->labels, err));
  TRY(memory_reserve(&rows->columns, &rows->columns_capacity, needed, sizeof *rows->columns, err));
  TRY(memory_reserve(&rows->values, &rows->values_capacity, needed, sizeof *rows->values, err));
  rows->starts[0] = 0;
  return DPERM_OK;
}

dperm_status rows_reserve(growing_rows *rows, size_t entries, dperm_error *err) {
  return rows_reserve_many(rows, 1, entries, err);
}

void rows_end(growing_rows *rows, double label) {
  if (rows->shares) {
    rows->ends[rows->count] = rows->entries;
  }
  rows->labels[rows->count++] = label;
  rows->starts[rows->count] = rows->entries;
}

void rows_repeat(growing_rows *rows, size_t row) {
  if (rows->shares) {
    rows->starts[rows->count] = rows->starts[row];
    rows->ends[rows->count] = rows->ends[row];
    rows->labels[rows->count++] = rows->labels[row];
    rows->starts[rows->count] = rows->entries;
    return;
  }
  size_t from = rows->starts[row], entries = rows->starts[row + 1] - from;
  memcpy(rows->columns + rows->entries, rows->columns + from, entries * sizeof *rows->columns);
  memcpy(rows->values + rows->entries, rows->values + from, entries * sizeof *rows->values);
  rows->entries += entries;
  rows_end(rows, rows->labels[row]);
}

void rows_reset(growing_rows *rows) {
  rows->count = rows->entries = 0;
  if (rows->starts) {
    rows->starts[0] = 0; /* the starts may have been moved */
  }
}

void rows_trim(growing_rows *rows) {
  memory_shrink(&rows->starts, &rows->starts_capacity, rows->count + 1, sizeof *rows->starts);
  if (rows->shares) {
    memory_shrink(&rows->ends, &rows->ends_capacity, rows->count, sizeof *rows->ends);
  }
  memory_shrink(&rows->columns, &rows->columns_capacity, rows->entries, sizeof *rows->columns);
  memory_shrink(&rows->values, &rows->values_capacity, rows->entries, sizeof *rows->values);
  memory_shrink(&rows->labels, &rows->labels_capacity, rows->count, sizeof *rows->labels);
}

void rows_clear(growing_rows *rows) {
  free(rows->starts);
  free(rows->ends);
  free(rows->columns);
  free(rows->values);
  free(rows->labels);
  *rows = (growing_rows){0};
}
