/* What a caller may ask about a schema: numbers, names and kinds of its columns, and what each
 * encoded column means. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schema/schema.h"

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
  if (dperm_schema_column_width(schema, column) == 0) {
    return 0.0;
  }
  const schema_column *c = &schema->columns[column];
  return schema_entry_bound(schema, c->block > c->first ? fmax(c->line, c->weight) : c->weight);
}

bool dperm_schema_drops_rows(const dperm_schema *schema) {
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

size_t dperm_schema_column_bins(const dperm_schema *schema, size_t column) {
  return column < schema->column_count ? column_bins(&schema->columns[column]) : 0;
}

bool dperm_schema_column_bins_auto(const dperm_schema *schema, size_t column) {
  return column < schema->column_count && schema->columns[column].bins_auto;
}

double dperm_schema_column_line(const dperm_schema *schema, size_t column) {
  return column < schema->column_count ? schema->columns[column].line : 0.0;
}

size_t dperm_schema_crosses(const dperm_schema *schema) {
  return schema->cross_count;
}

size_t dperm_schema_cross_column(const dperm_schema *schema, size_t cross, size_t which) {
  return cross < schema->cross_count && which < 2 ? schema->crosses[cross].columns[which]
                                                  : schema->column_count;
}

size_t dperm_schema_cross_width(const dperm_schema *schema, size_t cross) {
  return cross < schema->cross_count ? schema->crosses[cross].width : 0;
}

double dperm_schema_cross_bound(const dperm_schema *schema, size_t cross) {
  return cross < schema->cross_count ? schema_entry_bound(schema, schema->crosses[cross].weight)
                                     : 0.0;
}

size_t schema_encoded_columns(const dperm_schema *schema) {
  size_t count = 0;
  for (size_t i = 0; i < schema->column_count; i++) {
    column_type type = schema->columns[i].type;
    count += type == COLUMN_NUMERIC || type == COLUMN_CATEGORICAL;
  }
  return count;
}

/* ---- names of encoded columns */

/* A name on its way: what does not fit is counted, not written. */
typedef struct name_text {
  char *text;
  size_t capacity, length;
} name_text;

static void append(name_text *name, const char *text) {
  if (name->length < name->capacity) {
    (void)snprintf(name->text + name->length, name->capacity - name->length, "%s", text);
  }
  name->length += strlen(text);
}

/* "[20,40)"; the last one has its end, and all below or above the range is in the outer ones. */
static void append_bin(name_text *name, const schema_column *column, size_t bin) {
  bool last = bin == column->cut_count;
  char number[DOUBLE_TEXT_SIZE];
  append(name, "[");
  (void)format_double(bin > 0 ? column->cuts[bin - 1] : column->min, false, number);
  append(name, number);
  append(name, ",");
  (void)format_double(last ? column->max : column->cuts[bin], false, number);
  append(name, number);
  append(name, last ? "]" : ")");
}

/* A value that the column has a place for, "missing" last. */
static void append_level(name_text *name, const schema_column *column, size_t level) {
  append(name, column->name);
  if (column->missing_at != SIZE_MAX && level + 1 == column->levels) {
    append(name, "=(missing)");
  } else if (column->type == COLUMN_CATEGORICAL) {
    append(name, "=");
    append(name, column->categories.names[level]);
  } else if (column->binned) {
    append_bin(name, column, level);
  }
}

static void append_feature(name_text *name, const schema_column *column, size_t index) {
  if (index < column->block) {
    append(name, column->name); /* the line */
    return;
  }
  size_t level = index - column->block;
  level += column->reference != LOOKUP_NONE && level >= (size_t)column->reference;
  append_level(name, column, level);
}

size_t dperm_schema_feature_name(const dperm_schema *schema, size_t index, char *name,
                                 size_t capacity) {
  name_text out = {name, capacity, 0};
  append(&out, schema->intercept && index == schema->dims - 1 ? "(intercept)" : "");
  for (size_t i = 0; i < schema->column_count; i++) {
    const schema_column *column = &schema->columns[i];
    if (index >= column->first && index - column->first < column->width) {
      append_feature(&out, column, index);
    }
  }
  for (size_t i = 0; i < schema->cross_count; i++) {
    const schema_cross *cross = &schema->crosses[i];
    if (index >= cross->first && index - cross->first < cross->width) {
      const schema_column *second = &schema->columns[cross->columns[1]];
      size_t pair = index - cross->first;
      append_level(&out, &schema->columns[cross->columns[0]], pair / second->levels);
      append(&out, "*");
      append_level(&out, second, pair % second->levels);
    }
  }
  return out.length;
}
