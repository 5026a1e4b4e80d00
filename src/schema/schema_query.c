/* What a caller may ask about a schema: its columns, and what each encoded column means. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/functions.h"
#include "schema/identifier_name.h"
#include "schema/schema.h"

size_t dperm_schema_dims(const dperm_schema *schema) {
  return schema->dims;
}

double dperm_schema_norm_bound(const dperm_schema *schema) {
  return schema->bounds.norm2;
}

const char *dperm_schema_class_name(const dperm_schema *schema, size_t index) {
  return index < schema->classes.count ? schema->classes.names[index] : NULL;
}

dperm_status label_range_check(label_range range, dperm_error *err) {
  const double most = 1e100;
  FAIL_IF(!(label_range_half(range) >= 1 / most && range.min >= -most && range.max <= most), err,
          DPERM_INVALID_ARGUMENT,
          "the label's \"min\" must be below its \"max\", and both within %g; mend the range",
          most);
  return DPERM_OK;
}

double schema_column_bound(const dperm_schema *schema, size_t column) {
  const schema_column *c = &schema->columns[column];
  double longest = c->block > c->first ? fmax(c->line, c->weight) : c->weight;
  return c->width == 0 ? 0.0 : schema_entry_bound(schema, longest);
}

const char *const column_type_names[] = {"numeric", "categorical", "ignore",
                                         "label",   "group",       NULL};

size_t schema_encoded_columns(const dperm_schema *schema) {
  size_t count = 0;
  for (size_t i = 0; i < schema->column_count; i++) {
    column_type type = schema->columns[i].type;
    count += type == COLUMN_NUMERIC || type == COLUMN_CATEGORICAL;
  }
  return count;
}

/* ---- all of it, as JSON (docs/formats.md) */

json_t *classes_json(const class_list *classes) {
  json_t *array = json_array();
  for (size_t i = 0; i < classes->count; i++) {
    json_append(&array, json_string(classes->names[i]));
  }
  return array;
}

json_t *label_range_json(label_range range) {
  return label_range_known(range) ? json_pack("{s:f, s:f}", "min", range.min, "max", range.max)
                                  : json_null();
}

static json_t *column_json(const dperm_schema *schema, size_t i) {
  const schema_column *c = &schema->columns[i];
  bool refers = c->reference != LOOKUP_NONE;
  const bool named = c->type == COLUMN_NUMERIC && name_is_identifier(c->name);
  return json_pack("{s:s, s:s, s:o, s:o, s:s?, s:o, s:o, s:b, s:b, s:s?}", "name", c->name, "type",
                   column_type_names[c->type], "dims", json_count(c->width), "bound",
                   json_figure(schema_column_bound(schema, i)), "reference",
                   refers ? c->categories.names[c->reference] : NULL, "bins",
                   c->bins_auto ? json_string("auto") : json_count(column_bins(c)), "line",
                   json_figure(c->line), "identifier", named, "sensitive", c->sensitive, "source",
                   c->source);
}

static json_t *cross_json(const dperm_schema *schema, size_t i) {
  const schema_cross *cross = &schema->crosses[i];
  return json_pack("{s:[s, s], s:o, s:b, s:o}", "columns", schema->columns[cross->columns[0]].name,
                   schema->columns[cross->columns[1]].name, "dims", json_count(cross->width),
                   "after_fit", cross->after_fit, "bound",
                   json_figure(cross->after_fit ? 1 : schema_entry_bound(schema, cross->weight)));
}

dperm_status dperm_schema_describe(const dperm_schema *schema, char **json, dperm_error *err) {
  json_t *classes = classes_json(&schema->classes);
  json_t *columns = json_array(), *crosses = json_array();
  for (size_t i = 0; i < schema->column_count; i++) {
    json_append(&columns, column_json(schema, i));
  }
  for (size_t i = 0; i < schema->cross_count; i++) {
    json_append(&crosses, cross_json(schema, i));
  }
  const char *person = schema->person == NO_PERSON ? NULL : schema->columns[schema->person].name;
  return json_give(json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:s?, s:o, s:o}",
                             "version", schema->version, "classes", classes, "label",
                             label_range_json(schema_label_range(schema)), "dims",
                             json_count(schema->dims), "norm", json_figure(schema->bounds.norm2),
                             "norm1", json_figure(schema->bounds.norm1), "drops_rows",
                             schema->on_missing == MISSING_DROP, "epsilon_refined",
                             json_figure(schema->refined.epsilon), "columns", columns, "crosses",
                             crosses, "person", person, "version_2", schema_version_remark(schema),
                             "remarks", schema_remarks(schema)),
                   json, err);
}

/* ---- names of encoded columns */

/* A name on its way: what does not fit is counted, not written. */
typedef struct name_text {
  char *text;
  size_t capacity, length;
} name_text;

