/* From JSON to a schema, with every mistake named at its line and column. Keys are checked against
 * the list of known ones: a misspelt "max" must not become a silent default. */
#include <stdlib.h>
#include <string.h>

#include "base/file_read.h"
#include "base/memory.h"
#include "schema/schema.h"
#include "schema/schema_json.h"

enum { SCHEMA_LIMIT = 64 << 20 };

/* ---- categories */

static dperm_status add_category(schema_column *column, const char *name, dperm_error *err) {
  TRY(memory_copy_text(name, strlen(name), &column->categories[column->category_count], err));
  column->category_count++;
  return DPERM_OK;
}

/* "values": each its own category, in the order given. */
static dperm_status parse_values(const json_document *doc, const json_t *object, const json_t *list,
                                 schema_column *column, dperm_error *err) {
  TRY(schema_add_values(doc, object, list, "values", 0, 1, &column->values, err));
  TRY(memory_new(json_array_size(list), sizeof *column->categories, &column->categories, err));
  size_t i;
  json_t *element;
  json_array_foreach(list, i, element) {
    TRY(add_category(column, json_string_value(element), err));
  }
  return DPERM_OK;
}

/* "groups": a category for each key; "*" stands for all values not named. */
static dperm_status parse_groups(const json_document *doc, const json_t *object, json_t *groups,
                                 schema_column *column, dperm_error *err) {
  if (!json_is_object(groups) || json_object_size(groups) == 0) {
    return json_fail_at(doc, json_blamed(object, groups), err,
                        "\"groups\" must be an object of at least one group");
  }
  TRY(memory_new(json_object_size(groups), sizeof *column->categories, &column->categories, err));
  const char *name;
  json_t *members;
  json_object_foreach(groups, name, members) {
    int32_t category = (int32_t)column->category_count;
    if (json_is_string(members) && strcmp(json_string_value(members), "*") == 0) {
      if (column->other != LOOKUP_NONE) {
        return json_fail_at(doc, members, err, "only one group can be \"*\" (all other values)");
      }
      column->other = category;
    } else {
      TRY(schema_add_values(doc, groups, members, name, category, 0, &column->values, err));
    }
    TRY(add_category(column, name, err));
  }
  return DPERM_OK;
}

/* ---- columns */

/* "reference": one category has no encoded column. Known in public, as all of the schema. */
static dperm_status parse_reference(const json_document *doc, json_t *object, schema_column *column,
                                    dperm_error *err) {
  const char *name = "";
  const json_t *given = json_object_get(object, "reference");
  if (!given) {
    return DPERM_OK;
  }
  TRY(schema_get_text(doc, object, "reference", NULL, &name, err));
  for (size_t c = 0; c < column->category_count; c++) {
    if (strcmp(column->categories[c], name) == 0) {
      column->reference = (int32_t)c;
    }
  }
  if (column->reference == LOOKUP_NONE) {
    return json_fail_at(doc, given, err,
                        "\"reference\" of column \"%.64s\" is none of its categories; name one",
                        column->name);
  }
  if (column->category_count < 2) {
    return json_fail_at(doc, given, err,
                        "column \"%.64s\" has no category but its \"reference\"; ignore the "
                        "column instead",
                        column->name);
  }
  return DPERM_OK;
}

static dperm_status parse_categorical(const json_document *doc, json_t *object,
                                      schema_column *column, dperm_error *err) {
  json_t *values = json_object_get(object, "values"), *groups = json_object_get(object, "groups");
  if ((values != NULL) == (groups != NULL)) {
    return json_fail_at(doc, object, err,
                        "categorical column \"%.64s\" needs either \"values\" or \"groups\", "
                        "known in public",
                        column->name);
  }
  TRY(values ? parse_values(doc, object, values, column, err)
             : parse_groups(doc, object, groups, column, err));
  return parse_reference(doc, object, column, err);
}

static dperm_status parse_numeric(const json_document *doc, json_t *object, schema_column *column,
                                  dperm_error *err) {
  static const char *const transforms[] = {"none", "log1p", NULL};
  static const char *const scales[] = {"max", "center", NULL};
  int transform = 0, scale = 0;
  TRY(schema_get_number(doc, object, "min", NULL, &column->min, err));
  TRY(schema_get_number(doc, object, "max", NULL, &column->max, err));
  TRY(schema_get_choice(doc, object, "transform", transforms, &transform, err));
  TRY(schema_get_choice(doc, object, "scale", scales, &scale, err));
  column->transform = (column_transform)transform;
  column->scale = (column_scale)scale;
  if (!(column->min < column->max)) {
    return json_fail_at(doc, object, err,
                        "\"min\" of column \"%.64s\" must be below its \"max\"; mend the range",
                        column->name);
  }
  if (column->transform == TRANSFORM_LOG1P && !(column->min > -1)) {
    return json_fail_at(doc, object, err,
                        "column \"%.64s\" uses log1p, so its \"min\" must be above -1",
                        column->name);
  }
  return DPERM_OK;
}

