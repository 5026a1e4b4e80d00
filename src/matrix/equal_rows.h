/* Rows that are equal are computed with once. Records of categories, bins and whole numbers repeat:
 * of 256 connections that follow each other in KDD Cup 99, 50 are different. So of each full block
 * of MATRIX_BLOCK rows only the different ones are kept, and products with a vector take each of
 * them once: the margins of equal rows are equal, and their weights are added before the row is.
 * What one block finds depends on no other, so results are the same however rows are spread over
 * threads and processes. */
#pragma once

#include "base/equal_items.h"
#include "matrix/matrix.h"

/* Where the first few rows of a block are all different, all count as different. */
enum { EQUAL_TRIED = 32 };
/* equal_places of a full block in this sense. */
size_t equal_in_block(const equal_items *items, size_t *places);

/* The same of its rows: they are equal if all their bits are. */
size_t equal_rows_find(const row_view *rows, size_t *places);
/* Leaves of all full blocks the different rows; rows stay as they are if none are equal. */
dperm_status equal_rows_fold(growing_rows *rows, dperm_error *err);
