/* See row_store.h. */
#include "matrix/row_store.h"

#include "base/memory.h"
#include "base/thread_pool.h"

row_store row_store_of(row_maker *maker) {
  const size_t entries = MATRIX_BLOCK * maker->most_entries + 1, rows = MATRIX_BLOCK + 1;
  return (row_store){.maker = maker, .work_size = 2 * rows + entries + (entries + 1) / 2};
}

void row_store_clear(row_store *store) {
  rows_clear(&store->stored);
  if (store->maker) {
    store->maker->free(store->maker);
  }
}

/* Where rows are made in `work`: their places come first, then what starts are, values, columns. */
static row_window window_in(const row_store *m, size_t count, double *work) {
  size_t *places = (size_t *)(void *)work, *starts = places + MATRIX_BLOCK + 1;
  double *values = (double *)(void *)(starts + count + 1);
  return (row_window){starts, (uint32_t *)(void *)(values + count * m->maker->most_entries + 1),
                      values, NULL, 0};
}

static bool is_block(size_t from, size_t count) {
  return from % MATRIX_BLOCK == 0 && count == MATRIX_BLOCK;
}

static row_window rows_made(const row_store *m, size_t from, size_t count, double *work) {
  row_window made = window_in(m, count, work);
  size_t *places = (size_t *)(void *)work, *starts = (size_t *)made.starts;
  const size_t different =
      m->maker->make(m->maker, from, count, is_block(from, count) ? places : NULL, starts,
                     (uint32_t *)made.columns, (double *)made.values);
  if (different < count) {
    made.places = places;
    made.different = different;
  }
  return made;
}

row_window rows_at(const row_store *m, size_t from, size_t count, double *work) {
  if (m->maker) {
    return rows_made(m, from, count, work);
  }
  const growing_rows *s = &m->stored;
  if (!s->places) {
    return (row_window){s->starts + from, s->columns, s->values, NULL, 0};
  }
  const size_t *places = s->places + from;
  const size_t different = is_block(from, count) ? places[count] - places[0] : 0;
  return (row_window){s->starts, s->columns, s->values, places, different};
}

/* ---- all rows */

/* Some blocks at a time: made side by side, then copied to where they belong. */
typedef struct keeping {
  const row_store *m;
  growing_rows *to;
  double *made;              /* work_size for each block */
  row_window *windows;       /* in there, */
  size_t *entries;           /* and where the entries of each go */
  size_t rows, from, to_row; /* in all; at hand */
  size_t kept;               /* different ones so far */
} keeping;

static size_t block_count(const keeping *k, size_t block) {
  const size_t left = k->to_row - (k->from + block * MATRIX_BLOCK);
  return left < MATRIX_BLOCK ? left : MATRIX_BLOCK;
}

static void make_kept(void *context, size_t block, size_t worker) {
  const keeping *k = context;
  k->windows[block] = rows_at(k->m, k->from + block * MATRIX_BLOCK, block_count(k, block),
                              k->made + block * k->m->work_size);
}

static size_t different_rows(const row_window *rows, size_t count) {
  return rows->places ? rows->different : count;
}

static void copy_kept(void *context, size_t block, size_t worker) {
  const keeping *k = context;
  const row_window *rows = &k->windows[block];
  const size_t entries = rows->starts[different_rows(rows, block_count(k, block))];
  memcpy(k->to->columns + k->entries[block], rows->columns, entries * sizeof *rows->columns);
  memcpy(k->to->values + k->entries[block], rows->values, entries * sizeof *rows->values);
}

/* The places of the rows that were made. */
static void place_kept(keeping *k, size_t blocks) {
  size_t used = k->to->entries;
  for (size_t b = 0; b < blocks; b++) {
    const row_window *rows = &k->windows[b];
    const size_t count = block_count(k, b), different = different_rows(rows, count);
    for (size_t i = 0; i < count; i++) {
      k->to->places[k->from + b * MATRIX_BLOCK + i] = k->kept + row_place(rows, i);
    }
    for (size_t i = 0; i < different; i++) {
      k->to->starts[k->kept + i + 1] = used + rows->starts[i + 1];
    }
    k->entries[b] = used;
    k->kept += different;
    used += rows->starts[different];
  }
  k->to->count = k->to_row;
  k->to->entries = used;
}

dperm_status rows_keep(const row_store *from, size_t rows, growing_rows *to, dperm_error *err) {
  OWNED(scratch_free) scratch work = {0};
  keeping k = {.m = from, .to = to, .rows = rows};
  const size_t at_once = 8 * pool_workers();
  TRY(scratch_take_raw(&work, at_once * from->work_size, sizeof *k.made, &k.made, err));
  TRY(scratch_take_raw(&work, at_once, sizeof *k.windows, &k.windows, err));
  TRY(scratch_take_raw(&work, at_once, sizeof *k.entries, &k.entries, err));
  /* What is not used costs nothing. */
  TRY(rows_reserve_many(to, rows, from->maker->entries, err));
  TRY(memory_raw(rows + 1, sizeof *to->places, &to->places, err));
  for (; k.from < rows; k.from = k.to_row) {
    const size_t left = rows - k.from, most = at_once * MATRIX_BLOCK;
    k.to_row = k.from + (left < most ? left : most);
    const size_t blocks = (k.to_row - k.from + MATRIX_BLOCK - 1) / MATRIX_BLOCK;
    pool_run(blocks, make_kept, &k);
    place_kept(&k, blocks);
    pool_run(blocks, copy_kept, &k);
    TRY(cancel_check(err));
  }
  to->places[rows] = k.kept;
  if (k.kept == rows) {
    free(TAKE(to->places));
  }
  return DPERM_OK;
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
    const size_t place = row_place(&row, 0), begin = row.starts[place];
    const size_t length = row.starts[place + 1] - begin;
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
