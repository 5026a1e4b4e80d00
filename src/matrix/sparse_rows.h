/* The inside of sparse matrices, for the files that make them: matrix_sparse.c and matrix_made.c.
 */
#pragma once

#include <stdbool.h>

#include "matrix/matrix.h"

typedef struct sparse {
  matrix base;
  size_t *starts;    /* rows + 1: row i has the entries from starts[i] to starts[i + 1] */
  uint32_t *columns; /* ascending within a row */
  double *values;
  bool borrowed;    /* the three arrays are somebody else's */
  row_maker *maker; /* or NULL, and then the arrays are */
  size_t entries;   /* of the rows here together; of a maker, as it says */
  size_t block_rows;
} sparse;

extern const matrix_kind sparse_kind;

/* Doubles that some rows take which are made: starts, values, columns. */
size_t sparse_window_doubles(size_t count, size_t most_entries);
/* What follows from the sizes of all rows together. */
void sparse_set_depths(sparse *m, size_t entries);
