/* How many bins a numeric column gets where its "bins" are "auto", and where its cuts are: from
 * public numbers alone. */
#pragma once

#include "schema/schema.h"

enum { AUTO_BINS_MOST = 16, WIDE_BINS_MOST = 8 };

/* What `rows` rows at `epsilon` (NaN without a mechanism) can pay for, with so many columns that
 * are numeric or categorical: 4, 8 or 16. */
size_t auto_bins_count(size_t rows, double epsilon, size_t columns);

/* Whether values of the column may spread over orders of magnitude: amounts and counts, most of
 * them near zero. Equal widths would put nearly all of them into one bin. */
bool auto_bins_wide(const schema_column *column);
/* Whether its range is from −r to r, that of a standardized measurement, which a straight line
 * suits: such a column has bins only where it asks for them itself. */
bool auto_bins_standardized(const schema_column *column);
/* The number of bins of this column, where the rule has `bins` for others. */
size_t auto_bins_of(const schema_column *column, size_t bins);
/* The cuts of a wide column for `bins` bins (at most WIDE_BINS_MOST count), ascending: they halve
 * towards zero. Returns how many. */
size_t auto_bins_halving(const schema_column *column, size_t bins, double cuts[WIDE_BINS_MOST]);
