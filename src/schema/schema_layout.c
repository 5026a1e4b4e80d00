/* Where each column's numbers stand in an encoded row, how long a row can be, and what a caller may
 * ask about a schema. All of it follows from the schema alone (privacy.md 5). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "schema/row_norm.h"
#include "schema/schema.h"

/* The intercept's weight: it is the constant 1. */
static const double intercept_weight = 1.0;

static double transformed(const schema_column *column, double x) {
  return column->transform == TRANSFORM_LOG1P ? log1p(x) : x;
}

/* `max` divides by the larger absolute bound, `center` maps the range onto [−1, 1]. */
static void place_numeric(schema_column *column) {
  double low = transformed(column, column->min), high = transformed(column, column->max);
  if (column->scale == SCALE_CENTER) {
    column->middle = 0.5 * low + 0.5 * high;
    column->half = 0.5 * high - 0.5 * low;
  } else {
    column->middle = 0.0;
    column->half = fmax(fabs(low), fabs(high));
  }
}

/* Appends the weights of all columns of a type. */
static void add_weights(const dperm_schema *schema, column_type type, double *weights,
                        size_t *count) {
  for (size_t i = 0; i < schema->column_count; i++) {
    if (schema->columns[i].type == type) {
      weights[(*count)++] = schema->columns[i].weight;
    }
  }
}

/* A column takes one entry at most in every row: of size up to its weight, and exactly its weight
 * if it is categorical and the value is known. So Σ w² bounds ‖x‖² from above over all columns,
 * and from below, for complete rows, over the categorical ones and the intercept (ρ²). */
static dperm_status bound_rows(dperm_schema *schema, dperm_error *err) {
  OWNED_MEMORY double *weights = NULL;
  size_t count = 0;
  TRY(memory_new(schema->column_count + 1, sizeof *weights, &weights, err));
  add_weights(schema, COLUMN_CATEGORICAL, weights, &count);
  if (schema->intercept) {
    weights[count++] = intercept_weight;
  }
  double rho = row_norm_upper(weights, count);
  add_weights(schema, COLUMN_NUMERIC, weights, &count);
  schema->max_norm = row_norm_upper(weights, count);
  schema->min_divisor = schema->rows == ROWS_FIXED ? schema->max_norm : fmax(1.0, rho);
  return DPERM_OK;
}

/* What bound_row of encode.c makes, at most, of an entry of this weight. Its divisor is at least
 * min_divisor, and at least the entry itself where rows are clipped. A quotient, a product and
 * their rounding are monotonous, so dividing the weight by min_divisor in the same way gives a
 * bound for the stored doubles; and no entry of a row of norm 1 is longer than 1. */
static double entry_bound(const dperm_schema *schema, double weight) {
  if (schema->min_divisor != 1.0) {
    row_scale_down(&weight, 1, 1.0, schema->min_divisor);
  }
  return fmin(weight, 1.0);
}

static void add_group(noise_body *body, body_run *runs, size_t width, double radius) {
  size_t last = body->count - 1; /* if there is one */
  if (body->count > 0 && runs[last].width == width && runs[last].radius == radius) {
    runs[last].groups++;
  } else {
    runs[body->count++] = (body_run){1, width, radius};
  }
}

/* privacy.md 5: every column of the file has one nonzero entry at most, within r_g. So ‖x_g‖₁ ≤
 * r_g, and with G such columns ‖x‖₁ ≤ Σ r_g, and ‖x‖₁ ≤ √G‖x‖₂ ≤ √G. */
static dperm_status bound_groups(dperm_schema *schema, dperm_error *err) {
  size_t groups = 0;
  double sum = 0;
  body_run *runs = NULL;
  TRY(memory_new(schema->column_count + 1, sizeof *runs, &runs, err));
  for (size_t i = 0; i <= schema->column_count; i++) {
    bool last = i == schema->column_count;
    const schema_column *column = &schema->columns[i];
    size_t width = last ? (size_t)schema->intercept : column->width;
    if (width > 0) {
      double radius = entry_bound(schema, last ? intercept_weight : column->weight);
      add_group(&schema->bounds.body, runs, width, radius);
      sum += radius;
      groups++;
    }
  }
  /* fewer than 2^31 additions of positive numbers, each off by at most 2^−53 of the sum */
  sum *= 1.0 + ((double)groups + 4.0) * 0x1p-53;
  schema->bounds.norm2 = 1.0; /* both row rules end at 1 */
  schema->bounds.norm1 = fmin(root_upper(groups), sum);
  schema->bounds.body.runs = schema->runs = runs;
  return DPERM_OK;
}