static dperm_status parse_column(const json_document *doc, const json_t *list, json_t *object,
                                 schema_column *column, dperm_error *err) {
  static const char *const types[] = {"numeric", "categorical", "ignore", "label", NULL};
  static const char *const keys[][9] = {
      {"name", "type", "min", "max", "transform", "scale", "weight", NULL},
      {"name", "type", "values", "groups", "reference", "weight", NULL},
      {"name", "type", NULL},
      {"name", "type", NULL}};
  if (!json_is_object(object)) {
    return json_fail_at(doc, json_blamed(list, object), err,
                        "a column must be an object in braces");
  }
  const char *name = "", *type_name = "";
  TRY(schema_get_text(doc, object, "name", NULL, &name, err));
  TRY(schema_get_text(doc, object, "type", NULL, &type_name, err));
  size_t type = 0;
  while (types[type] && strcmp(types[type], type_name) != 0) {
    type++;
  }
  if (!types[type]) {
    return json_fail_at(doc, json_object_get(object, "type"), err,
                        "no column type is called \"%.64s\"; choose numeric, categorical, ignore "
                        "or label",
                        type_name);
  }
  TRY(json_check_keys(doc, object, keys[type], "this column", err));
  TRY(memory_copy_text(name, strlen(name), &column->name, err));
  column->type = (column_type)type;
  column->other = column->reference = LOOKUP_NONE;
  const double one = 1.0;
  TRY(schema_get_number(doc, object, "weight", &one, &column->weight, err));
  if (!(column->weight >= 1e-6 && column->weight <= 1e6)) {
    return json_fail_at(doc, json_object_get(object, "weight"), err,
                        "\"weight\" must be between 1e-6 and 1e6");
  }
  if (column->type == COLUMN_NUMERIC) {
    return parse_numeric(doc, object, column, err);
  }
  return column->type == COLUMN_CATEGORICAL ? parse_categorical(doc, object, column, err)
                                            : DPERM_OK;
}

static dperm_status parse_columns(const json_document *doc, dperm_schema *schema,
                                  dperm_error *err) {
  json_t *list = json_object_get(doc->root, "columns");
  if (!json_is_array(list) || json_array_size(list) == 0) {
    return json_fail_at(doc, list ? json_blamed(doc->root, list) : doc->root, err,
                        "\"columns\" must be a list of at least one column");
  }
  lookup names = {0};
  dperm_status status = DPERM_OK;
  TRY_OR_DONE(memory_new(json_array_size(list), sizeof *schema->columns, &schema->columns, err));
  size_t i;
  json_t *object;
  json_array_foreach(list, i, object) {
    schema->column_count++; /* counted first, so that a half-made column is freed */
    TRY_OR_DONE(parse_column(doc, list, object, &schema->columns[i], err));
    bool added = false;
    TRY_OR_DONE(lookup_add(&names, slice_of(schema->columns[i].name), 0, &added, err));
    if (!added) {
      TRY_OR_DONE(json_fail_at(doc, object, err,
                               "column \"%.64s\" stands here a second time; keep one",
                               schema->columns[i].name));
    }
  }
done:
  lookup_clear(&names);
  return status;
}

/* ---- the rest of the document */

/* Class `at`, by the values that mean it, or "*" for all that no other class names. */
static dperm_status add_class(const json_document *doc, const json_t *owner, const json_t *values,
                              const char *key, size_t at, dperm_schema *schema, dperm_error *err) {
  if (json_is_string(values) && strcmp(json_string_value(values), "*") == 0) {
    if (schema->label_other != LOOKUP_NONE) {
      return json_fail_at(doc, values, err, "only one side can be \"*\" (all other values)");
    }
    schema->label_other = (int32_t)at;
    return DPERM_OK;
  }
  return schema_add_values(doc, owner, values, key, (int32_t)at, 0, &schema->labels, err);
}

static dperm_status name_class(dperm_schema *schema, size_t at, const char *name,
                               dperm_error *err) {
  return memory_copy_text(name, strlen(name), &schema->classes.names[at], err);
}

/* Two classes, each named after the first of its values. */
static dperm_status parse_sides(const json_document *doc, const json_t *label, dperm_schema *schema,
                                dperm_error *err) {
  TRY(class_list_new(2, &schema->classes, err));
  for (size_t side = 2; side-- > 0;) {
    const char *key = side ? "positive" : "negative";
    const json_t *list = json_object_get(label, key);
    TRY(add_class(doc, label, list, key, side, schema, err));
    bool rest = schema->label_other == (int32_t)side;
    TRY(name_class(schema, side, rest ? key : json_string_value(json_array_get(list, 0)), err));
  }
  if (class_list_repeated(&schema->classes) < 2) {
    return json_fail_at(doc, label, err,
                        "both classes would be called \"%.64s\"; list another value "
                        "first",
                        schema->classes.names[0]);
  }
  return DPERM_OK;
}

