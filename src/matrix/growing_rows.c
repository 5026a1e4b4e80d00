/* Growing arrays of encoded rows. */
#include "matrix/growing_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

dperm_status rows_reserve_many(growing_rows *rows, size_t count, size_t entries, dperm_error *err) {
  size_t needed = rows->entries + entries + 1; /* not 0: rows point into arrays, even empty ones */
  size_t most = rows->count + count;
  if (most + 1 <= rows->starts_capacity && most <= rows->labels_capacity &&
      needed <= rows->columns_capacity && needed <= rows->values_capacity) {
    return DPERM_OK;
  }
  TRY(memory_reserve(&rows->starts, &rows->starts_capacity, most + 1, sizeof *rows->starts, err));
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
  rows->labels[rows->count++] = label;
  rows->starts[rows->count] = rows->entries;
}

void rows_copy(growing_rows *rows, const uint32_t *columns, const double *values, size_t count) {
  if (count > 0) {
    memcpy(rows->columns + rows->entries, columns, count * sizeof *columns);
    memcpy(rows->values + rows->entries, values, count * sizeof *values);
    rows->entries += count;
  }
}

dperm_status rows_append(growing_rows *rows, const growing_rows *more, dperm_error *err) {
  if (more->count == 0) {
    return DPERM_OK;
  }
  TRY(rows_reserve_many(rows, more->count, more->entries, err));
  for (size_t i = 1; i <= more->count; i++) {
    rows->starts[rows->count + i] = rows->entries + more->starts[i];
  }
  memcpy(rows->labels + rows->count, more->labels, more->count * sizeof *rows->labels);
  rows_copy(rows, more->columns, more->values, more->entries);
  rows->count += more->count;
  return DPERM_OK;
}

void rows_keep(growing_rows *rows, size_t first, size_t count) {
  size_t from = rows->starts[first];
  rows->count = count;
  rows->entries = rows->starts[first + count] - from;
  for (size_t i = 0; i <= count; i++) {
    rows->starts[i] = rows->starts[first + i] - from;
  }
  memmove(rows->columns, rows->columns + from, rows->entries * sizeof *rows->columns);
  memmove(rows->values, rows->values + from, rows->entries * sizeof *rows->values);
  memmove(rows->labels, rows->labels + first, count * sizeof *rows->labels);
}

void rows_reset(growing_rows *rows) {
  rows->count = rows->entries = 0;
  if (rows->starts) {
    rows->starts[0] = 0; /* the starts may have been moved */
  }
}

void rows_trim(growing_rows *rows) {
  memory_shrink(&rows->starts, &rows->starts_capacity, rows->count + 1, sizeof *rows->starts);
  memory_shrink(&rows->columns, &rows->columns_capacity, rows->entries, sizeof *rows->columns);
  memory_shrink(&rows->values, &rows->values_capacity, rows->entries, sizeof *rows->values);
  memory_shrink(&rows->labels, &rows->labels_capacity, rows->count, sizeof *rows->labels);
}

void rows_clear(growing_rows *rows) {
  free(rows->starts);
  free(rows->columns);
  free(rows->values);
  free(rows->labels);
  *rows = (growing_rows){0};
}
