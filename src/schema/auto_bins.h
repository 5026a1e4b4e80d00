/* Cuts of numeric columns into bins: of equal widths, or where "bins" are "auto", by a rule, for a
 * number of rows and epsilon. All of it from public numbers alone. */
#pragma once

#include "schema/schema.h"

/* `count` bins of equal width after the transform: cut i, in the column's units, is where
 * t(x) = t(min) + (i + 1)·width. False where doubles cannot tell so many apart. */
bool bins_cut_equally(const schema_column *column, size_t count, double *cuts);

enum { AUTO_BINS_LEAST = 4, AUTO_BINS_MOST = 16, WIDE_BINS_MOST = 8 };

/* How many bins a column has: 4, 8 or 16 of equal widths, 4, 6 or 8 where its range is wide, 4 or
 * one for each (16 here) where it has few whole numbers. */
typedef struct bin_numbers {
  size_t equal, wide, whole;
} bin_numbers;

/* What `rows` rows at `epsilon` (NaN without a mechanism) can pay for, with so many columns that
 * are numeric or categorical. No rows: the most there are. */
bin_numbers auto_bins_paid(size_t rows, double epsilon, size_t columns);

/* Whether values of the column may spread over orders of magnitude: amounts and counts, most of
 * them near zero. Equal widths would put nearly all of them into one bin. */
bool auto_bins_wide(const schema_column *column);
/* Whether its range is from −r to r, that of a standardized measurement, which a straight line
 * suits: such a column has bins only where it asks for them itself. */
bool auto_bins_standardized(const schema_column *column);
/* Whether it goes from one whole number to another and has 5 to 16 of them: a code or a scale. */
bool auto_bins_whole(const schema_column *column);
/* The number of bins of this column. */
size_t auto_bins_of(const schema_column *column, bin_numbers paid);
/* The cuts for at most `bins` bins, ascending, of a column that is wide (they halve towards zero,
 * and are fewer than WIDE_BINS_MOST) or of few whole numbers (they lie between all of these, or
 * between four parts). Returns how many; 0 for any other column, which has equal widths. */
size_t auto_bins_cuts(const schema_column *column, size_t bins, double cuts[AUTO_BINS_MOST]);
/* Whether a fit that may choose gives the column bins, though it does not say "auto". */
bool schema_column_asks(const schema_column *column);
/* How many of them a schema has. */
size_t schema_asked_columns(const dperm_schema *schema);
