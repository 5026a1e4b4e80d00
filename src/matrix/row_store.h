/* The rows of a sparse matrix: stored, or made anew in every pass by a row_maker. */
#pragma once

#include "matrix/matrix.h"

typedef struct row_store {
  growing_rows stored; /* without labels; none where there is */
  row_maker *maker;    /* or NULL */
  size_t work_size;    /* doubles that MATRIX_BLOCK rows are made in */
} row_store;

/* Some rows: row i of them has the entries from starts[i] to starts[i + 1]. */
typedef struct row_window {
  const size_t *starts;
  const uint32_t *columns;
  const double *values;
} row_window;

row_store row_store_of(row_maker *maker);
void row_store_clear(row_store *store);

/* Rows where they stand, or made in `work`; at most MATRIX_BLOCK. */
row_window rows_at(const row_store *store, size_t from, size_t count, double *work);
/* Listed rows, in their order. */
dperm_status rows_select(const row_store *from, const size_t *rows, size_t count, growing_rows *to,
                         dperm_error *err);
/* All `rows` rows that a maker makes. */
dperm_status rows_keep(const row_store *from, size_t rows, growing_rows *to, dperm_error *err);
