/* From JSON to a schema and back, with every mistake named at its line and column. Keys are checked
 * against the list of known ones: a misspelt "max" must not become a silent default. */
#include <string.h>

#include "base/file_read.h"
#include "base/memory.h"
#include "schema/schema_parse.h"

enum { SCHEMA_LIMIT = 64 << 20, SOURCE_LIMIT = 1000 };

static dperm_status copy_text(const char *text, char **out, dperm_error *err) {
  return memory_copy_text(text, strlen(text), out, err);
}

/* ---- values with names: categories and classes */

typedef struct named_values {
  class_list *names;
  lookup *values; /* value → name */
  int32_t *other; /* the name of all other values, or LOOKUP_NONE */
  const char *what;
} named_values;

/* Name `at`, by the values that mean it, or "*" for all that no other name has. */
static dperm_status add_named(const json_document *doc, const json_t *owner, const json_t *values,
                              const char *key, size_t at, const named_values *to,
                              dperm_error *err) {
  if (!json_is_string(values) || strcmp(json_string_value(values), "*") != 0) {
    return schema_add_values(doc, owner, values, key, (int32_t)at, 0, to->values, err);
  }
  JSON_FAIL_IF(*to->other != LOOKUP_NONE, doc, values, err,
               "only one %s can be \"*\" (all other values)", to->what);
  *to->other = (int32_t)at;
  return DPERM_OK;
}