/* "classes": a list of values, each its own class, or an object of a class for each key. */
static dperm_status parse_classes(const json_document *doc, const json_t *label, json_t *classes,
                                  dperm_schema *schema, dperm_error *err) {
  bool list = json_is_array(classes);
  size_t count = list ? json_array_size(classes) : json_object_size(classes), i;
  if (count < 2 || count > CLASSES_MOST) {
    return json_fail_at(doc, json_blamed(label, classes), err,
                        "\"classes\" must be a list, or an object, of 2 to %d classes",
                        CLASSES_MOST);
  }
  TRY(class_list_new(count, &schema->classes, err));
  const char *name;
  json_t *values;
  if (list) {
    TRY(schema_add_values(doc, label, classes, "classes", 0, 1, &schema->labels, err));
    json_array_foreach(classes, i, values) {
      TRY(name_class(schema, i, json_string_value(values), err));
    }
    return DPERM_OK;
  }
  i = 0;
  json_object_foreach(classes, name, values) {
    TRY(add_class(doc, classes, values, name, i, schema, err));
    TRY(name_class(schema, i++, name, err));
  }
  return DPERM_OK;
}

static dperm_status parse_label(const json_document *doc, dperm_schema *schema, dperm_error *err) {
  static const char *const keys[][4] = {{"column", "positive", "negative", NULL},
                                        {"column", "classes", NULL}};
  json_t *label = json_object_get(doc->root, "label");
  if (!json_is_object(label)) {
    return json_fail_at(doc, label ? json_blamed(doc->root, label) : doc->root, err,
                        "\"label\" must be an object with \"column\", \"positive\" and "
                        "\"negative\", or \"column\" and \"classes\"");
  }
  json_t *classes = json_object_get(label, "classes");
  TRY(json_check_keys(doc, label, keys[classes != NULL], "\"label\"", err));
  const char *column = NULL;
  TRY(schema_get_text(doc, label, "column", NULL, &column, err));
  TRY(memory_copy_text(column, strlen(column), &schema->label_column, err));
  schema->label_other = LOOKUP_NONE;
  return classes ? parse_classes(doc, label, classes, schema, err)
                 : parse_sides(doc, label, schema, err);
}

static dperm_status parse_separator(const json_document *doc, dperm_schema *schema,
                                    dperm_error *err) {
  const char *text = "";
  TRY(schema_get_text(doc, doc->root, "separator", ",", &text, err));
  if (strlen(text) != 1 || strchr("\"\r\n ", *text)) {
    return json_fail_at(doc, json_object_get(doc->root, "separator"), err,
                        "\"separator\" must be one byte, such as \",\" or \";\" or \"\\t\"");
  }
  schema->separator = *text;
  return DPERM_OK;
}

static dperm_status parse_comment(const json_document *doc, dperm_schema *schema,
                                  dperm_error *err) {
  const char *text = "";
  TRY(schema_get_text(doc, doc->root, "comment", "", &text, err));
  if (strlen(text) > 64 || strchr(text, '\n')) {
    return json_fail_at(doc, json_object_get(doc->root, "comment"), err,
                        "\"comment\" must be a short prefix of a line");
  }
  return *text ? memory_copy_text(text, strlen(text), &schema->comment, err) : DPERM_OK;
}

static dperm_status parse_missing(const json_document *doc, dperm_schema *schema,
                                  dperm_error *err) {
  const json_t *list = json_object_get(doc->root, "missing");
  bool added = false;
  if (!list) {
    return lookup_add(&schema->missing, slice_of(""), 0, &added, err);
  }
  if (json_is_array(list) && json_array_size(list) == 0) {
    return DPERM_OK; /* nothing counts as missing */
  }
  return schema_add_values(doc, doc->root, list, "missing", 0, 0, &schema->missing, err);
}

/* The first of the table's texts that also means "missing", or NULL. */
static const char *also_missing(const dperm_schema *schema, const lookup *table) {
  for (size_t p = 0; p < table->capacity; p++) {
    const lookup_entry *entry = &table->places[p];
    if (entry->text &&
        lookup_find(&schema->missing, (slice){entry->text, entry->length}) != LOOKUP_NONE) {
      return entry->text;
    }
  }
  return NULL;
}

