/* It begins with the bins that "auto" gives a column for nothing. With x = nε/k, n/(x^0.6/5) is a
 * bin's share: a bin that holds more is split, and cells that hold much more are bins of their own;
 * bins and categories with less than an eighth of it, or than the noise shows, are merged. Nothing
 * at all below nε = 2000. */
#include "refine/refine_rule.h"

#include <math.h>

#include "base/functions.h"
#include "schema/auto_bins.h"

/* The constants of the rule. */
static const double share = 0.08;          /* of epsilon, for the refinement */
static const double least_work = 2000;     /* n·ε, below which a refinement does not pay; and */
static const double least_work_each = 200; /* for each column: a count's noise is then n/8 */
static const double bins_power = 0.6;      /* B = x^0.6/5, */
static const double bins_divisor = 5;
static const double bins_least = 3, bins_most = 32;
static const double atom_share = 1.5; /* of a bin's mass, and */
static const double atom_noise = 4;   /* of the noise's scale: more is an atom */
static const double rare_noise = 1.5; /* of the noise's scale, or */
static const double rare_share = 8;   /* a bin's mass over this: less is rare */
static const double wide_range = 1000;
static const double coarse_share = 0.6; /* of all records, in one cell */
enum { CATEGORIES_LEAST = 8 };

bool refine_rule_counts(const schema_column *column, bool numbers) {
  if (column->type == COLUMN_NUMERIC) {
    return !column->binned; /* somebody's own bins stay */
  }
  return !numbers && column->type == COLUMN_CATEGORICAL && column->reference == LOOKUP_NONE &&
         column->categories.count >= CATEGORIES_LEAST;
}

double refine_rule_share(const refine_numbers *p) {
  double least = fmax(least_work, least_work_each * (double)p->counted);
  return p->counted > 0 && (double)p->rows * p->epsilon >= least ? share : 0;
}

double refine_rule_whole(double refinement) {
  return refinement / share;
}

static double bin_count(const refine_numbers *p) {
  double x = (double)p->rows * p->epsilon / (double)p->columns;
  return fmin(fmax(math_pow(x, bins_power) / bins_divisor, bins_least), bins_most);
}

/* A bin's mass. */
static double bin_mass(const refine_numbers *p) {
  return (double)p->rows / bin_count(p);
}

/* The noise of a sum over C cells is about s√(2C); half a bin's mass is what it may be, where a sum
 * has fewer cells than all by √B: one bin of B has C/B of them, but many more where a range is
 * loose and records are in few of its cells. */
size_t refine_rule_cells(const refine_numbers *p) {
  double most = math_pow(bin_mass(p) / (2 * p->scale), 2) / 2 * sqrt(bin_count(p));
  size_t cells = REFINE_CELLS_LEAST;
  while (cells < REFINE_CELLS_MOST && 2 * (double)cells <= most) {
    cells *= 2;
  }
  return cells;
}

size_t refine_rule_auto(const refine_numbers *p) {
  size_t bins = AUTO_BINS_MOST;
  while (bins > 4 && (double)bins > bin_count(p)) {
    bins /= 2;
  }
  return bins;
}

bool refine_rule_near_zero(const schema_column *column) {
  return column->transform == TRANSFORM_LOG1P || column->min == 0 || column->max == 0 ||
         fmax(fabs(column->min), fabs(column->max)) >= wide_range;
}

/* The noisy mass of cells from, …, to − 1. */
static double mass_of(const int64_t *counts, size_t from, size_t to) {
  double sum = 0;
  for (; from < to; from++) {
    sum += (double)counts[from];
  }
  return sum;
}

/* Less than this in so many cells is next to nothing, or cannot be told from noise. */
static double least_in(const refine_numbers *p, size_t cells) {
  return fmax(rare_noise * p->scale * sqrt((double)cells), bin_mass(p) / rare_share);
}

/* Cuts inside of a bin, cells from, …, to − 1, that holds more than its share: atoms are cut off on
 * both sides, the others together when a bin is full; no bin of next to nothing is left. */
static void split_bin(const refine_numbers *p, const int64_t *counts, size_t from, size_t to,
                      bool *cut) {
  double full = bin_mass(p), atom = fmax(atom_share * full, atom_noise * p->scale);
  for (size_t i = from, begin = from; i + 1 < to; i++) {
    bool own = (double)counts[i] >= atom, next = (double)counts[i + 1] >= atom;
    double here = mass_of(counts, begin, i + 1), rest = mass_of(counts, i + 1, to);
    double least = own || next ? 0 : full;
    if (here >= fmax(least, least_in(p, i + 1 - begin)) && rest >= least_in(p, to - i - 1)) {
      cut[i] = true;
      begin = i + 1;
    }
  }
}

/* Takes away cuts beside bins that hold next to nothing: into the next one, or the one before. */
static void merge_bins(const refine_numbers *p, const int64_t *counts, size_t cells, bool *cut) {
  size_t begin = 0, last = cells;
  for (size_t i = 0; i < cells; i++) {
    bool end = i + 1 == cells, empty = mass_of(counts, begin, i + 1) < least_in(p, i + 1 - begin);
    if (!end && !cut[i]) {
      continue;
    }
    if (empty && !end) {
      cut[i] = false;
    } else if (empty && last < cells) {
      cut[last] = false;
    } else {
      last = i;
      begin = i + 1;
    }
  }
}

void refine_rule_cuts(const refine_numbers *p, const int64_t *counts, size_t cells, bool *cut) {
  for (size_t from = 0, to = 1; to <= cells; to++) {
    if (to == cells || cut[to - 1]) {
      split_bin(p, counts, from, to, cut);
      from = to;
    }
  }
  merge_bins(p, counts, cells, cut);
}

bool refine_rule_coarse(const int64_t *counts, size_t cells, size_t *largest) {
  *largest = 0;
  for (size_t i = 1; i < cells; i++) {
    *largest = counts[i] > counts[*largest] ? i : *largest;
  }
  return (double)counts[*largest] > coarse_share * mass_of(counts, 0, cells);
}

void refine_rule_merge(const refine_numbers *p, const int64_t *counts, size_t categories,
                       bool *merged) {
  double least = least_in(p, 1);
  size_t largest = 0, count = 0;
  for (size_t c = 0; c < categories; c++) {
    merged[c] = (double)counts[c] < least;
    largest = counts[c] > counts[largest] ? c : largest;
  }
  merged[largest] = false; /* a column of one category would say nothing */
  for (size_t c = 0; c < categories; c++) {
    count += merged[c];
  }
  for (size_t c = 0; count < 2 && c < categories; c++) {
    merged[c] = false; /* one alone is as good as its group */
  }
}
