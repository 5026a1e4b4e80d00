/* Columns that nearly equal the label in public records: how often the best rule on one column
 * alone is wrong. A value names the label that it stands beside most often, which is counted by
 * majority vote (Boyer and Moore) in one pass; a number with too many values for that is cut in two
 * at the best place in a sample of the records. */
#include <math.h>

#include "base/memory.h"
#include "draft/draft_scan.h"

enum {
  CHANCE_ROWS = 100,   /* fewer records are predicted by chance */
  CHANCE_PER_VALUE = 5 /* and so are those of values that do not come back */
};

/* The lead of the winner is its count minus at most that of all others: of two labels the others'
 * share is half of what is missing, of more it lies between that and all of it. */
static double wrong_by_value(const draft_column *column, size_t labels) {
  uint64_t all = column->missing.count, leads = column->missing.lead;
  for (size_t i = 0; i < column->values.count; i++) {
    all += column->tallies[i].count;
    leads += column->tallies[i].lead;
  }
  return (double)(all - leads) / (double)all / (labels == 2 ? 2 : 1);
}

static int by_number(const void *a, const void *b) {
  const double x = ((const draft_point *)a)->x, y = ((const draft_point *)b)->x;
  return x < y ? -1 : x > y;
}

/* Below the cut one class, above it the other, either way round; missing values are left out. */
static dperm_status wrong_by_cut(const draft_column *column, const bool *positive, double *wrong,
                                 dperm_error *err) {
  OWNED_MEMORY draft_point *points = NULL;
  const size_t count = column->point_count;
  size_t positives = 0, below = 0, best = count;
  TRY(memory_new(count, sizeof *points, &points, err));
  memcpy(points, column->points, count * sizeof *points);
  qsort(points, count, sizeof *points, by_number);
  for (size_t i = 0; i < count; i++) {
    positives += positive[points[i].label];
  }
  for (size_t i = 0; i <= count; i++) { /* the cut is below point i */
    if (i == 0 || i == count || points[i - 1].x < points[i].x) {
      const size_t errors = below + (count - i) - (positives - below); /* above is positive */
      best = errors < best ? errors : best;
      best = count - errors < best ? count - errors : best;
    }
    below += i < count && positive[points[i].label];
  }
  *wrong = (double)best / (double)count;
  return DPERM_OK;
}

dperm_status draft_wrong_alone(const draft_column *column, size_t labels, const bool *positive,
                               double *wrong, dperm_error *err) {
  *wrong = (double)NAN;
  if (column->filled < CHANCE_ROWS) {
    return DPERM_OK;
  }
  if (!column->uncounted && column->filled >= CHANCE_PER_VALUE * column->values.count) {
    *wrong = wrong_by_value(column, labels);
  } else if (positive && column->numbers.count == column->filled &&
             column->point_count >= CHANCE_ROWS) {
    return wrong_by_cut(column, positive, wrong, err);
  }
  return DPERM_OK;
}