dperm_status schema_layout(dperm_schema *schema, dperm_error *err) {
  size_t at = 0;
  for (size_t i = 0; i < schema->column_count; i++) {
    schema_column *column = &schema->columns[i];
    column->first = at;
    column->missing_at = SIZE_MAX;
    if (column->type == COLUMN_NUMERIC) {
      place_numeric(column);
      column->width = 1;
      if (!(column->half > 0 && isfinite(column->half))) {
        FAIL(
            err, DPERM_INVALID_SCHEMA,
            "column \"%.64s\": the range from %g to %g cannot be scaled; give one of ordinary size",
            column->name, column->min, column->max);
      }
    } else if (column->type == COLUMN_CATEGORICAL) {
      column->width = column->categories.count - (column->reference != LOOKUP_NONE);
    } else {
      continue;
    }
    if (schema->on_missing == MISSING_CATEGORY) {
      column->missing_at = at + column->width;
      column->width++;
    }
    at += column->width;
  }
  schema->dims = at + (schema->intercept ? 1 : 0);
  if (schema->dims == 0) {
    FAIL(err, DPERM_INVALID_SCHEMA,
         "no column of the schema is numeric or categorical; there is nothing to learn from");
  }
  if (schema->dims > INT32_MAX) {
    FAIL(err, DPERM_INVALID_SCHEMA, "%zu encoded columns are too many; group the categories",
         schema->dims);
  }
  TRY(bound_rows(schema, err));
  return bound_groups(schema, err);
}

/* ---- life */

dperm_schema *schema_share(const dperm_schema *schema) {
  dperm_schema *shared = (dperm_schema *)schema; /* only the count of owners changes */
  if (shared) {
    atomic_fetch_add(&shared->owners, 1);
  }
  return shared;
}

void dperm_schema_free(dperm_schema *schema) {
  if (!schema || atomic_fetch_sub(&schema->owners, 1) != 1) {
    return;
  }
  for (size_t i = 0; i < schema->column_count; i++) {
    schema_column *column = &schema->columns[i];
    class_list_clear(&column->categories);
    lookup_clear(&column->values);
    free(column->name);
  }
  free(schema->columns);
  free(schema->runs);
  lookup_clear(&schema->missing);
  lookup_clear(&schema->labels);
  free(schema->label_column);
  class_list_clear(&schema->classes);
  free(schema->comment);
  json_decref(schema->json);
  free(schema);
}

/* ---- what a caller may ask */

size_t dperm_schema_dims(const dperm_schema *schema) {
  return schema->dims;
}

double dperm_schema_norm_bound(const dperm_schema *schema) {
  return schema->bounds.norm2;
}

double dperm_schema_norm1_bound(const dperm_schema *schema) {
  return schema->bounds.norm1;
}

double dperm_schema_column_bound(const dperm_schema *schema, size_t column) {
  return dperm_schema_column_width(schema, column) > 0
             ? entry_bound(schema, schema->columns[column].weight)
             : 0.0;
}

int dperm_schema_drops_rows(const dperm_schema *schema) {
  return schema->on_missing == MISSING_DROP;
}

size_t dperm_schema_classes(const dperm_schema *schema) {
  return schema->classes.count;
}

const char *dperm_schema_class_name(const dperm_schema *schema, size_t index) {
  return index < schema->classes.count ? schema->classes.names[index] : NULL;
}

size_t dperm_schema_columns(const dperm_schema *schema) {
  return schema->column_count;
}

const char *dperm_schema_column_name(const dperm_schema *schema, size_t column) {
  return column < schema->column_count ? schema->columns[column].name : NULL;
}

const char *dperm_schema_column_type(const dperm_schema *schema, size_t column) {
  static const char *const names[] = {"numeric", "categorical", "ignore", "label"};
  return column < schema->column_count ? names[schema->columns[column].type] : NULL;
}

const char *dperm_schema_column_reference(const dperm_schema *schema, size_t column) {
  if (column >= schema->column_count || schema->columns[column].reference == LOOKUP_NONE) {
    return NULL;
  }
  return schema->columns[column].categories.names[schema->columns[column].reference];
}

size_t dperm_schema_column_width(const dperm_schema *schema, size_t column) {
  return column < schema->column_count ? schema->columns[column].width : 0;
}

size_t dperm_schema_feature_name(const dperm_schema *schema, size_t index, char *name,
                                 size_t capacity) {
  int length = snprintf(name, capacity, "%s", "");
  if (schema->intercept && index == schema->dims - 1) {
    length = snprintf(name, capacity, "(intercept)");
  }
  for (size_t i = 0; i < schema->column_count; i++) {
    const schema_column *column = &schema->columns[i];
    if (index < column->first || index - column->first >= column->width) {
      continue;
    }
    size_t category = index - column->first;
    category += column->reference != LOOKUP_NONE && category >= (size_t)column->reference;
    if (index == column->missing_at) {
      length = snprintf(name, capacity, "%s=(missing)", column->name);
    } else if (column->type == COLUMN_CATEGORICAL) {
      length = snprintf(name, capacity, "%s=%s", column->name, column->categories.names[category]);
    } else {
      length = snprintf(name, capacity, "%s", column->name);
    }
  }
  return length > 0 ? (size_t)length : 0;
}
