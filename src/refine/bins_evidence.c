/* See bins_evidence.h; docs/proofs/bins.md proves both reaches. */
#include "refine/bins_evidence.h"

#include <math.h>
#include <stdlib.h>

#include "base/defect.h"
#include "base/memory.h"
#include "privacy/guarantee.h"
#include "random/discrete_sampling.h"
#include "random/noise.h"
#include "schema/auto_bins.h"

enum { FIXED = 4096, RATIO_UNIT = 64, RATIO_PART = 30, RATIO_MOST = 4096, SHARES = 5 };

/* ---- crowding */

/* Counts the records of each bin of a column, on all processes. */
static dperm_status count_bins(const matrix *x, size_t first, size_t width, uint64_t *counts,
                               dperm_error *err) {
  dperm_status status = DPERM_OK;
  for (size_t i = 0; i < x->rows && status == DPERM_OK; i++) {
    const uint32_t *at = NULL;
    const double *values = NULL;
    size_t entries = x->kind->entries(x, i, &at, &values), seen = 0;
    for (size_t e = 0; e < entries; e++) {
      if (at[e] >= first && at[e] - first < width && values[e] != 0) {
        counts[at[e] - first]++;
        seen++;
      }
    }
    if (seen > 1) {
      status = error_set(err, DPERM_NUMERIC_ERROR,
                         "a record counts twice in one column, for which the noise is not made; "
                         "nothing is released");
    }
  }
  return ranks_add(x->spread, status, counts, width, err);
}

dperm_status fullest_bins_add(const dperm_data *data, const dperm_schema *plain, bool wide,
                              fullest_bins *total, dperm_error *err) {
  const dperm_schema *binned = data->schema;
  for (size_t c = 0; c < binned->column_count; c++) {
    const schema_column *column = &binned->columns[c];
    if (!column->binned || plain->columns[c].binned || auto_bins_wide(column) != wide) {
      continue;
    }
    OWNED_MEMORY uint64_t *counts = NULL;
    size_t width = column->cut_count + 1;
    uint64_t most = 0;
    TRY(memory_new(width, sizeof *counts, &counts, err));
    TRY(count_bins(data->x, column->block, width, counts, err));
    for (size_t i = 0; i < width; i++) {
      most = counts[i] > most ? counts[i] : most;
    }
    total->columns++;
    total->records += most;
  }
  return DPERM_OK;
}

/* ---- separation */

/* Whether the schema lets no entry be negative. */
static bool never_negative(const dperm_schema *schema) {
  for (size_t c = 0; c < schema->column_count; c++) {
    const schema_column *column = &schema->columns[c];
    bool number = column->type == COLUMN_NUMERIC && (!column->binned || column->line > 0);
    if (number && (column->scale != SCALE_MAX || column->min < 0)) {
      return false;
    }
  }
  return true;
}

/* The most entries of a row, by the schema, and not those that some row has. */
static double entries_most(const dperm_schema *schema) {
  return 2.0 * (double)schema->column_count + (double)schema->cross_count + 1;
}

/* Sums of the rows of each class, in multiples of 1/FIXED, and how many they are. */
typedef struct class_sums {
  size_t cols;
  double longest; /* no row of norm 1 is longer, when its entries are rounded */
  uint64_t *sums; /* two's complement: negative columns, positive columns, then both numbers */
} class_sums;

static dperm_status add_row(const dperm_data *data, size_t row, bool positive, class_sums *s,
                            dperm_error *err) {
  const uint32_t *at = NULL;
  const double *values = NULL;
  size_t side = data->labels[row] > 0, entries = data->x->kind->entries(data->x, row, &at, &values);
  double squares = 0;
  for (size_t e = 0; e < entries; e++) {
    double value = rint(values[e] * FIXED);
    squares += value * value; /* whole numbers, exactly */
    if (!(fabs(values[e]) <= 1) || (positive && values[e] < 0) ||
        squares > s->longest * s->longest) {
      FAIL(err, DPERM_NUMERIC_ERROR,
           "a row is outside of its public bounds, for which the noise is not made; nothing is "
           "released");
    }
    s->sums[side * s->cols + at[e]] += (uint64_t)(int64_t)value;
  }
  s->sums[2 * s->cols + side]++;
  return DPERM_OK;
}

static dperm_status sum_classes(const dperm_data *data, bool positive, class_sums *s,
                                dperm_error *err) {
  dperm_status status = DPERM_OK;
  for (size_t i = 0; i < data->x->rows && status == DPERM_OK; i++) {
    status = add_row(data, i, positive, s, err);
  }
  return ranks_add(data->x->spread, status, s->sums, 2 * s->cols + 2, err);
}

