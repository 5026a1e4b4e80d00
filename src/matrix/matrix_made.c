/* Sparse rows that are made when they are asked for (row_maker), or made once for all passes. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "matrix/sparse_rows.h"

dperm_status matrix_made_new(row_maker *maker, size_t rows, size_t cols, matrix **out,
                             dperm_error *err) {
  sparse *m = NULL;
  TRY(memory_new(1, sizeof *m, &m, err));
  *m = (sparse){.base = {.kind = &sparse_kind,
                         .rows = rows,
                         .cols = cols,
                         .row_entries = maker->most_entries,
                         .work_size = sparse_window_doubles(MATRIX_BLOCK, maker->most_entries)},
                .maker = maker,
                .entries = maker->entries};
  sparse_set_depths(m, m->entries);
  *out = &m->base;
  return DPERM_OK;
}

/* ---- rows that are made, once for all passes */

typedef struct keeping {
  const row_maker *maker;
  sparse *to;
} keeping;

static size_t block_rows_at(const keeping *k, size_t block, size_t *from) {
  size_t left = k->to->base.rows - block * MATRIX_BLOCK;
  *from = block * MATRIX_BLOCK;
  return left < MATRIX_BLOCK ? left : MATRIX_BLOCK;
}

/* Leaves the entries of each row in the place of its end. */
static void count_block(void *context, size_t block, size_t worker) {
  const keeping *k = context;
  size_t from = 0, count = block_rows_at(k, block, &from);
  (void)worker;
  k->maker->count(k->maker, from, count, k->to->starts + from + 1);
}

static void make_block(void *context, size_t block, size_t worker) {
  const keeping *k = context;
  size_t starts[MATRIX_BLOCK + 1], from = 0, count = block_rows_at(k, block, &from);
  size_t first = k->to->starts[from];
  (void)worker;
  k->maker->make(k->maker, from, count, starts, k->to->columns + first, k->to->values + first);
}

dperm_status matrix_keep(const matrix *x, matrix **out, dperm_error *err) {
  const sparse *m = (const sparse *)x;
  const size_t blocks = (x->rows + MATRIX_BLOCK - 1) / MATRIX_BLOCK;
  OWNED(matrix_free_at) matrix *kept = NULL;
  sparse *to = NULL;
  *out = NULL;
  if (x->kind != &sparse_kind || !m->maker) {
    return DPERM_OK;
  }
  TRY(memory_new(1, sizeof *to, &to, err));
  *to = *m;
  to->maker = NULL;
  to->base.work_size = 0;
  kept = &to->base;
  keeping k = {m->maker, to};
  TRY(memory_new(x->rows + 1, sizeof *to->starts, &to->starts, err));
  pool_run(blocks, count_block, &k);
  for (size_t i = 0; i < x->rows; i++) {
    to->starts[i + 1] += to->starts[i];
  }
  TRY(memory_raw(to->starts[x->rows] + 1, sizeof *to->columns, &to->columns, err));
  TRY(memory_raw(to->starts[x->rows] + 1, sizeof *to->values, &to->values, err));
  pool_run(blocks, make_block, &k);
  *out = kept;
  kept = NULL;
  return DPERM_OK;
}
