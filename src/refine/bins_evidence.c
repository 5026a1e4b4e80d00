/* See bins_evidence.h; docs/proofs/bins.md proves both reaches. */
#include "refine/bins_evidence.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/defect.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "privacy/guarantee.h"
#include "random/discrete_sampling.h"
#include "random/noise.h"
#include "schema/auto_bins.h"

enum { FIXED = 4096, RATIO_UNIT = 64, RATIO_PART = 30, RATIO_MOST = 4096, SHARES = 5 };

/* Asked of so many records the sums vary less than by their noise, and up to an epsilon of a
 * quarter a sample tells nearly as much as all records do. */
enum { SAMPLE_LEAST = 1 << 13, HALVINGS_MOST = 20 };
static const double sample_epsilon_most = 0.25;

/* Rounded down: 1 + q(e^ε′ − 1) ≤ e^ε. */
static double epsilon_of_sample(double epsilon, unsigned halvings) {
  return halvings ? log1p(ldexp(expm1(epsilon), (int)halvings)) * (1 - 0x1p-39) : epsilon;
}

evidence_sample evidence_sample_for(size_t rows, double epsilon) {
  unsigned halvings = 0;
  while (halvings < HALVINGS_MOST && rows >> (halvings + 1) >= SAMPLE_LEAST &&
         epsilon_of_sample(epsilon, halvings + 1) <= sample_epsilon_most) {
    halvings++;
  }
  return (evidence_sample){halvings, epsilon_of_sample(epsilon, halvings)};
}

dperm_status evidence_draw(const evidence_sample *sample, size_t rows, random_source *source,
                           size_t **out, size_t *count, dperm_error *err) {
  const unsigned coins = sample->halvings, at_once = 64 / (coins ? coins : 1);
  uint64_t bits = 0;
  size_t *drawn = NULL, number = 0;
  TRY(memory_raw(rows, sizeof *drawn, &drawn, err));
  for (size_t i = 0; i < rows; i++) {
    bits = i % at_once == 0 ? random_bits(source) : bits >> coins;
    drawn[number] = i;
    number += (bits & ((UINT64_C(1) << coins) - 1)) == 0 || DEFECT("evidence-whole");
  }
  *out = drawn;
  *count = number;
  return DPERM_OK;
}

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

/* Integers, so that it does not matter which thread added what. */
typedef struct tally {
  uint64_t *sums;   /* of the rows of each class in multiples of 1/FIXED, two's complement: negative
                       columns, positive columns, then the numbers of rows */
  uint64_t *counts; /* of entries that are not 0, a number for each encoded column */
  size_t *seen;     /* by a column of the schema: the last row that had a level of it, from 1 on */
} tally;

typedef struct tallying {
  const dperm_data *data;
  const size_t *drawn; /* `count` rows of those here, numbered among all; NULL for all of them */
  size_t count;
  const uint32_t *levels_of; /* whose bin or category each encoded column is, or nobodys */
  bool positive;
  double longest; /* no row of norm 1 is longer, when its entries are rounded */
  uint64_t *space;
  size_t words; /* of one worker */
  atomic_bool outside, twice;
} tallying;

enum { PIECE_ROWS = 4 * MATRIX_BLOCK };
static const uint32_t nobodys = UINT32_MAX;

static tally tally_of(const tallying *t, size_t worker) {
  const size_t cols = t->data->x->cols;
  uint64_t *at = t->space + worker * t->words;
  return (tally){at, at + 2 * cols + 2, (size_t *)(at + 3 * cols + 2)};
}

static void add_row(tallying *t, const tally *to, size_t i, const row_view *row) {
  const size_t cols = t->data->x->cols, side = t->data->labels[i] > 0;
  double squares = 0;
  bool inside = true;
  for (size_t e = 0; e < row->count; e++) {
    const uint32_t at = row->columns[e], owner = t->levels_of[at];
    double value = (row->values[e] * FIXED + 0x1.8p52) - 0x1.8p52; /* to the nearest */
    squares += value * value;                                      /* whole numbers, exactly */
    inside = inside && fabs(row->values[e]) <= 1 && !(t->positive && row->values[e] < 0);
    to->sums[side * cols + at] += (uint64_t)(int64_t)value;
    if (owner != nobodys && row->values[e] != 0) {
      to->counts[at]++;
      if (to->seen[owner] == i + 1) {
        atomic_store(&t->twice, true);
      }
      to->seen[owner] = i + 1;
    }
  }
  if (!inside || squares > t->longest * t->longest) {
    atomic_store(&t->outside, true);
  }
  to->sums[2 * cols + side]++;
}

static void add_piece(void *context, size_t piece, size_t worker) {
  tallying *t = context;
  const matrix *x = t->data->x;
  const tally to = tally_of(t, worker);
  double *work = (double *)(t->space + (worker + 1) * t->words) - x->work_size;
  const size_t begin = piece * PIECE_ROWS, step = t->drawn ? 1 : MATRIX_BLOCK;
  const size_t left = t->count - begin, end = begin + (left < PIECE_ROWS ? left : PIECE_ROWS);
  row_view rows[MATRIX_BLOCK];
  for (size_t at = begin; at < end; at += step) {
    const size_t count = end - at < step ? end - at : step;
    const size_t from = t->drawn ? t->drawn[at] - (x->spread ? x->first : 0) : at;
    x->kind->views(x, from, count, work, rows);
    for (size_t i = 0; i < count; i++) {
      add_row(t, &to, from + i, &rows[i]);
    }
  }
}

