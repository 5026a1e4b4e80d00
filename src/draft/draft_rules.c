/* Thresholds and round numbers. The thresholds are rules of thumb: a draft is read by a person, and
 * each guess that may be wrong comes with a remark. */

#include <math.h>
#include <stdio.h>

#include "base/functions.h"
#include "draft/draft_scan.h"
#include "schema/identifier_name.h"

enum {
  FEW_VALUES = 12,     /* so many categories need no further reason */
  MANY_VALUES = 50,    /* more are no list that a person checks */
  ROWS_PER_VALUE = 20, /* a category should have as many rows on average */
  RARE_IN = 200,       /* rare: less than one in so many rows */
  RARE_TOGETHER = 10,  /* so many rare values become one group */
  CHANCE_ROWS = 20,    /* all different by chance is likely in fewer */
  COVERED_PERCENT = 80 /* frequent values that cover less are not worth a list */
};
static const double heavy_tail = 2.0; /* skewness of an exponential law */
static const double log_from = 10.0;  /* log1p bends little below */

/* ---- round numbers */

/* m·10^k, rounded once: 3·0.1 would not be 0.3. */
static double decimal(double m, int k) {
  char text[64];
  double x = NAN;
  (void)snprintf(text, sizeof text, "%.0fe%d", m, k);
  return parse_double(slice_of(text), &x) == NUMBER_OK ? x : NAN;
}

/* The k with 10^k ≤ x < 10^(k+1); log10 may be off by one at the powers. */
static int decade_of(double x) {
  int k = (int)floor(math_log10(x));
  k += decimal(1, k + 1) <= x;
  return k - (decimal(1, k) > x);
}

double draft_round_up(double x) {
  static const double tenths[] = {15, 20, 30, 40, 50, 60, 80};
  int k = decade_of(x);
  if (decimal(1, k) == x) {
    return x;
  }
  for (size_t i = 0; i < sizeof tenths / sizeof *tenths; i++) {
    double round = decimal(tenths[i], k - 1);
    if (round > x) {
      return round;
    }
  }
  return decimal(1, k + 1);
}

/* ---- ranges */

/* Far from zero: multiples of a round step (1, 2 or 5 times a power of ten) of at least half the
 * range, with a tenth of the range to spare on both sides. */
static void range_around(double low, double high, draft_range *out) {
  double spread = high - low, half = 0.5 * spread, spare = 0.1 * spread;
  int k = decade_of(half);
  int digit = half <= decimal(1, k)   ? 1
              : half <= decimal(2, k) ? 2
              : half <= decimal(5, k) ? 5
                                      : 10;
  double step = decimal(digit, k);
  out->min = decimal(floor((low - spare) / step) * digit, k);
  out->max = decimal(ceil((high + spare) / step) * digit, k);
  out->center = true;
}

/* Zero is in it: if both sides matter, the same bound for both. */
static void range_across(double low, double high, draft_range *out) {
  double larger = fmax(-low, high), smaller = fmin(-low, high);
  bool symmetric = smaller >= 0.1 * larger;
  out->min = -draft_round_up(symmetric ? larger : -low);
  out->max = draft_round_up(symmetric ? larger : high);
  out->center = symmetric;
}

/* A heavy tail: logarithms, from the power of ten below the smallest value. */
static void range_of_logs(double low, double high, draft_range *out) {
  int k = low > log_from ? decade_of(low) : 0;
  out->min = k == 0 ? 0 : decimal(1, decimal(1, k) == low ? k - 1 : k);
  out->max = draft_round_up(high);
  out->log1p = true;
  out->center = out->min >= log_from;
}

bool draft_range_of(const draft_numbers *n, draft_range *out) {
  double low = n->min, high = n->max;
  *out = (draft_range){0};
  if (!(low < high) || n->beyond || draft_is_extreme(low, high)) {
    return false;
  }
  if (low >= 0 && high >= log_from && draft_numbers_skewness(n) > heavy_tail) {
    range_of_logs(low, high, out);
  } else if (low >= 0 && low <= high - low) {
    out->max = draft_round_up(high);
  } else if (high <= 0 && -high <= high - low) {
    out->min = -draft_round_up(-low);
  } else if (low < 0 && high > 0) {
    range_across(low, high, out);
  } else {
    range_around(low, high, out);
  }
  return isfinite(out->min) && isfinite(out->max) && out->min <= low && out->max >= high &&
         out->min < out->max;
}

/* ---- kinds */

static draft_kind judge_numbers(const draft_column *column) {
  const draft_numbers *n = &column->numbers;
  draft_range range;
  bool two = !column->uncounted && column->values.count == 2 && n->min < n->max && !n->beyond;
  if (two && n->max == 1 && (n->min == 0 || n->min == -1)) {
    return DRAFT_FLAG;
  }
  if (two && column->filled >= CHANCE_ROWS) {
    return DRAFT_CATEGORIES;
  }
  if (n->whole && n->rising && column->different && column->filled >= CHANCE_ROWS) {
    return DRAFT_IDENTIFIER;
  }
  if (!(n->min < n->max) && !n->beyond) {
    return DRAFT_CONSTANT; /* 1 and 1.0 */
  }
  return draft_range_of(n, &range) ? DRAFT_NUMBER : DRAFT_EXTREME;
}

uint64_t draft_rare_below(const draft_column *column) {
  return (column->filled + RARE_IN - 1) / RARE_IN;
}

static draft_kind judge_texts(const draft_column *column) {
  if (column->different && column->filled >= CHANCE_ROWS) {
    return DRAFT_IDENTIFIER;
  }
  size_t distinct = column->values.count, rare = 0;
  uint64_t covered = 0, below = draft_rare_below(column);
  for (size_t i = 0; !column->uncounted && i < distinct; i++) {
    bool is_rare = column->tallies[i].count < below;
    rare += is_rare;
    covered += is_rare ? 0 : column->tallies[i].count;
  }
  bool small = distinct <= FEW_VALUES ||
               (distinct <= MANY_VALUES && distinct * ROWS_PER_VALUE <= column->filled);
  if (!column->uncounted && small) {
    return rare >= RARE_TOGETHER ? DRAFT_GROUPS : DRAFT_CATEGORIES;
  }
  bool head = !column->uncounted && distinct - rare <= MANY_VALUES && distinct > rare &&
              covered * 100 >= column->filled * COVERED_PERCENT &&
              (distinct - rare) * ROWS_PER_VALUE <= column->filled;
  return head ? DRAFT_GROUPS : DRAFT_MANY;
}

draft_kind draft_judge(const draft_column *column, const char *name) {
  if (column->filled == 0) {
    return DRAFT_EMPTY;
  }
  if (!column->uncounted && column->values.count == 1) {
    return DRAFT_CONSTANT;
  }
  bool numbers = column->numbers.count == column->filled && !column->numbers.padded;
  draft_kind kind = numbers ? judge_numbers(column) : judge_texts(column);
  if (kind == DRAFT_NUMBER && column->numbers.whole && name_is_identifier(name)) {
    kind = judge_texts(column); /* codes of a few wards, say; never a quantity */
    kind = draft_is_used(kind) ? kind : DRAFT_NAMED;
  }
  return kind;
}
