/* Where each column's numbers stand in an encoded row, and how long a row can be. All of it follows
 * from the schema alone (privacy.md 5). */
#include <math.h>

#include "base/defect.h"
#include "base/memory.h"
#include "base/narrow.h"
#include "schema/auto_bins.h"
#include "schema/row_norm.h"

/* ---- groups: what has one nonzero entry at most in every row */

typedef struct row_group {
  size_t width;
  double weight; /* no entry is longer before the row is divided */
  bool always;   /* counts in ρ: a complete row has an entry of this weight */
  bool centred;  /* a number whose range is from −r to r */
} row_group;

/* A cross has an entry in every row if neither of its columns can be without a level: no value is
 * missing, since that is a level, or unknown. */
static bool always_there(const dperm_schema *schema, const schema_cross *cross) {
  bool sure = schema->on_missing == MISSING_CATEGORY;
  for (size_t i = 0; i < 2; i++) {
    const schema_column *column = &schema->columns[cross->columns[i]];
    sure = sure && (column->binned || column->other != LOOKUP_NONE);
  }
  return sure;
}

/* In encoded order; at most two for each column, one for each cross and one for the intercept. */
static size_t list_groups(const dperm_schema *schema, row_group *out) {
  size_t count = 0;
  for (size_t i = 0; i < schema->column_count; i++) {
    const schema_column *column = &schema->columns[i];
    size_t line = column->block - column->first;
    if (DEFECT("line-merged")) {
      line = 0;
    }
    if (line > 0) {
      out[count++] = (row_group){1, column->line, false, auto_bins_standardized(column)};
    }
    if (column->width > line) {
      bool always = column->binned || column->type == COLUMN_CATEGORICAL;
      out[count++] = (row_group){column->width - line, column->weight, always,
                                 !always && auto_bins_standardized(column)};
    }
  }
  for (size_t i = 0; i < schema->cross_count && !schema->crosses[i].after_fit; i++) {
    const schema_cross *cross = &schema->crosses[i];
    out[count++] = (row_group){cross->width, cross->weight, always_there(schema, cross), false};
  }
  if (schema->intercept) {
    out[count++] = (row_group){1, 1.0, true, false}; /* it is the constant 1 */
  }
  return count;
}

/* A group takes one entry at most in every row: of size up to its weight, and exactly its weight if
 * it is a category or a bin and the value is known. So Σ w² bounds ‖x‖² from above over all groups,
 * and from below, for complete rows, over these and the intercept (ρ²). */
static dperm_status bound_rows(dperm_schema *schema, const row_group *groups, size_t count,
                               dperm_error *err) {
  OWNED_MEMORY double *weights = NULL;
  size_t used = 0;
  TRY(memory_new(count, sizeof *weights, &weights, err));
  for (size_t always = 2; always-- > 0;) {
    for (size_t i = 0; i < count; i++) {
      if (groups[i].always == always) {
        weights[used++] = groups[i].weight;
      }
    }
    if (always) {
      schema->min_divisor = fmax(1.0, row_norm_upper(weights, used));
    }
  }
  schema->max_norm = row_norm_upper(weights, used);
  if (schema->rows == ROWS_FIXED) {
    schema->min_divisor = schema->max_norm;
  }
  return DPERM_OK;
}

/* What bound_row of rows.c makes, at most, of an entry of this weight. Its divisor is at least
 * min_divisor, and at least the entry itself where rows are clipped. A quotient, a product and
 * their rounding are monotonous, so dividing the weight by min_divisor in the same way gives a
 * bound for the stored doubles; and no entry of a row of norm 1 is longer than 1. */
double schema_entry_bound(const dperm_schema *schema, double weight) {
  if (schema->min_divisor != 1.0) {
    row_scale_down(&weight, 1, 1.0, schema->min_divisor);
  }
  return fmin(weight, 1.0);
}

/* privacy.md 5: every group has one nonzero entry at most, within r_g. So ‖x_g‖₁ ≤ r_g, and with G
 * groups ‖x‖₁ ≤ Σ r_g, and ‖x‖₁ ≤ √G‖x‖₂ ≤ √G. */
static dperm_status bound_groups(dperm_schema *schema, const row_group *groups, size_t count,
                                 dperm_error *err) {
  double sum = 0, squares = 0, centred = 0;
  body_run *runs = NULL, *last = NULL;
  noise_body *body = &schema->bounds.body;
  TRY(memory_new(count, sizeof *runs, &runs, err));
  for (size_t i = 0; i < count; i++) {
    double radius = schema_entry_bound(schema, groups[i].weight);
    if (last && last->width == groups[i].width && last->radius == radius) {
      last->groups++;
    } else {
      last = &runs[body->count++];
      *last = (body_run){1, groups[i].width, radius};
    }
    sum += radius;
    squares += radius * radius;
    centred += groups[i].centred ? radius * radius : 0;
  }
  /* fewer than 2^31 additions of positive numbers, each off by at most 2^−53 of the sum */
  sum *= 1.0 + ((double)count + 4.0) * 0x1p-53;
  schema->bounds.norm2 = 1.0; /* both row rules end at 1 */
  schema->bounds.norm1 = fmin(root_upper(count), sum);
  body->runs = schema->runs = runs;
  schema->bounds.centred = squares > 0 ? centred / squares : 0;
  schema->most_entries = count;
  for (size_t i = 0; i < schema->cross_count; i++) {
    schema->most_entries += schema->crosses[i].after_fit;
  }
  return DPERM_OK;
}

