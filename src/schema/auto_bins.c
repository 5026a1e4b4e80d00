/* Cuts of equal width, and the rule for "bins": "auto". A bin must be paid for with noise, so their
 * number follows from how much evidence there is for a column, x = n·epsilon/columns; the steps of
 * x were found on public data sets (docs/formats.md has what they bring). Every number of bins is a
 * power of two and a prefix of halvings, so the cuts of a smaller number are among those of a
 * larger one. */
#include "schema/auto_bins.h"

#include <math.h>
#include <stdlib.h>

#include "base/functions.h"

bool bins_cut_equally(const schema_column *column, size_t count, double *cuts) {
  double low = column_transformed(column, column->min),
         high = column_transformed(column, column->max), before = column->min;
  for (size_t i = 0; i + 1 < count; i++) {
    double over = (double)(i + 1), n = (double)count;
    double cut = (low * (n - over) + high * over) / n;
    cut = column->transform == TRANSFORM_LOG1P ? math_expm1(cut) : cut;
    if (!(cut > before && cut < column->max)) {
      return false;
    }
    cuts[i] = before = cut;
  }
  return true;
}

/* ---- the rule */

/* Of x. Wide ranges come first, since four bins that halve towards zero may have all values in the
 * last; then whole numbers, each of which may mean something of its own. */
static const double wide_pays = 180, each_pays = 900, eight_pay = 750, sixteen_pay = 3000;
static const double wide_from = 250; /* the width of a range from which values crowd */

/* A fit without a mechanism has as much to pay with as one at this epsilon. */
static const double epsilon_without_mechanism = 10;

bin_numbers auto_bins_paid(size_t rows, double epsilon, size_t columns) {
  epsilon = isnan(epsilon) ? epsilon_without_mechanism : epsilon;
  double x = rows > 0 ? (double)rows * epsilon / (double)columns : INFINITY;
  return (bin_numbers){.equal = x < eight_pay     ? AUTO_BINS_LEAST
                                : x < sixteen_pay ? 8
                                                  : AUTO_BINS_MOST,
                       .wide = x < wide_pays   ? AUTO_BINS_LEAST
                               : x < eight_pay ? 6
                                               : WIDE_BINS_MOST,
                       .whole = x < each_pays ? AUTO_BINS_LEAST : AUTO_BINS_MOST};
}

bool auto_bins_wide(const schema_column *column) {
  double width = column->max - column->min; /* perhaps infinite */
  double from_zero = column->min > 0 ? column->min : column->max < 0 ? -column->max : 0.0;
  return column->transform == TRANSFORM_NONE && width >= wide_from && from_zero <= width / 10;
}

bool auto_bins_standardized(const schema_column *column) {
  return column->min == -column->max;
}

bool auto_bins_whole(const schema_column *column) {
  double steps = column->max - column->min;
  return column->transform == TRANSFORM_NONE && column->min == rint(column->min) &&
         column->max == rint(column->max) && steps >= AUTO_BINS_LEAST && steps < AUTO_BINS_MOST &&
         fmax(-column->min, column->max) < 0x1p50; /* halves are exact */
}

static size_t whole_cuts(const schema_column *column, size_t bins, double *cuts) {
  size_t numbers = (size_t)(column->max - column->min) + 1;
  size_t parts = bins < numbers ? AUTO_BINS_LEAST : numbers;
  for (size_t i = 1; i < parts; i++) {
    size_t below = (i * numbers + parts / 2) / parts; /* to the nearest */
    cuts[i - 1] = column->min - 0.5 + (double)below;
  }
  return parts - 1;
}

size_t auto_bins_of(const schema_column *column, bin_numbers paid) {
  double cuts[AUTO_BINS_MOST];
  return auto_bins_wide(column)    ? paid.wide
         : auto_bins_whole(column) ? whole_cuts(column, paid.whole, cuts) + 1
                                   : paid.equal;
}

static int compare(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Zero inside of the range: a cut there, then of the next cuts on either side the farther one. */
static size_t halve_both_sides(double low, double high, size_t count, double *cuts) {
  size_t used = 0;
  cuts[used++] = 0.0;
  low /= 2;
  high /= 2;
  while (used < count && (low < 0 || high > 0)) {
    double *next = high >= -low ? &high : &low;
    cuts[used++] = *next;
    *next /= 2; /* a side whose numbers end before is left alone */
  }
  return used;
}

static size_t halving_cuts(const schema_column *column, size_t bins, double *cuts) {
  size_t count = (bins < WIDE_BINS_MOST ? bins : WIDE_BINS_MOST) - 1, used = 0;
  if (column->min < 0 && column->max > 0) {
    used = halve_both_sides(column->min, column->max, count, cuts);
  } else {
    double part = column->max - column->min;
    for (; used < count; used++) {
      part /= 2;
      cuts[used] = column->min >= 0 ? column->min + part : column->max - part;
    }
  }
  qsort(cuts, used, sizeof *cuts, compare);
  return used;
}

size_t auto_bins_cuts(const schema_column *column, size_t bins, double cuts[AUTO_BINS_MOST]) {
  return auto_bins_wide(column)    ? halving_cuts(column, bins, cuts)
         : auto_bins_whole(column) ? whole_cuts(column, bins, cuts)
                                   : 0;
}

bool schema_column_asks(const schema_column *column) {
  return column->type == COLUMN_NUMERIC && !column->binned && !column->bins_auto;
}

size_t schema_asked_columns(const dperm_schema *schema) {
  size_t columns = 0;
  for (size_t c = 0; c < schema->column_count; c++) {
    columns += schema_column_asks(&schema->columns[c]);
  }
  return columns;
}