/* The drawn rows that are here. */
static void take_drawn(tallying *t, const size_t *drawn, size_t count) {
  const matrix *x = t->data->x;
  for (; x->spread && count > 0 && *drawn < x->first; drawn++) {
    count--;
  }
  while (x->spread && count > 0 && drawn[count - 1] - x->first >= x->rows) {
    count--;
  }
  t->drawn = drawn;
  t->count = count;
}

/* A row out of its bounds, or with two entries where the noise is made for one, ends the run. */
static dperm_status check_tally(tallying *t, dperm_error *err) {
  FAIL_IF(atomic_load(&t->outside), err, DPERM_NUMERIC_ERROR,
          "a row is outside of its public bounds, for which the noise is not made; nothing is "
          "released");
  FAIL_IF(atomic_load(&t->twice), err, DPERM_NUMERIC_ERROR,
          "a record counts twice in one column, for which the noise is not made; nothing is "
          "released");
  return DPERM_OK;
}

static dperm_status list_levels(const dperm_schema *schema, uint32_t **out, dperm_error *err) {
  TRY(memory_new(schema->dims, sizeof **out, out, err));
  for (size_t j = 0; j < schema->dims; j++) {
    (*out)[j] = nobodys;
  }
  for (size_t c = 0; c < schema->column_count; c++) {
    const schema_column *column = &schema->columns[c];
    bool one_hot = column->binned || column->type == COLUMN_CATEGORICAL;
    for (size_t j = column->block; one_hot && j < column->first + column->width; j++) {
      (*out)[j] = (uint32_t)c;
    }
  }
  return DPERM_OK;
}

void evidence_sums_clear(evidence_sums *s) {
  free(s->sums);
  *s = (evidence_sums){0};
}

dperm_status evidence_sums_of(const dperm_data *data, const size_t *drawn, size_t count,
                              evidence_sums *out, dperm_error *err) {
  OWNED_MEMORY uint32_t *levels_of = NULL;
  OWNED_MEMORY uint64_t *space = NULL;
  const matrix *x = data->x;
  const size_t cols = x->cols, workers = pool_workers(), kept = 3 * cols + 2;
  tallying t = {.data = data,
                .count = x->rows,
                .positive = never_negative(data->schema),
                .longest = FIXED + 0.5 * sqrt(entries_most(data->schema)) + 0.125,
                .words = kept + data->schema->column_count + x->work_size + 16};
  if (drawn) {
    take_drawn(&t, drawn, count);
  }
  dperm_status status = list_levels(data->schema, &levels_of, err);
  status = status == DPERM_OK ? memory_new(workers * t.words, sizeof *space, &space, err) : status;
  status = status == DPERM_OK ? memory_new(kept, sizeof *out->sums, &out->sums, err) : status;
  t.levels_of = levels_of;
  t.space = space;
  if (status == DPERM_OK) {
    pool_run((t.count + PIECE_ROWS - 1) / PIECE_ROWS, add_piece, &t);
    status = check_tally(&t, err);
    for (size_t w = 0; w < workers; w++) {
      for (size_t j = 0; j < kept; j++) {
        out->sums[j] += space[w * t.words + j];
      }
    }
  }
  out->schema = data->schema;
  out->rows = drawn ? count : rows_in_all(x);
  out->cols = cols;
  out->positive = t.positive;
  return ranks_add(x->spread, status, out->sums, kept, err);
}

void fullest_bins_add(const evidence_sums *s, const dperm_schema *plain, bool wide,
                      fullest_bins *total) {
  const uint64_t *counts = evidence_counts(s);
  for (size_t c = 0; c < s->schema->column_count; c++) {
    const schema_column *column = &s->schema->columns[c];
    uint64_t most = 0;
    if (!column->binned || plain->columns[c].binned || auto_bins_wide(column) != wide) {
      continue;
    }
    for (size_t i = 0; i < column_bins(column); i++) {
      uint64_t count = counts[column->block + i];
      most = count > most ? count : most;
    }
    total->columns++;
    total->records += most;
  }
}

/* ‖V‖/n, V = N₋S₊ − N₊S₋: the numbers of V are below n²·FIXED, so they fit in 128 bits. Without
 * records V is zero, whatever it is divided by. */
static double distance_between(const evidence_sums *s) {
  const wide_signed negative = (wide_signed)s->sums[2 * s->cols],
                    positive = (wide_signed)s->sums[2 * s->cols + 1];
  double squares = 0;
  for (size_t j = 0; j < s->cols; j++) {
    wide_signed v = negative * (int64_t)s->sums[s->cols + j] - positive * (int64_t)s->sums[j];
    double part = (double)v / (double)(s->rows ? s->rows : 1);
    squares += part * part;
  }
  return sqrt(squares);
}

/* Rows x have norms of at most 1, so no two of them are farther apart than 2, or √2 where entries
 * are not negative; and V/n moves by at most that, with a record replaced, added or removed.
 * Rounding an entry moves it by half a unit, the sum of squares loses (d + 4)·2^−53 of itself, and
 * what is left of a unit is cut off. */
static int64_t distance_reach(const evidence_sums *s, size_t most) {
  double cols = (double)s->cols, rows = (double)most;
  double apart = FIXED * (s->positive ? 1.4142136 : 2.0) + sqrt(entries_most(s->schema)) + 1;
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

dperm_status class_distance_of(const evidence_sums *s, const evidence_scope *scope,
                               class_distance *out, dperm_error *err) {
  FAIL_IF(s->rows > scope->most, err, DPERM_NUMERIC_ERROR,
          "there are more records than the noise is made for; nothing is released");
  out->apart.value = (int64_t)distance_between(s);
  out->apart.reach = distance_reach(s, scope->most);
  out->noise = least_noise_of(&s->schema->bounds, s->cols);
  return DPERM_OK;
}

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