/* ‖V‖/n, V = N₋S₊ − N₊S₋: the numbers of V are below n²·FIXED, so they fit in 128 bits. Without
 * records V is zero, whatever it is divided by. */
static double distance_between(const class_sums *s, size_t rows) {
  const wide_signed negative = (wide_signed)s->sums[2 * s->cols],
                    positive = (wide_signed)s->sums[2 * s->cols + 1];
  double squares = 0;
  for (size_t j = 0; j < s->cols; j++) {
    wide_signed v = negative * (int64_t)s->sums[s->cols + j] - positive * (int64_t)s->sums[j];
    double part = (double)v / (double)(rows ? rows : 1);
    squares += part * part;
  }
  return sqrt(squares);
}

/* Rows x have norms of at most 1, so no two of them are farther apart than 2, or √2 where entries
 * are not negative; and V/n moves by at most that, with a record replaced, added or removed.
 * Rounding an entry moves it by half a unit, the sum of squares loses (d + 4)·2^−53 of itself, and
 * what is left of a unit is cut off. */
static int64_t distance_reach(const dperm_data *data, bool positive, size_t most) {
  double cols = (double)data->x->cols, rows = (double)most;
  double apart = FIXED * (positive ? 1.4142136 : 2.0) + sqrt(entries_most(data->schema)) + 1;
  return (int64_t)ceil(apart + rows * FIXED * (cols + 8) * 0x1p-51) + 2;
}

/* R_K·rms‖b‖ at β = 1, of the pure kind that has the least. */
static double least_noise_of(const row_bounds *bounds, size_t dims) {
  double least = INFINITY;
  for (size_t i = 0; noise_at(i); i++) {
    double row = noise_at(i)->row_bound(bounds, dims);
    const noise_plan plan = {noise_at(i), dims, 1.0, bounds->body, 1};
    least = row > 0 && !noise_at(i)->needs_delta ? fmin(least, row * noise_rms_norm(&plan)) : least;
  }
  return least;
}

dperm_status class_distance_of(const dperm_data *data, const evidence_scope *scope,
                               class_distance *out, dperm_error *err) {
  OWNED_MEMORY uint64_t *sums = NULL;
  const size_t rows = rows_in_all(data->x);
  if (rows > scope->most) {
    FAIL(err, DPERM_NUMERIC_ERROR,
         "there are more records than the noise is made for; nothing is released");
  }
  bool positive = never_negative(data->schema);
  TRY(memory_new(2 * data->x->cols + 2, sizeof *sums, &sums, err));
  class_sums s = {data->x->cols, FIXED + 0.5 * sqrt(entries_most(data->schema)) + 0.125, sums};
  TRY(sum_classes(data, positive, &s, err));
  out->apart.value = (int64_t)distance_between(&s, rows);
  out->apart.reach = distance_reach(data, positive, scope->most);
  out->noise = least_noise_of(&data->bounds, data->x->cols);
  return DPERM_OK;
}

/* ---- both */

bins_evidence bins_evidence_of(const fullest_bins *fullest, size_t rows,
                               const evidence_scope *scope, const class_distance *lines,
                               const class_distance *bins) {
  const int64_t columns = (int64_t)fullest->columns;
  double more = RATIO_PART * bins->noise / lines->noise;
  int64_t p = more < RATIO_MOST ? (int64_t)more : RATIO_MOST;
  /* Replaced, a record moves each of the fullest bins by at most one. Added, it adds up to one to
   * each of them, and one to n. */
  int64_t moved = scope->adding || DEFECT("evidence-add") ? 2 : 3;
  return (bins_evidence){
      .crowding = {3 * (int64_t)fullest->records - columns * (int64_t)rows, moved * columns},
      .separation = {RATIO_UNIT * bins->apart.value - p * lines->apart.value,
                     RATIO_UNIT * bins->apart.reach + p * lines->apart.reach}};
}

/* `parts` shares of epsilon for a sum. */
static bool positive_with_noise(const exact_sum *sum, ratio share, uint64_t parts,
                                random_source *source) {
  if (DEFECT("evidence-bare")) {
    return sum->value > 0;
  }
  wide_signed noise = random_discrete_laplace_wide(
      source, (wide_integer)share.over * parts, (wide_integer)share.under * (uint64_t)sum->reach);
  return sum->value + noise > 0;
}

bool bins_wanted(const bins_evidence *evidence, double epsilon, random_source *source) {
  const ratio share = ratio_below(epsilon_share(epsilon, SHARES));
  bool crowded = positive_with_noise(&evidence->crowding, share, 1, source);
  bool apart = positive_with_noise(&evidence->separation, share, SHARES - 1, source);
  return crowded && apart;
}
