/* What a row of an encoded file must be for its bounds to hold (privacy.md 5), in exact arithmetic,
 * and what the encoder makes: columns ascending, one entry at most for each group of the body and
 * within its radius, ‖x‖₂ ≤ 1. From these follow R₁ and the body's norm as schema_layout.c derives
 * them. */
#include <math.h>
#include <stdlib.h>

#include "base/double_double.h"
#include "base/memory.h"
#include "read/encoded_file.h"
#include "schema/class_list.h"
#include "schema/row_norm.h"

dperm_status row_rules_init(const encoded_file *file, row_rules *rules, dperm_error *err) {
  *rules = (row_rules){.dims = (size_t)file->header.dims, .classes = 2};
  if (!file->schema) {
    return DPERM_OK;
  }
  const noise_body *body = &file->schema->bounds.body;
  size_t column = 0, group = 0;
  rules->classes = file->schema->classes.count;
  TRY(memory_new(rules->dims, sizeof *rules->group_of, &rules->group_of, err));
  TRY(memory_new(rules->dims, sizeof *rules->radius, &rules->radius, err));
  for (size_t i = 0; i < body_count(body); i++) {
    const body_run *run = body_at(body, i);
    for (size_t g = 0; g < run->groups; g++, group++) {
      for (size_t c = 0; c < run->width; c++, column++) {
        rules->group_of[column] = (uint32_t)group;
        rules->radius[column] = run->radius;
      }
    }
  }
  return DPERM_OK;
}

void row_rules_clear(row_rules *rules) {
  free(rules->group_of);
  free(rules->radius);
}

/* ‖x‖₂ ≤ 1. The encoder leaves a row alone where row_norm_upper says so, and else makes its norm at
 * most 1 − 2^−54 (row_norm.c), so that Σx² ≤ 1 − 2^−54: twice the precision tells that from 1, with
 * errors below 2^−80 for any number of entries there can be. */
static bool within_norm(const double *values, size_t count) {
  if (row_norm_upper(values, count) <= 1.0) {
    return true;
  }
  double_double sum = {0, 0};
  for (size_t e = 0; e < count; e++) {
    sum = dd_add(sum, two_product(values[e], values[e]));
  }
  return (sum.hi - 1.0) + sum.lo <= -0x1p-70;
}

static bool row_holds(const row_rules *rules, const uint32_t *columns, const double *values,
                      size_t count) {
  size_t next = 0, next_group = 0; /* the least that may come */
  for (size_t e = 0; e < count; e++) {
    if (columns[e] < next || columns[e] >= rules->dims || !(fabs(values[e]) <= 1.0)) {
      return false;
    }
    next = (size_t)columns[e] + 1;
    if (rules->group_of) {
      size_t group = rules->group_of[columns[e]];
      if (group < next_group || fabs(values[e]) > rules->radius[columns[e]]) {
        return false;
      }
      next_group = group + 1;
    }
  }
  return within_norm(values, count);
}

static bool label_holds(const row_rules *rules, double label) {
  for (size_t i = 0; i < rules->classes; i++) {
    if (label == class_label(rules->classes, i)) {
      return true;
    }
  }
  return false;
}

bool row_rules_hold(const row_rules *rules, const encoded_file *file, size_t from, size_t count,
                    size_t *bad) {
  const size_t *starts = file->starts;
  for (size_t i = from; i < from + count; i++) {
    if (!label_holds(rules, file->labels[i]) ||
        !row_holds(rules, file->columns + starts[i], file->values + starts[i],
                   starts[i + 1] - starts[i])) {
      *bad = i;
      return false;
    }
  }
  return true;
}