/* What a column becomes, from encoded column `at` on; nothing if it is ignored or the label. */
static dperm_status place_column(const dperm_schema *schema, schema_column *column, size_t at,
                                 dperm_error *err) {
  size_t bins = column_bins(column);
  column->first = column->block = at;
  column->missing_at = SIZE_MAX;
  if (column->type == COLUMN_NUMERIC) {
    double low = column_transformed(column, column->min);
    double high = column_transformed(column, column->max);
    bool center = column->scale == SCALE_CENTER; /* maps the range onto [−1, 1] */
    column->middle = center ? 0.5 * low + 0.5 * high : 0.0;
    column->half = center ? 0.5 * high - 0.5 * low : fmax(fabs(low), fabs(high));
    column->block += bins > 0 && column->line > 0;
    column->width = bins > 0 ? bins : 1;
    column->levels = bins > 0 ? bins : column->bins_auto ? 1 : PARTS_OF_MANY;
    FAIL_IF(!(column->half > 0 && isfinite(column->half)), err, DPERM_INVALID_SCHEMA,
            "column \"%.64s\": the range from %g to %g cannot be scaled; give one of ordinary size",
            column->name, column->min, column->max);
  } else if (column->type == COLUMN_CATEGORICAL) {
    column->levels = column->categories.count;
    column->width = column->levels - (column->reference != LOOKUP_NONE);
  } else {
    return DPERM_OK;
  }
  if (schema->on_missing == MISSING_CATEGORY) {
    column->missing_at = column->block + column->width;
    column->width++;
    column->levels++;
  }
  column->width += column->block - at;
  return DPERM_OK;
}

/* At every step, so that sums of widths do not wrap. */
static dperm_status check_width(size_t width, dperm_error *err) {
  FAIL_IF(width >= columns_held, err, DPERM_INVALID_SCHEMA,
          "%zu encoded columns; group the categories, or leave crosses out", width);
  return DPERM_OK;
}

dperm_status schema_layout(dperm_schema *schema, dperm_error *err) {
  OWNED_MEMORY row_group *groups = NULL;
  size_t at = 0;
  _Static_assert(sizeof at == 8 || PAIRS_MOST <= INT32_MAX, "sums of two widths do not wrap");
  for (size_t i = 0; i < schema->column_count; i++) {
    TRY(place_column(schema, &schema->columns[i], at, err));
    at += schema->columns[i].width;
    TRY(check_width(at, err));
  }
  for (size_t i = 0; i < schema->cross_count; i++) {
    schema_cross *cross = &schema->crosses[i];
    const schema_column *a = &schema->columns[cross->columns[0]],
                        *b = &schema->columns[cross->columns[1]];
    size_t first = cross->after_fit ? column_parts(a) : a->levels,
           second = cross->after_fit ? column_parts(b) : b->levels;
    FAIL_IF(first > PAIRS_MOST / second, err, DPERM_INVALID_SCHEMA,
            "the cross of \"%.64s\" and \"%.64s\" has more than %d pairs; group their values",
            a->name, b->name, PAIRS_MOST);
    cross->first = at;
    cross->width = first * second;
    at += cross->width;
    TRY(check_width(at, err));
    schema->after_fit += cross->after_fit ? cross->width : 0;
  }
  schema->dims = at + (schema->intercept ? 1 : 0);
  FAIL_IF(schema->dims == 0, err, DPERM_INVALID_SCHEMA,
          "0 encoded columns; make one of the schema's numeric or categorical");
  TRY(memory_new(2 * schema->column_count + schema->cross_count + 1, sizeof *groups, &groups, err));
  size_t count = list_groups(schema, groups);
  TRY(bound_rows(schema, groups, count, err));
  return bound_groups(schema, groups, count, err);
}

dperm_status schema_check_resolved(const dperm_schema *schema, dperm_error *err) {
  for (size_t i = 0; i < schema->column_count; i++) {
    FAIL_IF(schema->columns[i].bins_auto, err, DPERM_INVALID_SCHEMA,
            "column \"%.64s\" has \"bins\": \"auto\", which follow from the number of rows and "
            "epsilon; resolve the schema for these first, or give a number of bins or cuts",
            schema->columns[i].name);
  }
  return DPERM_OK;
}

dperm_schema *schema_share(const dperm_schema *schema) {
  dperm_schema *shared = (dperm_schema *)schema; /* only the count of owners changes */
  if (shared) {
    atomic_fetch_add(&shared->owners, 1);
  }
  return shared;
}

static void clear_column(schema_column *column) {
  class_list_clear(&column->categories);
  lookup_clear(&column->values);
  free(column->cuts);
  free(column->source);
  free(column->name);
}

void dperm_schema_free(dperm_schema *schema) {
  if (!schema || atomic_fetch_sub(&schema->owners, 1) != 1) {
    return;
  }
  for (size_t i = 0; i < schema->column_count; i++) {
    clear_column(&schema->columns[i]);
  }
  if (schema->target) {
    clear_column(schema->target);
  }
  free(schema->target);
  free(schema->columns);
  free(schema->crosses);
  free(schema->runs);
  lookup_clear(&schema->missing);
  lookup_clear(&schema->labels);
  free(schema->label_column);
  class_list_clear(&schema->classes);
  free(schema->comment);
  json_decref(schema->json);
  free(schema);
}
