/* The rows of a sparse matrix: stored, or made anew in every pass by a row_maker. */
#pragma once

#include "matrix/matrix.h"

typedef struct row_store {
  growing_rows stored; /* without labels; none where there is */
  row_maker *maker;    /* or NULL */
  size_t work_size;    /* doubles that MATRIX_BLOCK rows are made in */
} row_store;

/* Some rows: row i of them has the entries from starts[i] to starts[i + 1], or, with `places`, from
 * starts[places[i]] on. A full block (of MATRIX_BLOCK rows) with places consists of the `different`
 * rows from places[0] on. */
typedef struct row_window {
  const size_t *starts;
  const uint32_t *columns;
  const double *values;
  const size_t *places;
  size_t different; /* 0 where that is not known */
} row_window;

static inline size_t row_place(const row_window *rows, size_t i) {
  return rows->places ? rows->places[i] : i;
}

row_store row_store_of(row_maker *maker);
void row_store_clear(row_store *store);

/* Rows where they stand, or made in `work`; at most MATRIX_BLOCK. Equal rows of a full block are
 * found (equal_rows.h) if `from` is a multiple of MATRIX_BLOCK. */
row_window rows_at(const row_store *store, size_t from, size_t count, double *work);
/* All `rows` rows that a maker makes. */
dperm_status rows_keep(const row_store *from, size_t rows, growing_rows *to, dperm_error *err);
/* Listed rows, in their order. */
dperm_status rows_select(const row_store *from, const size_t *rows, size_t count, growing_rows *to,
                         dperm_error *err);
