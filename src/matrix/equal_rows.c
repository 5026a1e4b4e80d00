/* See equal_rows.h. */
#include "matrix/equal_rows.h"

#include <xxhash.h>

#include "base/memory.h"
#include "base/thread_pool.h"

static uint64_t row_hash(const void *context, size_t i) {
  const row_view *row = (const row_view *)context + i;
  return XXH3_64bits_withSeed(row->values, row->count * sizeof *row->values,
                              XXH3_64bits(row->columns, row->count * sizeof *row->columns));
}

static bool same_row(const void *context, size_t i, size_t j) {
  const row_view *a = (const row_view *)context + i, *b = (const row_view *)context + j;
  return a->count == b->count &&
         memcmp(a->columns, b->columns, a->count * sizeof *a->columns) == 0 &&
         memcmp(a->values, b->values, a->count * sizeof *a->values) == 0;
}

size_t equal_in_block(const equal_items *items, size_t *places) {
  if (equal_places(items, EQUAL_TRIED, places) == EQUAL_TRIED) {
    for (size_t i = 0; i < MATRIX_BLOCK; i++) {
      places[i] = i;
    }
    return MATRIX_BLOCK;
  }
  return equal_places(items, MATRIX_BLOCK, places);
}

size_t equal_rows_find(const row_view *rows, size_t *places) {
  return equal_in_block(&(equal_items){rows, row_hash, same_row}, places);
}

/* ---- rows that are stored */

typedef struct folding {
  growing_rows *rows;
  size_t *places;
} folding;

static void find_block(void *context, size_t block, size_t worker) {
  const folding *f = context;
  const size_t at = block * MATRIX_BLOCK;
  row_view rows[MATRIX_BLOCK];
  for (size_t i = 0; i < MATRIX_BLOCK; i++) {
    rows[i] = rows_view(f->rows, at + i);
  }
  equal_rows_find(rows, f->places + at);
}

/* Rows are moved to the front, where they come for the first time; the rows behind the last full
 * block all do. */
static void drop_blocks(growing_rows *rows, size_t *places) {
  const size_t full = rows->count / MATRIX_BLOCK * MATRIX_BLOCK;
  size_t kept = 0, used = 0, block = 0;
  for (size_t i = 0; i < rows->count; i++) {
    const size_t from = rows->starts[i], count = rows->starts[i + 1] - from;
    block = i % MATRIX_BLOCK == 0 ? kept : block;
    places[i] = i < full ? block + places[i] : kept;
    if (places[i] == kept) {
      memmove(rows->columns + used, rows->columns + from, count * sizeof *rows->columns);
      memmove(rows->values + used, rows->values + from, count * sizeof *rows->values);
      rows->starts[kept++] = used;
      used += count;
    }
  }
  places[rows->count] = kept;
  rows->starts[kept] = rows->entries = used;
}

/* What the rows that were dropped had; where that fails, they keep it. */
static void give_back(growing_rows *rows) {
  uint32_t *columns = realloc(rows->columns, (rows->entries + 1) * sizeof *columns);
  double *values = realloc(rows->values, (rows->entries + 1) * sizeof *values);
  rows->columns = columns ? columns : rows->columns;
  rows->values = values ? values : rows->values;
  rows->columns_capacity = rows->values_capacity = rows->entries + 1;
}

dperm_status equal_rows_fold(growing_rows *rows, dperm_error *err) {
  OWNED_MEMORY size_t *places = NULL;
  const size_t full = rows->count / MATRIX_BLOCK;
  TRY(memory_raw(rows->count + 1, sizeof *places, &places, err));
  pool_run(full, find_block, &(folding){rows, places});
  TRY(cancel_check(err));
  drop_blocks(rows, places);
  if (places[rows->count] < rows->count) {
    rows->places = TAKE(places);
    give_back(rows);
  }
  return DPERM_OK;
}