/* A name for each text of a list, or for each key of an object. */
static dperm_status parse_named(const json_document *doc, const json_t *owner, json_t *given,
                                const char *key, bool list, const named_values *to,
                                dperm_error *err) {
  if (list) {
    TRY(schema_add_values(doc, owner, given, key, 0, 1, to->values, err));
  }
  size_t i = 0, count = list ? json_array_size(given) : json_object_size(given);
  TRY(memory_new(count, sizeof *to->names->names, &to->names->names, err));
  to->names->count = count;
  const char *name;
  json_t *value;
  json_object_foreach(given, name, value) {
    TRY(add_named(doc, given, value, name, i, to, err));
    TRY(copy_text(name, &to->names->names[i++], err));
  }
  json_array_foreach(given, i, value) {
    TRY(copy_text(json_string_value(value), &to->names->names[i], err));
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
  for (size_t c = 0; c < column->categories.count; c++) {
    if (strcmp(column->categories.names[c], name) == 0) {
      column->reference = (int32_t)c;
    }
  }
  return column->reference != LOOKUP_NONE && column->categories.count > 1
             ? DPERM_OK
             : json_fail_at(doc, given, err,
                            "\"reference\" of column \"%.64s\" must be one of its categories, and "
                            "not the only one",
                            column->name);
}

static dperm_status parse_categorical(const json_document *doc, json_t *object,
                                      schema_column *column, dperm_error *err) {
  json_t *values = json_object_get(object, "values"), *groups = json_object_get(object, "groups");
  JSON_FAIL_IF((values != NULL) == (groups != NULL) || (groups && json_object_size(groups) == 0),
               doc, object, err,
               "categorical column \"%.64s\" needs either \"values\" or \"groups\", "
               "an object of at least one, known in public",
               column->name);
  const named_values to = {&column->categories, &column->values, &column->other, "group"};
  TRY(parse_named(doc, object, values ? values : groups, "values", values != NULL, &to, err));
  return parse_reference(doc, object, column, err);
}

static dperm_status parse_numeric(const json_document *doc, json_t *object, int version,
                                  schema_column *column, dperm_error *err) {
  static const char *const transforms[] = {"none", "log1p", NULL};
  static const char *const scales[] = {"max", "center", NULL};
  int transform = 0, scale = SCALE_MAX;
  column->scale_given = json_object_get(object, "scale") != NULL;
  TRY(schema_get_number(doc, object, "min", NULL, &column->min, err));
  TRY(schema_get_number(doc, object, "max", NULL, &column->max, err));
  TRY(schema_get_choice(doc, object, "transform", transforms, &transform, err));
  TRY(schema_get_choice(doc, object, "scale", scales, &scale, err));
  column->transform = (column_transform)transform;
  column->scale =
      column->scale_given || version == SCHEMA_VERSION_1 ? (column_scale)scale : SCALE_CENTER;
  JSON_FAIL_IF(!(column->min < column->max) ||
                   (column->transform == TRANSFORM_LOG1P && !(column->min > -1)),
               doc, object, err,
               "\"min\" of column \"%.64s\" must be below its \"max\", and above -1 for "
               "log1p; mend the range",
               column->name);
  return schema_parse_bins(doc, object, column, err);
}

/* What is for people alone. */
static dperm_status parse_notes(const json_document *doc, json_t *object, schema_column *column,
                                dperm_error *err) {
  const char *source = "";
  TRY(schema_get_text(doc, object, "source", "", &source, err));
  TRY(schema_get_bool(doc, object, "sensitive", &column->sensitive, err));
  JSON_FAIL_IF(
      strlen(source) > SOURCE_LIMIT, doc, json_object_get(object, "source"), err,
      "\"source\" of column \"%.64s\" is too long; say where its range or values come from "
      "in at most %d bytes",
      column->name, SOURCE_LIMIT);
  return *source ? copy_text(source, &column->source, err) : DPERM_OK;
}

static dperm_status parse_column(const json_document *doc, const json_t *list, json_t *object,
                                 int version, schema_column *column, dperm_error *err) {
  static const char *const keys[][12] = {
      {"name", "type", "min", "max", "transform", "scale", "weight", "bins", "line", "source",
       "sensitive", NULL},
      {"name", "type", "values", "groups", "reference", "weight", "source", "sensitive", NULL},
      {"name", "type", "source", "sensitive", NULL},
      {"name", "type", "source", "sensitive", NULL},
      {"name", "type", "values", "groups", "source", "sensitive", NULL}};
  JSON_FAIL_IF(!json_is_object(object), doc, json_blamed(list, object), err,
               "a column must be an object in braces");
  const char *name = "", *type_name = "";
  TRY(schema_get_text(doc, object, "name", NULL, &name, err));
  TRY(schema_get_text(doc, object, "type", NULL, &type_name, err));
  size_t type = 0;
  while (column_type_names[type] && strcmp(column_type_names[type], type_name) != 0) {
    type++;
  }
  JSON_FAIL_IF(!column_type_names[type], doc, json_object_get(object, "type"), err,
               "no column type is called \"%.64s\"; choose numeric, categorical, ignore, label or "
               "group",
               type_name);
  TRY(json_check_keys(doc, object, keys[type], "this column", err));
  TRY(copy_text(name, &column->name, err));
  column->type = (column_type)type;
  column->other = column->reference = LOOKUP_NONE;
  TRY(parse_notes(doc, object, column, err));
  TRY(schema_get_weight(doc, object, "weight", 1.0, &column->weight, err));
  if (column->type == COLUMN_NUMERIC) {
    return parse_numeric(doc, object, version, column, err);
  }
  return column->type == COLUMN_CATEGORICAL || column->type == COLUMN_GROUP
             ? parse_categorical(doc, object, column, err)
             : DPERM_OK;
}

static dperm_status parse_columns(const json_document *doc, dperm_schema *schema, lookup *names,
                                  dperm_error *err) {
  json_t *list = json_object_get(doc->root, "columns");
  JSON_FAIL_IF(!json_is_array(list) || json_array_size(list) == 0, doc,
               list ? json_blamed(doc->root, list) : doc->root, err,
               "\"columns\" must be a list of at least one column");
  TRY(memory_new(json_array_size(list) + 1, sizeof *schema->columns, &schema->columns, err));
  size_t i;
  json_t *object;
  json_array_foreach(list, i, object) {
    schema->column_count++; /* counted first, so that a half-made column is freed */
    TRY(parse_column(doc, list, object, schema->version, &schema->columns[i], err));
    bool added = false;
    TRY(lookup_add(names, slice_of(schema->columns[i].name), (int32_t)i, &added, err));
    JSON_FAIL_IF(!added, doc, object, err, "column \"%.64s\" stands here a second time; keep one",
                 schema->columns[i].name);
  }
  return DPERM_OK;
}

/* ---- the rest of the document */

/* "person" and "rows_per_person". The column is one of type ignore; where a header names columns it
 * need not be listed, and is added. */
static dperm_status parse_person(const json_document *doc, const lookup *names,
                                 dperm_schema *schema, dperm_error *err) {
  const json_t *given = json_object_get(doc->root, "person");
  const json_t *most = json_object_get(doc->root, "rows_per_person");
  const char *name = "";
  JSON_FAIL_IF(most && !given, doc, json_blamed(doc->root, most), err,
               "\"rows_per_person\" goes with \"person\", the column that tells persons apart");
  if (!given) {
    return DPERM_OK;
  }
  TRY(schema_get_text(doc, doc->root, "person", NULL, &name, err));
  json_int_t rows = most ? json_integer_value(most) : PERSON_ROWS_USUAL;
  JSON_FAIL_IF(!(!most || json_is_integer(most)) || rows < 1 || rows > PERSON_ROWS_MOST, doc,
               json_blamed(doc->root, most), err,
               "\"rows_per_person\" must be a whole number from 1 to %d: the most of a person's "
               "records that count",
               PERSON_ROWS_MOST);
  const int32_t listed = lookup_find(names, slice_of(name));
  JSON_FAIL_IF(!*name, doc, given, err, "\"person\" must be the name of a column");
  JSON_FAIL_IF(listed == LOOKUP_NONE && !schema->header, doc, given, err,
               "without a header every column is listed: add the person's as {\"name\": "
               "\"%.64s\", \"type\": \"ignore\"}",
               name);
  JSON_FAIL_IF(listed != LOOKUP_NONE && schema->columns[listed].type != COLUMN_IGNORE, doc, given,
               err,
               "column \"%.64s\" tells persons apart, so nothing may be learned from it; give it "
               "the type ignore",
               name);
  JSON_FAIL_IF(strcmp(name, schema->label_column) == 0, doc, given, err,
               "column \"%.64s\" is the label's, and cannot tell persons apart", name);
  schema->person_rows = (size_t)rows;
  schema->person = listed == LOOKUP_NONE ? schema->column_count : (size_t)listed;
  if (listed != LOOKUP_NONE) {
    return DPERM_OK;
  }
  schema->person_added = true;
  schema_column *added = &schema->columns[schema->column_count++];
  *added = (schema_column){
      .type = COLUMN_IGNORE, .weight = 1, .other = LOOKUP_NONE, .reference = LOOKUP_NONE};
  return copy_text(name, &added->name, err);
}

/* As given, with the column that parse_person added. */
static dperm_status keep_json(const json_document *doc, dperm_schema *schema, dperm_error *err) {
  const json_t *list = json_object_get(doc->root, "columns");
  if (json_array_size(list) == schema->column_count) {
    schema->json = json_incref(doc->root);
    return DPERM_OK;
  }
  TRY(json_made(json_copy(doc->root), &schema->json, err));
  json_t *columns = json_copy((json_t *)list);
  json_append(&columns, json_pack("{s:s, s:s}", "name", schema->columns[schema->person].name,
                                  "type", column_type_names[COLUMN_IGNORE]));
  return json_put(schema->json, "columns", columns, err);
}

/* Two classes, each named after the first of its values. */
static dperm_status parse_sides(const json_document *doc, const json_t *label,
                                const named_values *to, dperm_error *err) {
  TRY(class_list_new(2, to->names, err));
  for (size_t side = 2; side-- > 0;) {
    const char *key = side ? "positive" : "negative";
    const json_t *list = json_object_get(label, key);
    TRY(add_named(doc, label, list, key, side, to, err));
    bool rest = *to->other == (int32_t)side;
    TRY(copy_text(rest ? key : json_string_value(json_array_get(list, 0)), &to->names->names[side],
                  err));
  }
  JSON_FAIL_IF(class_list_repeated(to->names) < 2, doc, label, err,
               "both classes would be called \"%.64s\"; list another value first",
               to->names->names[0]);
  return DPERM_OK;
}

/* A numeric label: of a regression. Its range is public, as a column's is. */
static dperm_status parse_target(const json_document *doc, json_t *label, dperm_schema *schema,
                                 dperm_error *err) {
  static const char *const keys[] = {"column", "type", "min", "max", "source", NULL};
  static const char *const types[] = {"numeric", NULL};
  const char *column = NULL;
  int type = 0;
  TRY(json_check_keys(doc, label, keys, "a numeric \"label\"", err));
  TRY(schema_get_choice(doc, label, "type", types, &type, err));
  TRY(schema_get_text(doc, label, "column", NULL, &column, err));
  TRY(copy_text(column, &schema->label_column, err));
  TRY(memory_new(1, sizeof *schema->target, &schema->target, err));
  schema_column *target = schema->target;
  *target = (schema_column){.type = COLUMN_NUMERIC, .other = LOOKUP_NONE, .reference = LOOKUP_NONE};
  TRY(copy_text(column, &target->name, err));
  TRY(parse_notes(doc, label, target, err));
  TRY(schema_get_number(doc, label, "min", NULL, &target->min, err));
  TRY(schema_get_number(doc, label, "max", NULL, &target->max, err));
  dperm_error trouble = {DPERM_OK, ""};
  JSON_FAIL_IF(label_range_check(schema_label_range(schema), &trouble) != DPERM_OK, doc, label, err,
               "%s", trouble.message);
  return DPERM_OK;
}

static dperm_status parse_label(const json_document *doc, dperm_schema *schema, dperm_error *err) {
  static const char *const keys[][4] = {{"column", "positive", "negative", NULL},
                                        {"column", "classes", NULL}};
  json_t *label = json_object_get(doc->root, "label");
  JSON_FAIL_IF(!json_is_object(label), doc, label ? json_blamed(doc->root, label) : doc->root, err,
               "\"label\" must be an object with \"column\", \"positive\" and "
               "\"negative\", or \"column\" and \"classes\", or of a number \"column\", "
               "\"type\": \"numeric\", \"min\" and \"max\"");
  schema->label_other = LOOKUP_NONE;
  if (json_object_get(label, "type")) {
    return parse_target(doc, label, schema, err);
  }
  json_t *classes = json_object_get(label, "classes");
  TRY(json_check_keys(doc, label, keys[classes != NULL], "\"label\"", err));
  const char *column = NULL;
  TRY(schema_get_text(doc, label, "column", NULL, &column, err));
  TRY(copy_text(column, &schema->label_column, err));
  const named_values to = {&schema->classes, &schema->labels, &schema->label_other, "side"};
  if (!classes) {
    return parse_sides(doc, label, &to, err);
  }
  bool list = json_is_array(classes);
  size_t count = list ? json_array_size(classes) : json_object_size(classes);
  JSON_FAIL_IF(count < 2 || count > CLASSES_MOST, doc, json_blamed(label, classes), err,
               "\"classes\" must be a list, or an object, of 2 to %d classes", CLASSES_MOST);
  return parse_named(doc, label, classes, "classes", list, &to, err);
}

/* "separator" and "comment". */
static dperm_status parse_marks(const json_document *doc, dperm_schema *schema, dperm_error *err) {
  const char *separator = "", *comment = "";
  TRY(schema_get_text(doc, doc->root, "separator", ",", &separator, err));
  TRY(schema_get_text(doc, doc->root, "comment", "", &comment, err));
  JSON_FAIL_IF(strlen(separator) != 1 || strchr("\"\r\n ", *separator), doc,
               json_object_get(doc->root, "separator"), err,
               "\"separator\" must be one byte, such as \",\" or \";\" or \"\\t\"");
  JSON_FAIL_IF(strlen(comment) > 64 || strchr(comment, '\n'), doc,
               json_object_get(doc->root, "comment"), err,
               "\"comment\" must be a short prefix of a line");
  schema->separator = *separator;
  return *comment ? copy_text(comment, &schema->comment, err) : DPERM_OK;
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

/* A value cannot be missing and a category or label at once. */
static dperm_status check_values(const json_document *doc, const json_t *place, const char *column,
                                 const lookup *values, const lookup *missing, dperm_error *err) {
  for (size_t p = 0; p < values->capacity; p++) {
    const lookup_entry *entry = &values->places[p];
    JSON_FAIL_IF(
        entry->text && lookup_find(missing, (slice){entry->text, entry->length}) != LOOKUP_NONE,
        doc, place, err, "value \"%.64s\" of column \"%.64s\" is in \"missing\" too; keep one",
        entry->text, column);
  }
  return DPERM_OK;
}

/* The label is a column of the file. */
static dperm_status check_together(const json_document *doc, const dperm_schema *schema,
                                   dperm_error *err) {
  const json_t *list = json_object_get(doc->root, "columns");
  bool found = schema->header;
  for (size_t i = 0; i < schema->column_count; i++) {
    const schema_column *column = &schema->columns[i];
    const json_t *place = json_array_get(list, i);
    bool is_label = strcmp(column->name, schema->label_column) == 0;
    found = found || is_label;
    JSON_FAIL_IF(is_label != (column->type == COLUMN_LABEL), doc, place, err,
                 "column \"%.64s\" is %s of type label; its type and \"label\" must agree",
                 column->name, is_label ? "the label's, but not" : "not the label's, but");
    TRY(check_values(doc, place, column->name, &column->values, &schema->missing, err));
  }
  JSON_FAIL_IF(!found, doc, list, err,
               "without a header every column is listed: add the label's as {\"name\": "
               "\"%.64s\", \"type\": \"label\"}",
               schema->label_column);
  return check_values(doc, json_object_get(doc->root, "label"), schema->label_column,
                      &schema->labels, &schema->missing, err);
}

/* Decides what later members mean, so it is read before them. */
static dperm_status parse_version(const json_document *doc, dperm_schema *schema,
                                  dperm_error *err) {
  const json_t *given = json_object_get(doc->root, "version");
  const bool numeric = json_object_get(json_object_get(doc->root, "label"), "type") != NULL;
  const json_int_t usual = numeric ? SCHEMA_VERSION : SCHEMA_VERSION_1,
                   version = given ? json_integer_value(given) : usual;
  JSON_FAIL_IF(version < SCHEMA_VERSION_1 || version > SCHEMA_VERSION, doc,
               given ? json_blamed(doc->root, given) : doc->root, err,
               "\"version\" must be the whole number %d or %d; a higher one needs a newer dperm",
               SCHEMA_VERSION_1, SCHEMA_VERSION);
  schema->version = (int)version;
  schema->version_given = given != NULL;
  schema->intercept = version > SCHEMA_VERSION_1;
  schema->intercept_given = json_object_get(doc->root, "intercept") != NULL;
  return DPERM_OK;
}

static dperm_status parse_document(const json_document *doc, dperm_schema *schema,
                                   dperm_error *err) {
  static const char *const keys[] = {"header",    "missing", "label",           "columns",
                                     "intercept", "rows",    "on_missing",      "comment",
                                     "separator", "crosses", "refined",         "version",
                                     "group",     "person",  "rows_per_person", NULL};
  static const char *const row_rules[] = {"clip", "fixed", NULL};
  static const char *const missing_rules[] = {"zero", "category", "drop", NULL};
  JSON_FAIL_IF(!json_is_object(doc->root), doc, doc->root, err,
               "a schema is an object in braces; put \"label\" and \"columns\" into one");
  TRY(json_check_keys(doc, doc->root, keys, "the schema", err));
  OWNED(lookup_clear) lookup names = {0};
  int rows = 0, on_missing = 0;
  schema->header = true;
  schema->person = NO_PERSON;
  TRY(parse_version(doc, schema, err));
  TRY(schema_get_bool(doc, doc->root, "header", &schema->header, err));
  TRY(schema_get_bool(doc, doc->root, "intercept", &schema->intercept, err));
  TRY(schema_get_choice(doc, doc->root, "rows", row_rules, &rows, err));
  TRY(schema_get_choice(doc, doc->root, "on_missing", missing_rules, &on_missing, err));
  schema->rows = (row_rule)rows;
  schema->on_missing = (missing_rule)on_missing;
  TRY(parse_marks(doc, schema, err));
  TRY(parse_missing(doc, schema, err));
  TRY(parse_label(doc, schema, err));
  TRY(schema_parse_refined(doc, &schema->refined, err));
  TRY(parse_columns(doc, schema, &names, err));
  TRY(parse_person(doc, &names, schema, err));
  TRY(schema_parse_group(doc, &names, schema, err));
  TRY(check_together(doc, schema, err));
  TRY(schema_parse_crosses(doc, &names, schema, err));
  TRY(keep_json(doc, schema, err));
  dperm_error trouble = {DPERM_OK, ""};
  JSON_FAIL_IF(schema_layout(schema, &trouble) != DPERM_OK, doc,
               json_object_get(doc->root, "columns"), err, "%.700s", trouble.message);
  return DPERM_OK;
}

static dperm_status schema_from_document(const json_document *doc, dperm_schema **out,
                                         dperm_error *err) {
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  TRY(memory_new(1, sizeof *schema, &schema, err));
  atomic_init(&schema->owners, 1);
  TRY(parse_document(doc, schema, err));
  *out = TAKE(schema);
  return DPERM_OK;
}

dperm_status schema_from_json(json_t *json, const char *name, dperm_schema **out,
                              dperm_error *err) {
  const json_document doc = {.name = name, .text = "", .blame = DPERM_INVALID_SCHEMA, .root = json};
  return schema_from_document(&doc, out, err);
}

/* ---- texts and files */

dperm_status dperm_schema_parse(const char *json, size_t length, const char *name,
                                dperm_schema **out, dperm_error *err) {
  OWNED(json_document_free)
  json_document doc = {.name = name, .text = json, .length = length, .blame = DPERM_INVALID_SCHEMA};
  TRY(json_document_parse(&doc, err));
  return schema_from_document(&doc, out, err);
}

dperm_status dperm_schema_read(const char *path, dperm_schema **out, dperm_error *err) {
  OWNED_MEMORY char *text = NULL;
  size_t length = 0;
  TRY(file_read_all(path, SCHEMA_LIMIT, &text, &length, err));
  return dperm_schema_parse(text, length, path_for_people(path), out, err);
}

/* Laid out as one would by hand: a column on a line. */
dperm_status dperm_schema_write(const dperm_schema *schema, const char *path, dperm_error *err) {
  OWNED(output_discard_at) output_file *file = NULL;
  TRY(output_open(path, false, &file, err));
  TRY(json_write(schema->json, true, file, err));
  return output_commit(TAKE(file), err);
}

dperm_status dperm_schema_to_text(const dperm_schema *schema, char **text, size_t *length,
                                  dperm_error *err) {
  OWNED(output_discard_at) output_file *file = NULL;
  TRY(output_open_memory(&file, err));
  TRY(json_write(schema->json, true, file, err));
  return output_take(TAKE(file), text, length, err);
}
