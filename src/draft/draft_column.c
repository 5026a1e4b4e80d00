/* Counting one column. */
#include "draft/draft_scan.h"

#include <math.h>
#include <stdio.h>

#include "base/functions.h"
#include "base/memory.h"

void draft_column_init(draft_column *column, size_t limit) {
  *column =
      (draft_column){.limit = limit,
                     .different = true,
                     .stride = 1,
                     .numbers = {.min = INFINITY, .max = -INFINITY, .whole = true, .rising = true}};
}

/* What is counted by value. */
static void stop_counting(draft_column *column) {
  lookup_clear(&column->values);
  free(column->tallies);
  column->tallies = NULL;
  column->tally_capacity = 0;
}

void draft_column_clear(draft_column *column) {
  stop_counting(column);
  free(column->points);
  column->points = NULL;
  column->point_count = column->point_capacity = 0;
}

static uint64_t chained(uint64_t hash, uint64_t next) {
  hash = (hash ^ next) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 32;
}

/* Moments by Welford's and Terriberry's updates: one pass, no cancellation of large sums. */
static void add_moments(draft_numbers *n, double x) {
  double count = (double)n->count, delta = x - n->mean, step = delta / count;
  double term = delta * step * (count - 1);
  n->m3 += term * step * (count - 2) - 3 * step * n->m2;
  n->m2 += term;
  n->mean += step;
}

static bool is_padded(slice text) {
  size_t sign = text.length > 0 && (text.start[0] == '-' || text.start[0] == '+');
  return text.length >= sign + 2 && text.start[sign] == '0' && text.start[sign + 1] >= '0' &&
         text.start[sign + 1] <= '9';
}

static void add_number(draft_numbers *n, slice text, double x) {
  n->padded = n->padded || is_padded(text);
  if (isinf(x)) {
    n->beyond = true;
    return;
  }
  n->whole = n->whole && floor(x) == x;
  n->rising = n->rising && (n->count == 1 || x > n->last);
  n->last = x;
  n->min = fmin(n->min, x);
  n->max = fmax(n->max, x);
  add_moments(n, x);
}

double draft_numbers_skewness(const draft_numbers *n) {
  return sqrt((double)n->count) * n->m3 / math_pow(n->m2, 1.5);
}

/* The value's place in tallies, a new one if need be. */
static dperm_status tally_of(draft_column *column, slice text, size_t *code, dperm_error *err) {
  int32_t found = lookup_find(&column->values, text);
  if (found != LOOKUP_NONE) {
    *code = (size_t)found;
    column->different = false;
    return DPERM_OK;
  }
  *code = column->values.count;
  if (*code == column->limit || text.length > DRAFT_TEXT_LIMIT) {
    column->uncounted = true;
    column->different = column->different && text.length <= DRAFT_TEXT_LIMIT;
    *code = SIZE_MAX;
    stop_counting(column);
    return DPERM_OK;
  }
  bool added = false;
  TRY(memory_reserve(&column->tallies, &column->tally_capacity, *code + 1, sizeof *column->tallies,
                     err));
  column->tallies[*code] = (draft_tally){.leader = SIZE_MAX};
  return lookup_add(&column->values, text, (int32_t)*code, &added, err);
}

/* Majority vote: a label that stands beside more than half of the records leads in the end, by at
 * least what it has more than all others. */
static void vote(draft_tally *tally, size_t label) {
  tally->count++;
  if (label == SIZE_MAX) {
    return;
  }
  tally->labels |= draft_label_bit(label);
  if (tally->lead == 0) {
    tally->leader = label;
  }
  tally->lead += tally->leader == label ? 1 : UINT64_MAX;
}

/* Every second point goes when there is no space for another. */
static dperm_status add_point(draft_column *column, double x, size_t label, dperm_error *err) {
  if (label == SIZE_MAX || (column->numbers.count - 1) % column->stride != 0) {
    return DPERM_OK;
  }
  if (column->point_count == column->limit) {
    for (size_t i = 0; 2 * i < column->point_count; i++) {
      column->points[i] = column->points[2 * i];
    }
    column->point_count = (column->point_count + 1) / 2;
    column->stride *= 2;
    if ((column->numbers.count - 1) % column->stride != 0) {
      return DPERM_OK;
    }
  }
  TRY(memory_reserve(&column->points, &column->point_capacity, column->point_count + 1,
                     sizeof *column->points, err));
  column->points[column->point_count++] = (draft_point){x, label};
  return DPERM_OK;
}

dperm_status draft_column_add(draft_column *column, slice text, size_t label, size_t *code,
                              dperm_error *err) {
  double x = 0;
  number_result result = parse_double(text, &x);
  column->filled++;
  if (result == NUMBER_OK || result == NUMBER_OVERFLOW) {
    column->numbers.count++;
    add_number(&column->numbers, text, x);
    TRY(add_point(column, x, label, err));
  } else if (column->filled - column->numbers.count == 1) {
    (void)snprintf(column->odd, sizeof column->odd, "%.*s", (int)text.length, text.start);
  }
  *code = SIZE_MAX;
  if (!column->uncounted) {
    TRY(tally_of(column, text, code, err));
  }
  if (*code != SIZE_MAX) {
    vote(&column->tallies[*code], label);
    column->code_hash = chained(column->code_hash, *code + 1);
  }
  return DPERM_OK;
}

void draft_column_add_missing(draft_column *column, size_t label) {
  vote(&column->missing, label);
  column->code_hash = chained(column->code_hash, 0);
}

static int by_text(const void *a, const void *b) {
  return strcmp(((const draft_value *)a)->text, ((const draft_value *)b)->text);
}

dperm_status draft_column_sorted(const draft_column *column, draft_value **out, dperm_error *err) {
  draft_value *values = NULL;
  size_t count = 0;
  TRY(memory_new(column->values.count, sizeof *values, &values, err));
  for (size_t i = 0; i < column->values.capacity; i++) {
    const lookup_entry *entry = &column->values.places[i];
    if (entry->text) {
      values[count++] = (draft_value){.text = entry->text,
                                      .code = (size_t)entry->value,
                                      .count = column->tallies[entry->value].count};
    }
  }
  qsort(values, count, sizeof *values, by_text);
  *out = values;
  return DPERM_OK;
}
