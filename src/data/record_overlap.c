/* Equal rows alone prove nothing: where columns take few values, other people of the same kind have
 * the same rows. So what is found is compared with chance. Let the a and b rows of both be put in
 * one heap, and a value stand in it k times. Had they been dealt out by chance, as those of two
 * samples of one population are, each set's share of the k would be binomial, with p = a/(a + b).
 * The sets are alike if
 * - more than half of the smaller one's values occur in the other, and far more than by chance: a
 *   copy, a part, a copy with others added, wherever most rows are somebody's own; or
 * - the shares deviate from k p by less than a tenth of what chance would make of them: a copy with
 *   hardly a change, the same several times over, also where rows are few-valued. With a handful of
 *   values that may be chance; there only equal numbers of each count.
 * Two populations that differ have fewer values in common and larger deviations than that. */
#define _DEFAULT_SOURCE /* lgamma_r */
#include "data/identity.h"

#include <math.h>

#include "base/functions.h"
#include "base/memory.h"

/* A value with how often it occurs in each set. Words only, so that sums gather them. */
typedef struct cell {
  uint64_t half[2], count[2];
} cell;

enum { CELL_WORDS = sizeof(cell) / sizeof(uint64_t), HANDFUL = 8 };

/* Beyond so many rows only the values count whose prints begin with some zeros: which do so has
 * nothing to do with the records, and what is exchanged stays small. */
static const size_t rows_most = (size_t)1 << 22;

typedef struct cells {
  cell *at;
  size_t count;
} cells;

static void cells_free(cells *c) {
  free(c->at);
}

/* ---- cells of the rows that are here */

static int compare_cells(const void *a, const void *b) {
  return memcmp(a, b, sizeof((cell *)0)->half);
}

/* One cell a value, ascending. */
static void put_together(cells *c) {
  size_t kept = 0;
  if (c->count > 0) {
    qsort(c->at, c->count, sizeof *c->at, compare_cells);
  }
  for (size_t i = 0; i < c->count; i++) {
    if (kept > 0 && compare_cells(&c->at[kept - 1], &c->at[i]) == 0) {
      c->at[kept - 1].count[0] += c->at[i].count[0];
      c->at[kept - 1].count[1] += c->at[i].count[1];
    } else {
      c->at[kept++] = c->at[i];
    }
  }
  c->count = kept;
}

static dperm_status add_rows(const matrix *x, int set, unsigned zeros, cells *out,
                             dperm_error *err) {
  OWNED(row_fingerprinter_close) row_fingerprinter printer = {0};
  TRY(row_fingerprinter_open_for(x, &printer, err));
  for (size_t i = 0; i < x->rows; i++) {
    const uint32_t *columns = NULL;
    const double *values = NULL;
    size_t count = row_nonzeros(&printer, x, i, &columns, &values);
    row_fingerprint print = row_fingerprint_of(&printer, columns, values, count);
    if (zeros == 0 || print.half[0] >> (64 - zeros) == 0) {
      cell *c = &out->at[out->count++];
      *c = (cell){.half = {print.half[0], print.half[1]}};
      c->count[set] = 1;
    }
  }
  return DPERM_OK;
}

/* Of a set that every process has, the leader counts the rows. */
static bool counted_here(const matrix *x, const ranks *r) {
  return x->spread || ranks_lead(r);
}

static dperm_status cells_here(const matrix *const x[2], const ranks *r, cells *out,
                               dperm_error *err) {
  size_t rows = 0, all = rows_in_all(x[0]) + rows_in_all(x[1]);
  unsigned zeros = 0;
  while (all >> zeros > rows_most) {
    zeros++;
  }
  for (int set = 0; set < 2; set++) {
    rows += counted_here(x[set], r) ? x[set]->rows : 0;
  }
  TRY(memory_new(rows, sizeof *out->at, &out->at, err));
  for (int set = 0; set < 2; set++) {
    if (counted_here(x[set], r)) {
      TRY(add_rows(x[set], set, zeros, out, err));
    }
  }
  put_together(out);
  return DPERM_OK;
}

/* ---- cells of all processes */

/* Each has its own in their place and zeros elsewhere, so sums of whole numbers are all of them. */
static dperm_status gather(ranks *r, dperm_status status, cells *c, dperm_error *err) {
  OWNED_MEMORY uint64_t *counts = NULL;
  OWNED(cells_free) cells joined = {NULL, 0};
  size_t first = 0;
  if (!r) {
    return status;
  }
  if (status == DPERM_OK) {
    status = memory_new(r->count, sizeof *counts, &counts, err);
  }
  if (status == DPERM_OK) {
    counts[r->rank] = c->count;
  }
  TRY(ranks_add(r, status, counts, r->count, err));
  for (size_t p = 0; counts && p < r->count; p++) {
    first += p < r->rank ? (size_t)counts[p] : 0;
    joined.count += (size_t)counts[p];
  }
  status = memory_new(joined.count, sizeof *joined.at, &joined.at, err);
  if (status == DPERM_OK) {
    memcpy(joined.at + first, c->at, c->count * sizeof *c->at);
  }
  TRY(ranks_add(r, status, (uint64_t *)(void *)joined.at, joined.count * CELL_WORDS, err));
  put_together(&joined);
  free(c->at);
  *c = joined;
  joined.at = NULL;
  return DPERM_OK;
}

/* ---- chance */

/* The mean of |X − k p| for X binomial: 2 ν C(k, ν) p^ν (1 − p)^(k − ν + 1) at ν = ⌊k p⌋ + 1. */
static double mean_deviation(double k, double p) {
  double v = fmin(floor(k * p) + 1, k);
  if (k == 1) { /* most are so, often */
    return 2 * p * (1 - p);
  }
  double choices = math_log_gamma(k + 1) - math_log_gamma(v + 1) - math_log_gamma(k - v + 1);
  return 2 * v * math_exp(choices + v * math_log(p) + (k - v + 1) * math_log1p(-p));
}

static bool cells_alike(const cells *c, double p) {
  double distinct[2] = {0}, common = 0, common_mean = 0, common_variance = 0;
  double deviation = 0, deviation_mean = 0;
  bool same = c->count > 0; /* as often in both, each value */
  for (size_t i = 0; i < c->count; i++) {
    double a = (double)c->at[i].count[0], b = (double)c->at[i].count[1], k = a + b;
    double both = 1 - math_pow(p, k) - math_pow(1 - p, k);
    distinct[0] += a > 0;
    distinct[1] += b > 0;
    common += a > 0 && b > 0;
    common_mean += both;
    common_variance += both * (1 - both);
    deviation += fabs(a - k * p);
    deviation_mean += mean_deviation(k, p);
    same = same && a == b;
  }
  bool many = 2 * common > fmin(distinct[0], distinct[1]) &&
              common > 1.05 * common_mean + 4 * sqrt(common_variance);
  bool close = c->count >= HANDFUL && deviation < 0.1 * deviation_mean;
  return many || close || same;
}

dperm_status records_overlap(const dperm_data *a, const dperm_data *b, bool *out,
                             dperm_error *err) {
  const matrix *const x[2] = {a->x, b->x};
  const double rows[2] = {(double)rows_in_all(a->x), (double)rows_in_all(b->x)};
  ranks *r = a->x->spread ? a->x->spread : b->x->spread;
  OWNED(cells_free) cells c = {NULL, 0};
  TRY(gather(r, cells_here(x, r, &c, err), &c, err));
  *out = cells_alike(&c, rows[0] / (rows[0] + rows[1]));
  return DPERM_OK;
}
