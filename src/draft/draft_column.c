/* Counting one column. */
#include "draft/draft_scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void draft_column_init(draft_column *column, size_t limit) {
  *column =
      (draft_column){.limit = limit,
                     .different = true,
                     .numbers = {.min = INFINITY, .max = -INFINITY, .whole = true, .rising = true}};
}

void draft_column_clear(draft_column *column) {
  lookup_clear(&column->values);
  free(column->tallies);
  column->tallies = NULL;
  column->tally_capacity = 0;
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
  return sqrt((double)n->count) * n->m3 / pow(n->m2, 1.5);
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
    draft_column_clear(column);
    return DPERM_OK;
  }
  bool added = false;
  TRY(memory_reserve(&column->tallies, &column->tally_capacity, *code + 1, sizeof *column->tallies,
                     err));
  column->tallies[*code] = (draft_tally){0, 0};
  return lookup_add(&column->values, text, (int32_t)*code, &added, err);
}

dperm_status draft_column_add(draft_column *column, slice text, uint64_t label, size_t *code,
                              dperm_error *err) {
  double x = 0;
  number_result result = parse_double(text, &x);
  column->filled++;
  if (result == NUMBER_OK || result == NUMBER_OVERFLOW) {
    column->numbers.count++;
    add_number(&column->numbers, text, x);
  } else if (column->filled - column->numbers.count == 1) {
    (void)snprintf(column->odd, sizeof column->odd, "%.*s", (int)text.length, text.start);
  }
  *code = SIZE_MAX;
  if (!column->uncounted) {
    TRY(tally_of(column, text, code, err));
  }
  if (*code != SIZE_MAX) {
    column->tallies[*code].count++;
    column->tallies[*code].labels |= label;
    column->code_hash = chained(column->code_hash, *code + 1);
  }
  return DPERM_OK;
}

void draft_column_add_missing(draft_column *column, uint64_t label) {
  column->missing_labels |= label;
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