static void append(name_text *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(name_text *name, const char *format, ...) {
  bool space = name->length < name->capacity;
  va_list args;
  va_start(args, format);
  name->length += (size_t)vsnprintf(space ? name->text + name->length : NULL,
                                    space ? name->capacity - name->length : 0, format, args);
  va_end(args);
}

/* "[20,40)"; the last one has its end, and all below or above the range is in the outer ones. */
static void append_range(name_text *name, double low, double high, bool last) {
  char from[DOUBLE_TEXT_SIZE], to[DOUBLE_TEXT_SIZE];
  (void)format_double(low, false, from);
  (void)format_double(high, false, to);
  append(name, "[%s,%s%c", from, to, last ? ']' : ')');
}

static void append_bins(name_text *name, const schema_column *column, size_t from, size_t to) {
  bool last = to == column->cut_count;
  append_range(name, from > 0 ? column->cuts[from - 1] : column->min,
               last ? column->max : column->cuts[to], last);
}

/* A value that the column has a place for, "missing" last. */
static void append_level(name_text *name, const schema_column *column, size_t level) {
  append(name, "%s", column->name);
  if (column->missing_at != SIZE_MAX && level + 1 == column->levels) {
    append(name, "=(missing)");
  } else if (column->type == COLUMN_CATEGORICAL) {
    append(name, "=%s", column->categories.names[level]);
  } else if (column->binned) {
    append_bins(name, column, level, level);
  }
}

/* The part of a line's range between two quarters of it, in the units of the column. */
static double quarter(const schema_column *column, size_t i) {
  const double part = (double)i / PARTS_OF_MANY,
               at = column_transformed(column, column->min) * (1 - part) +
                    column_transformed(column, column->max) * part;
  bool log = column->transform == TRANSFORM_LOG1P;
  return i == 0 ? column->min : i == PARTS_OF_MANY ? column->max : log ? math_expm1(at) : at;
}

/* What a cross after the fit tells apart: a level, or levels that are one part. */
static void append_part(name_text *name, const schema_column *column, size_t part) {
  size_t from = 0, to = column->levels - 1;
  for (; column_part(column, from) < part; from++) {
  }
  for (; column_part(column, to) > part; to--) {
  }
  if (column->type == COLUMN_NUMERIC && !column->binned && part < PARTS_OF_MANY) {
    append(name, "%s", column->name);
    append_range(name, quarter(column, part), quarter(column, part + 1), part + 1 == PARTS_OF_MANY);
  } else if (from == to) {
    append_level(name, column, from);
  } else if (column->binned) {
    append(name, "%s", column->name);
    append_bins(name, column, from, to);
  } else {
    append_level(name, column, from);
    append(name, "..%s", column->categories.names[to]);
  }
}

static void append_feature(name_text *name, const schema_column *column, size_t index) {
  if (index < column->block) {
    append(name, "%s", column->name); /* the line */
    return;
  }
  size_t level = index == column->missing_at ? column->levels - 1 : index - column->block;
  level += index != column->missing_at && column->reference != LOOKUP_NONE &&
           level >= (size_t)column->reference;
  append_level(name, column, level);
}

size_t schema_cross_parts(const dperm_schema *schema, const schema_cross *cross, size_t which) {
  const schema_column *column = &schema->columns[cross->columns[which]];
  return cross->after_fit ? column_parts(column) : column->levels;
}

static void append_place(name_text *name, const dperm_schema *schema, const schema_cross *cross,
                         size_t which, size_t place) {
  const schema_column *column = &schema->columns[cross->columns[which]];
  (cross->after_fit ? append_part : append_level)(name, column, place);
}

size_t schema_cross_name(const dperm_schema *schema, const schema_cross *cross, size_t which,
                         size_t place, char *name, size_t capacity) {
  name_text out = {name, capacity, 0};
  append_place(&out, schema, cross, which, place);
  return out.length;
}

size_t dperm_schema_feature_name(const dperm_schema *schema, size_t index, char *name,
                                 size_t capacity) {
  name_text out = {name, capacity, 0};
  append(&out, "%s", schema->intercept && index == schema->dims - 1 ? "(intercept)" : "");
  for (size_t i = 0; i < schema->column_count; i++) {
    const schema_column *column = &schema->columns[i];
    if (index >= column->first && index - column->first < column->width) {
      append_feature(&out, column, index);
    }
  }
  for (size_t i = 0; i < schema->cross_count; i++) {
    const schema_cross *cross = &schema->crosses[i];
    if (index >= cross->first && index - cross->first < cross->width) {
      const size_t pair = index - cross->first, each = schema_cross_parts(schema, cross, 1);
      append_place(&out, schema, cross, 0, pair / each);
      append(&out, "*");
      append_place(&out, schema, cross, 1, pair % each);
    }
  }
  return out.length;
}