/* The label is a column of the file; a value cannot be missing and a category or label at once. */
static dperm_status check_together(const json_document *doc, const dperm_schema *schema,
                                   dperm_error *err) {
  const json_t *list = json_object_get(doc->root, "columns");
  bool found = false;
  for (size_t i = 0; i < schema->column_count; i++) {
    const schema_column *column = &schema->columns[i];
    const json_t *place = json_array_get(list, i);
    bool is_label = strcmp(column->name, schema->label_column) == 0;
    found = found || is_label;
    if (is_label != (column->type == COLUMN_LABEL)) {
      return json_fail_at(doc, place, err, "column \"%.64s\" %s; its type and \"label\" must agree",
                          column->name,
                          is_label ? "is the label's, but is not of type label"
                                   : "is of type label, but \"label\" names another");
    }
    const char *twice = also_missing(schema, &column->values);
    if (twice) {
      return json_fail_at(doc, place, err,
                          "value \"%.64s\" of column \"%.64s\" is in \"missing\" too; keep one",
                          twice, column->name);
    }
  }
  const char *twice = also_missing(schema, &schema->labels);
  if (twice) {
    return json_fail_at(doc, json_object_get(doc->root, "label"), err,
                        "label \"%.64s\" is in \"missing\" too; keep one", twice);
  }
  if (!found && !schema->header) {
    return json_fail_at(doc, list, err,
                        "without a header every column is listed: add the label's as {\"name\": "
                        "\"%.64s\", \"type\": \"label\"}",
                        schema->label_column);
  }
  return DPERM_OK;
}

static dperm_status parse_document(const json_document *doc, dperm_schema *schema,
                                   dperm_error *err) {
  static const char *const keys[] = {"header", "missing",    "label",   "columns",   "intercept",
                                     "rows",   "on_missing", "comment", "separator", NULL};
  static const char *const row_rules[] = {"clip", "fixed", NULL};
  static const char *const missing_rules[] = {"zero", "category", "drop", NULL};
  if (!json_is_object(doc->root)) {
    return json_fail_at(doc, doc->root, err,
                        "a schema is an object in braces; put \"label\" and \"columns\" into one");
  }
  TRY(json_check_keys(doc, doc->root, keys, "the schema", err));
  int rows = 0, on_missing = 0;
  schema->header = true;
  TRY(schema_get_bool(doc, doc->root, "header", &schema->header, err));
  TRY(schema_get_bool(doc, doc->root, "intercept", &schema->intercept, err));
  TRY(schema_get_choice(doc, doc->root, "rows", row_rules, &rows, err));
  TRY(schema_get_choice(doc, doc->root, "on_missing", missing_rules, &on_missing, err));
  schema->rows = (row_rule)rows;
  schema->on_missing = (missing_rule)on_missing;
  TRY(parse_separator(doc, schema, err));
  TRY(parse_comment(doc, schema, err));
  TRY(parse_missing(doc, schema, err));
  TRY(parse_label(doc, schema, err));
  TRY(parse_columns(doc, schema, err));
  TRY(check_together(doc, schema, err));
  schema->json = json_incref(doc->root);
  dperm_error trouble = {DPERM_OK, ""};
  if (schema_layout(schema, &trouble) != DPERM_OK) {
    return json_fail_at(doc, json_object_get(doc->root, "columns"), err, "%.700s", trouble.message);
  }
  return DPERM_OK;
}

static dperm_status schema_from_document(const json_document *doc, dperm_schema **out,
                                         dperm_error *err) {
  dperm_schema *schema = NULL;
  TRY(memory_new(1, sizeof *schema, &schema, err));
  atomic_init(&schema->owners, 1);
  dperm_status status = parse_document(doc, schema, err);
  if (status == DPERM_OK) {
    *out = schema;
  } else {
    dperm_schema_free(schema);
  }
  return status;
}

dperm_status schema_from_json(json_t *json, const char *name, dperm_schema **out,
                              dperm_error *err) {
  const json_document doc = {.name = name, .text = "", .blame = DPERM_INVALID_SCHEMA, .root = json};
  return schema_from_document(&doc, out, err);
}

dperm_status dperm_schema_parse(const char *json, size_t length, const char *name,
                                dperm_schema **out, dperm_error *err) {
  json_document doc = {.name = name, .text = json, .length = length, .blame = DPERM_INVALID_SCHEMA};
  TRY(json_document_parse(&doc, err));
  dperm_status status = schema_from_document(&doc, out, err);
  json_decref(doc.root);
  return status;
}

dperm_status dperm_schema_read(const char *path, dperm_schema **out, dperm_error *err) {
  char *text = NULL;
  size_t length = 0;
  TRY(file_read_all(path, SCHEMA_LIMIT, &text, &length, err));
  dperm_status status = dperm_schema_parse(text, length, path_for_people(path), out, err);
  free(text);
  return status;
}
