/* Where each column's numbers stand in an encoded row, how long a row can be, and what a caller may
 * ask about a schema. All of it follows from the schema alone (privacy.md 5). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/row_norm.h"
#include "data/schema.h"

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

/* A column takes one entry at most in every row: of size up to its weight, and exactly its weight
 * if it is categorical and the value is known. So Σ w² bounds ‖x‖² from above over all columns,
 * and from below, for complete rows, over the categorical ones and the intercept (ρ²). */
static dperm_status bound_rows(dperm_schema *schema, dperm_error *err) {
  double *weights = NULL;
  TRY(memory_new(schema->column_count + 1, sizeof *weights, &weights, err));
  size_t known = 0, all = 0;
  for (size_t i = 0; i < schema->column_count; i++) {
    if (schema->columns[i].type == COLUMN_CATEGORICAL) {
      weights[known++] = schema->columns[i].weight;
    }
  }
  if (schema->intercept) {
    weights[known++] = 1.0;
  }
  all = known;
  for (size_t i = 0; i < schema->column_count; i++) {
    if (schema->columns[i].type == COLUMN_NUMERIC) {
      weights[all++] = schema->columns[i].weight;
    }
  }
  double rho = row_norm_upper(weights, known);
  schema->max_norm = row_norm_upper(weights, all);
  schema->min_divisor = schema->rows == ROWS_FIXED ? schema->max_norm : fmax(1.0, rho);
  free(weights);
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
      column->width = column->category_count;
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
  return bound_rows(schema, err);
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
    for (size_t c = 0; c < column->category_count; c++) {
      free(column->categories[c]);
    }
    free(column->categories);
    lookup_clear(&column->values);
    free(column->name);
  }
  free(schema->columns);
  lookup_clear(&schema->missing);
  lookup_clear(&schema->labels);
  free(schema->label_column);
  free(schema->class_names[0]);
  free(schema->class_names[1]);
  free(schema->comment);
  json_decref(schema->json);
  free(schema);
}

/* ---- what a caller may ask */

size_t dperm_schema_dims(const dperm_schema *schema) {
  return schema->dims;
}

double dperm_schema_norm_bound(const dperm_schema *schema) {
  (void)schema; /* both row rules end at 1 */
  return 1.0;
}

int dperm_schema_drops_rows(const dperm_schema *schema) {
  return schema->on_missing == MISSING_DROP;
}

const char *dperm_schema_class_name(const dperm_schema *schema, size_t index) {
  return index < 2 ? schema->class_names[index] : NULL;
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
    if (index == column->missing_at) {
      length = snprintf(name, capacity, "%s=(missing)", column->name);
    } else if (column->type == COLUMN_CATEGORICAL) {
      length = snprintf(name, capacity, "%s=%s", column->name, column->categories[category]);
    } else {
      length = snprintf(name, capacity, "%s", column->name);
    }
  }
  return length > 0 ? (size_t)length : 0;
}
