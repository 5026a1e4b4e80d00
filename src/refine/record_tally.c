/* See record_tally.h. */
#include "refine/record_tally.h"

#include <math.h>
#include <stdatomic.h>

#include "base/defect.h"
#include "base/functions.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "schema/auto_bins.h"

/* ---- samples */

/* Of so many records what is asked varies less than its noise, and up to an epsilon of a half a
 * sample tells three quarters of what all records do. */
enum { SAMPLE_LEAST = 1 << 14, HALVINGS_MOST = 20 };
static const double sample_epsilon_most = 0.5;

/* Rounded down: 1 + q(e^ε′ − 1) ≤ e^ε. */
double sample_epsilon(const record_sample *sample, double epsilon) {
  return sample->halvings
             ? math_log1p(ldexp(math_expm1(epsilon), (int)sample->halvings)) * (1 - 0x1p-39)
             : epsilon;
}

record_sample record_sample_for(size_t rows, double epsilon) {
  record_sample sample = {0}, next = {1};
  while (next.halvings <= HALVINGS_MOST && rows >> next.halvings >= SAMPLE_LEAST &&
         sample_epsilon(&next, epsilon) <= sample_epsilon_most) {
    sample = next;
    next.halvings++;
  }
  return sample;
}

dperm_status record_sample_draw(const record_sample *sample, size_t rows, random_source *source,
                                size_t **out, size_t *count, dperm_error *err) {
  const unsigned coins = sample->halvings, at_once = 64 / (coins ? coins : 1);
  uint64_t bits = 0;
  size_t *drawn = NULL, number = 0;
  TRY(memory_raw(rows, sizeof *drawn, &drawn, err));
  for (size_t i = 0; i < rows; i++) {
    bits = i % at_once == 0 ? random_bits(source) : bits >> coins;
    drawn[number] = i;
    number += (bits & ((UINT64_C(1) << coins) - 1)) == 0 || DEFECT("sample-whole");
  }
  *out = drawn;
  *count = number;
  return DPERM_OK;
}

dperm_status record_sample_of(const record_sample *sample, const matrix *x, random_source *source,
                              size_t **out, size_t *count, dperm_error *err) {
  const size_t all = rows_in_all(x);
  if (sample->halvings == 0) {
    return DPERM_OK;
  }
  dperm_status status = ranks_lead(x->spread)
                            ? record_sample_draw(sample, all, source, out, count, err)
                            : memory_raw(all, sizeof **out, out, err);
  TRY(ranks_share(x->spread, status, count, sizeof *count, err));
  return ranks_share(x->spread, DPERM_OK, *out, *count * sizeof **out, err);
}

size_t record_sample_here(const matrix *x, const size_t **drawn, size_t count) {
  for (; x->spread && count > 0 && **drawn < x->first; (*drawn)++) {
    count--;
  }
  while (x->spread && count > 0 && (*drawn)[count - 1] - x->first >= x->rows) {
    count--;
  }
  return count;
}

/* ---- one pass */

/* What an encoded column is; below these, the cell or category of that column of the schema. */
static const uint32_t is_line = UINT32_MAX - 1, is_other = UINT32_MAX;

typedef struct tallying {
  const dperm_data *data;
  const size_t *drawn; /* `count` rows of those here, numbered among all; NULL for all of them */
  size_t count;
  const uint32_t *owner; /* of each encoded column */
  const line_lengths *lengths;
  uint64_t *space; /* for each worker: its sums, the last row that had a cell of a column (from 1
                      on), then what a matrix needs to show its rows */
  size_t sums, words;
  atomic_bool twice;
} tallying;

enum { PIECE_ROWS = 4 * MATRIX_BLOCK };

/* Integers, so that it does not matter which thread added what. */
static void add_row(tallying *t, uint64_t *to, size_t i, const row_view *row) {
  uint64_t *own = to + (t->data->labels[i] > 0 ? t->data->x->cols : 0), *seen = to + t->sums;
  double squares = 0;
  for (size_t e = 0; e < row->count; e++) {
    const uint32_t at = row->columns[e], owner = t->owner[at];
    if (owner == is_line) {
      squares += row->values[e] * row->values[e];
    } else if (owner != is_other && row->values[e] != 0) {
      own[at]++;
      if (seen[owner] == i + 1) {
        atomic_store(&t->twice, true);
      }
      seen[owner] = i + 1;
    }
  }
  uint64_t *longer = to + 2 * t->data->x->cols;
  for (size_t b = 0; t->lengths && b < LENGTHS; b++) {
    longer[b] += squares >= t->lengths->squares[b];
  }
}

