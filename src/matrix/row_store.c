/* See row_store.h. */
#include "matrix/row_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"

row_store row_store_of(row_maker *maker) {
  const size_t entries = MATRIX_BLOCK * maker->most_entries + 1;
  return (row_store){.maker = maker, .work_size = MATRIX_BLOCK + 1 + entries + (entries + 1) / 2};
}

void row_store_clear(row_store *store) {
  rows_clear(&store->stored);
  if (store->maker) {
    store->maker->free(store->maker);
  }
}

/* Where rows are made in `work`. */
static row_window window_in(const row_store *m, size_t count, double *work) {
  double *values = work + count + 1;
  return (row_window){(size_t *)(void *)work,
                      (uint32_t *)(void *)(values + count * m->maker->most_entries + 1), values};
}

row_window rows_at(const row_store *m, size_t from, size_t count, double *work) {
  if (!m->maker) {
    return (row_window){m->stored.starts + from, m->stored.columns, m->stored.values};
  }
  const row_window made = window_in(m, count, work);
  m->maker->make(m->maker, from, count, (size_t *)made.starts, (uint32_t *)made.columns,
                 (double *)made.values);
  return made;
}

/* ---- listed rows */

/* First how long each is, then, once they have their places, what is in them. */
typedef struct selection {
  const row_store *from;
  const size_t *rows;
  size_t count;
  growing_rows *to;
  double *work; /* work_size a worker */
  bool placed;
} selection;

static void select_block(void *context, size_t block, size_t worker) {
  const selection *s = context;
  const size_t first = block * MATRIX_BLOCK, left = s->count - first;
  for (size_t i = first; i < first + (left < MATRIX_BLOCK ? left : MATRIX_BLOCK); i++) {
    const row_window row = rows_at(s->from, s->rows[i], 1, s->work + worker * s->from->work_size);
    const size_t begin = row.starts[0], length = row.starts[1] - begin;
    if (!s->placed) {
      s->to->starts[i + 1] = length;
      continue;
    }
    size_t at = s->to->starts[i];
    memcpy(s->to->columns + at, row.columns + begin, length * sizeof *row.columns);
    memcpy(s->to->values + at, row.values + begin, length * sizeof *row.values);
  }
}

dperm_status rows_select(const row_store *from, const size_t *rows, size_t count, growing_rows *to,
                         dperm_error *err) {
  const size_t blocks = (count + MATRIX_BLOCK - 1) / MATRIX_BLOCK;
  OWNED_MEMORY double *work = NULL;
  TRY(memory_raw(pool_workers() * from->work_size, sizeof *work, &work, err));
  TRY(rows_reserve_many(to, count, 0, err));
  selection s = {.from = from, .rows = rows, .count = count, .to = to, .work = work};
  pool_run(blocks, select_block, &s);
  for (size_t i = 0; i < count; i++) {
    to->starts[i + 1] += to->starts[i];
  }
  TRY(rows_reserve_many(to, count, to->starts[count], err));
  to->count = count;
  to->entries = to->starts[count];
  s.placed = true;
  pool_run(blocks, select_block, &s);
  return cancel_check(err);
}

/* ---- all rows */

/* Some blocks at a time: made side by side, then copied to where they belong. */
typedef struct keeping {
  const row_store *m;
  growing_rows *to;
  double *made; /* work_size for each block */
  size_t rows, from, to_row;
} keeping;

static size_t block_count(const keeping *k, size_t block) {
  const size_t left = k->to_row - (k->from + block * MATRIX_BLOCK);
  return left < MATRIX_BLOCK ? left : MATRIX_BLOCK;
}

static void make_kept(void *context, size_t block, size_t worker) {
  const keeping *k = context;
  (void)rows_at(k->m, k->from + block * MATRIX_BLOCK, block_count(k, block),
                k->made + block * k->m->work_size);
}

static void copy_kept(void *context, size_t block, size_t worker) {
  const keeping *k = context;
  const size_t count = block_count(k, block);
  const row_window rows = window_in(k->m, count, k->made + block * k->m->work_size);
  const size_t first = k->to->starts[k->from + block * MATRIX_BLOCK], entries = rows.starts[count];
  memcpy(k->to->columns + first, rows.columns, entries * sizeof *rows.columns);
  memcpy(k->to->values + first, rows.values, entries * sizeof *rows.values);
}

/* The places of the rows that were made. */
static dperm_status place_kept(keeping *k, size_t blocks, dperm_error *err) {
  size_t entries = 0, at = k->from;
  for (size_t b = 0; b < blocks; b++) {
    const size_t count = block_count(k, b);
    const size_t *starts = window_in(k->m, count, k->made + b * k->m->work_size).starts;
    for (size_t i = 0; i < count; i++, at++) {
      k->to->starts[at + 1] = k->to->entries + entries + starts[i + 1];
    }
    entries += starts[count];
  }
  /* All rows are likely as long as the first; space that is not used costs nothing. */
  size_t more = k->from == 0 ? k->rows / (k->to_row + 1) + 2 : 1;
  TRY(rows_reserve_many(k->to, 0, more * entries, err));
  k->to->count = k->to_row;
  k->to->entries += entries;
  return DPERM_OK;
}

dperm_status rows_keep(const row_store *from, size_t rows, growing_rows *to, dperm_error *err) {
  OWNED_MEMORY double *made = NULL;
  keeping k = {.m = from, .to = to, .rows = rows};
  const size_t at_once = 32 * pool_workers();
  TRY(memory_raw(at_once * from->work_size, sizeof *made, &made, err));
  k.made = made;
  TRY(rows_reserve_many(k.to, rows, 0, err));
  for (; k.from < rows; k.from = k.to_row) {
    const size_t left = rows - k.from, most = at_once * MATRIX_BLOCK;
    k.to_row = k.from + (left < most ? left : most);
    const size_t blocks = (k.to_row - k.from + MATRIX_BLOCK - 1) / MATRIX_BLOCK;
    pool_run(blocks, make_kept, &k);
    TRY(place_kept(&k, blocks, err));
    pool_run(blocks, copy_kept, &k);
    TRY(cancel_check(err));
  }
  return DPERM_OK;
}
