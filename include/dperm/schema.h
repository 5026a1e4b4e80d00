/* dperm: a schema's columns, one by one. dperm.h includes it. */
#ifndef DPERM_SCHEMA_H
#define DPERM_SCHEMA_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The columns of the file that the schema lists, the label's included. */
DPERM_API size_t dperm_schema_columns(const dperm_schema *schema);
DPERM_API const char *dperm_schema_column_name(const dperm_schema *schema, size_t column);
/* "numeric", "categorical", "ignore" or "label". */
DPERM_API const char *dperm_schema_column_type(const dperm_schema *schema, size_t column);
/* Encoded columns that this column of the file becomes. */
DPERM_API size_t dperm_schema_column_width(const dperm_schema *schema, size_t column);
/* At most one of these is not zero in a row (two, if the column has bins and a line), and none is
 * longer than this; 0 where there is none. */
DPERM_API double dperm_schema_column_bound(const dperm_schema *schema, size_t column);
/* The category of a categorical column that has no encoded column and encodes as zeros, or NULL. */
DPERM_API const char *dperm_schema_column_reference(const dperm_schema *schema, size_t column);
/* How many bins a numeric column has; 0 without, and while they are "auto". */
DPERM_API size_t dperm_schema_column_bins(const dperm_schema *schema, size_t column);
/* Whether they are "auto": they follow from the number of rows and ε, and until then nothing can be
 * encoded, and dims and bounds are those of the column without bins. */
DPERM_API bool dperm_schema_column_bins_auto(const dperm_schema *schema, size_t column);
/* The weight of the line beside the bins; 0 without. */
DPERM_API double dperm_schema_column_line(const dperm_schema *schema, size_t column);
/* Crosses: blocks for pairs of values of two columns, behind those of the columns. */
DPERM_API size_t dperm_schema_crosses(const dperm_schema *schema);
/* The first (`which` 0) or second (1) column of a cross. */
DPERM_API size_t dperm_schema_cross_column(const dperm_schema *schema, size_t cross, size_t which);
/* Its encoded columns; at most one is not zero in a row, and none longer than the bound. */
DPERM_API size_t dperm_schema_cross_width(const dperm_schema *schema, size_t cross);
DPERM_API double dperm_schema_cross_bound(const dperm_schema *schema, size_t cross);

#ifdef __cplusplus
}
#endif
#endif