static void add_piece(void *context, size_t piece, size_t worker) {
  tallying *t = context;
  const matrix *x = t->data->x;
  uint64_t *to = t->space + worker * t->words;
  double *work = (double *)(t->space + (worker + 1) * t->words) - x->work_size;
  const size_t begin = piece * PIECE_ROWS, step = t->drawn ? 1 : MATRIX_BLOCK;
  const size_t left = t->count - begin, end = begin + (left < PIECE_ROWS ? left : PIECE_ROWS);
  row_view rows[MATRIX_BLOCK];
  for (size_t at = begin; at < end; at += step) {
    const size_t count = end - at < step ? end - at : step;
    const size_t from = t->drawn ? t->drawn[at] - (x->spread ? x->first : 0) : at;
    x->kind->views(x, from, count, work, rows);
    for (size_t i = 0; i < count; i++) {
      add_row(t, to, from + i, &rows[i]);
    }
  }
}

static dperm_status check_once(tallying *t, dperm_error *err) {
  FAIL_IF(atomic_load(&t->twice), err, DPERM_NUMERIC_ERROR,
          "a record counts twice in one column, for which the noise is not made; nothing is "
          "released");
  return DPERM_OK;
}

static dperm_status list_owners(const dperm_schema *schema, const line_lengths *lengths,
                                uint32_t **out, dperm_error *err) {
  TRY(memory_new(schema->dims, sizeof **out, out, err));
  for (size_t j = 0; j < schema->dims; j++) {
    (*out)[j] = is_other;
  }
  for (size_t c = 0; c < schema->column_count; c++) {
    const schema_column *column = &schema->columns[c];
    bool one_hot = column->binned || column->type == COLUMN_CATEGORICAL;
    for (size_t j = column->block; one_hot && j < column->first + column->width; j++) {
      (*out)[j] = (uint32_t)c;
    }
    if (lengths && schema_column_asks(&lengths->of->columns[c])) {
      (*out)[column->first] = is_line;
    }
  }
  return DPERM_OK;
}

void record_tally_clear(record_tally *t) {
  free(t->sums);
  *t = (record_tally){0};
}

dperm_status record_tally_of(const dperm_data *data, const size_t *drawn, size_t count,
                             const line_lengths *lengths, record_tally *out, dperm_error *err) {
  OWNED_MEMORY uint32_t *owner = NULL;
  OWNED_MEMORY uint64_t *space = NULL;
  const matrix *x = data->x;
  const size_t workers = pool_workers(), sums = 2 * x->cols + LENGTHS;
  tallying t = {.data = data,
                .count = x->rows,
                .lengths = lengths,
                .sums = sums,
                .words = sums + data->schema->column_count + x->work_size + 16};
  if (drawn) {
    t.drawn = drawn;
    t.count = record_sample_here(x, &t.drawn, count);
  }
  dperm_status status = list_owners(data->schema, lengths, &owner, err);
  status = status == DPERM_OK ? memory_new(workers * t.words, sizeof *space, &space, err) : status;
  status = status == DPERM_OK ? memory_new(sums, sizeof *out->sums, &out->sums, err) : status;
  t.owner = owner;
  t.space = space;
  if (status == DPERM_OK) {
    pool_run((t.count + PIECE_ROWS - 1) / PIECE_ROWS, add_piece, &t);
    status = check_once(&t, err);
    for (size_t w = 0; w < workers; w++) {
      for (size_t j = 0; j < sums; j++) {
        out->sums[j] += space[w * t.words + j];
      }
    }
  }
  out->rows = drawn ? count : rows_in_all(x);
  out->cols = x->cols;
  return ranks_add(x->spread, status, out->sums, sums, err);
}
