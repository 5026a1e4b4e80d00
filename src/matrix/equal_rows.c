/* See equal_rows.h. */
#include "matrix/equal_rows.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "base/thread_pool.h"

/* Row i has the entries from starts[i] to starts[i + 1]. */
typedef struct block_rows {
  const size_t *starts;
  const uint32_t *columns;
  const double *values;
} block_rows;

static uint64_t row_hash(const void *context, size_t i) {
  const block_rows *rows = context;
  const size_t a = rows->starts[i], count = rows->starts[i + 1] - a;
  return XXH3_64bits_withSeed(rows->values + a, count * sizeof *rows->values,
                              XXH3_64bits(rows->columns + a, count * sizeof *rows->columns));
}

static bool same_row(const void *context, size_t i, size_t j) {
  const block_rows *rows = context;
  const size_t a = rows->starts[i], b = rows->starts[j], count = rows->starts[i + 1] - a;
  return rows->starts[j + 1] - b == count &&
         memcmp(rows->columns + a, rows->columns + b, count * sizeof *rows->columns) == 0 &&
         memcmp(rows->values + a, rows->values + b, count * sizeof *rows->values) == 0;
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

size_t equal_rows_drop(size_t *places, size_t *starts, uint32_t *columns, double *values) {
  const block_rows rows = {starts, columns, values};
  const size_t different = equal_in_block(&(equal_items){&rows, row_hash, same_row}, places);
  size_t kept = 0, used = 0;
  for (size_t i = 0; i < MATRIX_BLOCK && different < MATRIX_BLOCK; i++) {
    const size_t from = starts[i], count = starts[i + 1] - from;
    if (places[i] == kept) { /* the first of its kind */
      memmove(columns + used, columns + from, count * sizeof *columns);
      memmove(values + used, values + from, count * sizeof *values);
      starts[kept++] = used;
      used += count;
    }
  }
  if (kept > 0) {
    starts[kept] = used;
  }
  return different;
}

/* ---- rows that are stored */

typedef struct folding {
  growing_rows *rows;
  size_t *places;
} folding;

static void find_block(void *context, size_t block, size_t worker) {
  const folding *f = context;
  const size_t at = block * MATRIX_BLOCK;
  const block_rows rows = {f->rows->starts + at, f->rows->columns, f->rows->values};
  equal_in_block(&(equal_items){&rows, row_hash, same_row}, f->places + at);
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

dperm_status equal_rows_fold(growing_rows *rows, dperm_error *err) {
  OWNED_MEMORY size_t *places = NULL;
  const size_t full = rows->count / MATRIX_BLOCK;
  TRY(memory_raw(rows->count + 1, sizeof *places, &places, err));
  pool_run(full, find_block, &(folding){rows, places});
  TRY(cancel_check(err));
  drop_blocks(rows, places);
  if (places[rows->count] < rows->count) {
    rows->places = TAKE(places);
  }
  return DPERM_OK;
}
