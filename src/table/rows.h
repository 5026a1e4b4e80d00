/* Rows as a view of a table: a schema turns each cell into at most two entries of a row (a line and
 * a one-hot place), pairs of cells into those of crosses, and divides the row by what keeps its
 * norm within 1 (docs/privacy.md 5). Bins, refined bins, groups, crosses and lines are other
 * lookups over the same cells; no record is read or encoded again. */
#pragma once

#include "matrix/matrix.h"
#include "table/table.h"

/* Whether rows of this schema can be made of the table's cells: the same columns, values that are
 * those of the table or groups of them, ranges within the table's, the same labels. Bins, crosses,
 * scales, weights and columns that are left out do not matter; but none is left out where records
 * are dropped for what is missing. */
dperm_status rows_check_schema(const record_table *t, const dperm_schema *schema, dperm_error *err);

/* The rows of the table under this schema, which rows_check_schema holds for. Bins that are still
 * "auto" are none: their columns are lines. The matrix has its own share of both. */
dperm_status rows_of_table(const record_table *t, const dperm_schema *schema, matrix **out,
                           dperm_error *err);

/* The same view for what crosses after the fit tell apart: for each column of the schema that is
 * crossed, at its place, which part of it a record has, or PART_NONE. */
enum { PART_NONE = UINT8_MAX };
dperm_status parts_of_table(const record_table *t, const dperm_schema *schema, row_maker **out,
                            dperm_error *err);
void parts_of_record(const row_maker *view, size_t record, uint8_t *parts);

/* The label of each row as fits have it (class_label, label_scaled), table->rows of them. */
void labels_of_table(const record_table *t, double *labels);
