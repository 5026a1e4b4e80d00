/* See growing_rows.h. */
#include "matrix/growing_rows.h"

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

void rows_copy(growing_rows *rows, row_view more) {
  if (more.count > 0) {
    memcpy(rows->columns + rows->entries, more.columns, more.count * sizeof *more.columns);
    memcpy(rows->values + rows->entries, more.values, more.count * sizeof *more.values);
    rows->entries += more.count;
  }
}

void rows_end(growing_rows *rows, double label) {
  rows->labels[rows->count++] = label;
  rows->starts[rows->count] = rows->entries;
}

dperm_status rows_add(growing_rows *rows, row_view row, double label, dperm_error *err) {
  TRY(rows_reserve(rows, row.count, err));
  rows_copy(rows, row);
  rows_end(rows, label);
  return DPERM_OK;
}

dperm_status rows_append(growing_rows *rows, const growing_rows *more, size_t first, size_t count,
                         dperm_error *err) {
  for (size_t i = first; i < first + count; i++) {
    TRY(rows_add(rows, rows_view(more, i), more->labels[i], err));
  }
  return DPERM_OK;
}

void rows_reset(growing_rows *rows) {
  rows->count = rows->entries = 0;
}

void rows_clear(growing_rows *rows) {
  free(rows->starts);
  free(rows->places);
  free(rows->columns);
  free(rows->values);
  free(rows->labels);
  *rows = (growing_rows){0};
}
