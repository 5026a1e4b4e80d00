/* The first rule, tried on seven data sets: with x = nε/k, bins of equal noisy mass, as many as
 * x^0.6/5; cells that hold much more than a bin's share are bins of their own; categories with less
 * than an eighth of a bin's share, or than the noise shows, are merged; nothing at all below nε =
 * 2000. */
#include "refine/refine_rule.h"

#include <math.h>

#include "base/memory.h"

/* The constants of the rule. */
static const double share = 0.08;      /* of epsilon, for the refinement */
static const double least_work = 2000; /* n·ε, below which a refinement does not pay */
static const double bins_power = 0.6;  /* B = x^0.6/5, */
static const double bins_divisor = 5;
static const double bins_least = 3, bins_most = 32;
static const double atom_share = 1.5; /* of a bin's mass, and */
static const double atom_noise = 4;   /* of the noise's scale: more is an atom */
static const double rare_noise = 1.5; /* of the noise's scale, or */
static const double rare_share = 8;   /* a bin's mass over this: less is rare */
static const double wide_range = 1000;
static const double line_weight = 0;
enum { CATEGORIES_LEAST = 8 };

/* ---- before anything is counted */

bool refine_rule_counts(const schema_column *column) {
  if (column->type == COLUMN_NUMERIC) {
    return !column->binned; /* somebody's own bins stay */
  }
  return column->type == COLUMN_CATEGORICAL && column->reference == LOOKUP_NONE &&
         column->categories.count >= CATEGORIES_LEAST;
}

double refine_rule_share(const refine_numbers *p) {
  return p->counted > 0 && (double)p->rows * p->epsilon >= least_work ? share : 0;
}

double refine_rule_whole(double refinement) {
  return refinement / share;
}

static double bin_count(const refine_numbers *p) {
  double x = (double)p->rows * p->epsilon / (double)p->columns;
  return fmin(fmax(pow(x, bins_power) / bins_divisor, bins_least), bins_most);
}

/* A bin's mass. */
static double bin_mass(const refine_numbers *p) {
  return (double)p->rows / bin_count(p);
}

/* Less than this is rare, or cannot be told from noise. */
static double least_mass(const refine_numbers *p) {
  return fmax(rare_noise * p->scale, bin_mass(p) / rare_share);
}

/* The noise of a sum over C cells is about s√(2C); half a bin's mass is what it may be. */
size_t refine_rule_cells(const refine_numbers *p) {
  double most = pow(bin_mass(p) / (2 * p->scale), 2) / 2;
  size_t cells = REFINE_CELLS_LEAST;
  while (cells < REFINE_CELLS_MOST && 2 * (double)cells <= most) {
    cells *= 2;
  }
  return cells;
}

bool refine_rule_near_zero(const schema_column *column) {
  return column->transform == TRANSFORM_LOG1P ||
         fmax(fabs(column->min), fabs(column->max)) >= wide_range;
}

/* ---- after it */

/* Mass up to and with each cell: sums of noisy counts, made monotone by pooling neighbours whose
 * order is wrong (isotonic regression), which takes out most of the noise of empty cells without
 * adding mass to them. */
static void pool_sums(const int64_t *counts, size_t cells, double *sums, size_t *starts) {
  size_t pools = 0;
  double sum = 0;
  for (size_t i = 0; i < cells; i++) {
    sum += (double)counts[i];
    sums[pools] = sum; /* the mean of the pool that begins here */
    starts[pools++] = i;
    while (pools > 1 && sums[pools - 2] >= sums[pools - 1]) {
      double first = (double)(starts[pools - 1] - starts[pools - 2]);
      double second = (double)(i + 1 - starts[pools - 1]);
      sums[pools - 2] = (sums[pools - 2] * first + sums[pools - 1] * second) / (first + second);
      pools--;
    }
  }
  for (size_t i = cells, pool = pools - 1; i-- > 0;) { /* from the last one on, so in place */
    pool -= i < starts[pool];
    sums[i] = sums[pool];
  }
}

/* One walk over the cells: an atom is cut off on both sides, the others are cut off together when a
 * bin is full; but no bin of next to nothing is left between two cuts or at the end. */
static void cut_cells(const refine_numbers *p, const int64_t *counts, const double *sums,
                      size_t cells, bool *cut) {
  double full = bin_mass(p), atom = fmax(atom_share * full, atom_noise * p->scale);
  double before = 0; /* mass up to the last cut, */
  size_t last = cells;
  for (size_t i = 0; i + 1 < cells; i++) {
    bool own = (double)counts[i] >= atom, next = (double)counts[i + 1] >= atom;
    double mass = sums[i] - before;
    if (own || mass >= full || (next && mass >= least_mass(p))) {
      cut[last = i] = true;
      before = sums[i];
    }
  }
  if (last < cells && sums[cells - 1] - before < least_mass(p)) {
    cut[last] = false;
  }
}

dperm_status refine_rule_cuts(const refine_numbers *p, const int64_t *counts, size_t cells,
                              bool *cut, dperm_error *err) {
  OWNED_MEMORY double *sums = NULL;
  OWNED_MEMORY size_t *starts = NULL;
  TRY(memory_new(cells, sizeof *sums, &sums, err));
  TRY(memory_new(cells, sizeof *starts, &starts, err));
  pool_sums(counts, cells, sums, starts);
  cut_cells(p, counts, sums, cells, cut);
  return DPERM_OK;
}

double refine_rule_line(const refine_numbers *p) {
  (void)p;
  return line_weight;
}

void refine_rule_merge(const refine_numbers *p, const int64_t *counts, size_t categories,
                       bool *merged) {
  double least = least_mass(p);
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
