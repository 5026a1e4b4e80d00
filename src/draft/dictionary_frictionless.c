/* Frictionless data (specs.frictionlessdata.io, versions 1 and 2): a Table Schema, alone, in a data
 * resource, or in one of a data package, with the CSV dialect beside it. */
#include "draft/dictionary.h"
#include "draft/draft_remarks.h"

#include <string.h>

typedef struct type_word {
  const char *word;
  dictionary_kind kind;
  bool whole;
} type_word;

static const type_word types[] = {
    {"string", DICTIONARY_TEXT, false},   {"number", DICTIONARY_NUMBER, false},
    {"integer", DICTIONARY_NUMBER, true}, {"boolean", DICTIONARY_BOOLEAN, false},
    {"year", DICTIONARY_NUMBER, true},    {"date", DICTIONARY_DATE, false},
    {"time", DICTIONARY_DATE, false},     {"datetime", DICTIONARY_DATE, false},
    {"yearmonth", DICTIONARY_DATE, false}};

static void take_type(dictionary_column *column, const json_t *field) {
  const char *word = dictionary_text(field, "type");
  column->type = word ? word : "";
  column->kind = DICTIONARY_OTHER;
  for (size_t i = 0; word && i < sizeof types / sizeof *types; i++) {
    if (strcmp(types[i].word, word) == 0) {
      column->kind = types[i].kind;
      column->whole = types[i].whole;
    }
  }
  column->several = word && (strcmp(word, "list") == 0 || strcmp(word, "array") == 0);
}

static void take_bounds(dictionary_column *column, const json_t *field, const json_t *constraints) {
  dictionary_add_minimum(column, json_object_get(constraints, "minimum"));
  dictionary_add_minimum(column, json_object_get(constraints, "exclusiveMinimum"));
  dictionary_add_maximum(column, json_object_get(constraints, "maximum"));
  dictionary_add_maximum(column, json_object_get(constraints, "exclusiveMaximum"));
  const char *point = dictionary_text(field, "decimalChar");
  const char *group = dictionary_text(field, "groupChar");
  column->dressed = (point && strcmp(point, ".") != 0) || (group && *group) ||
                    json_is_false(json_object_get(field, "bareNumber"));
}

static dperm_status take_truths(dictionary_column *column, const json_t *field, dperm_error *err) {
  json_auto_t *usual = json_pack("{s:[s,s,s,s], s:[s,s,s,s]}", "falseValues", "false", "False",
                                 "FALSE", "0", "trueValues", "true", "True", "TRUE", "1");
  const json_t *falses = json_object_get(field, "falseValues");
  const json_t *trues = json_object_get(field, "trueValues");
  if (!usual) {
    return dictionary_no_memory(err);
  }
  return dictionary_truths(falses ? falses : json_object_get(usual, "falseValues"),
                           trues ? trues : json_object_get(usual, "trueValues"),
                           &column->categories, err);
}

static dperm_status take_values(dictionary_column *column, const json_t *field,
                                const json_t *constraints, dperm_error *err) {
  const json_t *list = json_object_get(constraints, "enum");
  const char *pattern = dictionary_text(constraints, "pattern");
  list = json_is_array(list) ? list : json_object_get(field, "categories");
  if (column->kind == DICTIONARY_BOOLEAN) {
    return take_truths(column, field, err);
  }
  if (json_is_array(list)) {
    return dictionary_categories(list, &column->categories, err);
  }
  return column->kind == DICTIONARY_TEXT && pattern
             ? dictionary_pattern(pattern, &column->categories, err)
             : DPERM_OK;
}

static dperm_status read_field(dictionary *d, const json_t *list, const json_t *field,
                               json_t *missing, dperm_error *err) {
  if (!json_is_object(field)) {
    return json_fail_at(d->doc, json_blamed(list, field), err,
                        "a field must be an object in braces");
  }
  dictionary_column *column = dictionary_add(d, field);
  const json_t *constraints = json_object_get(field, "constraints");
  const json_t *own = json_object_get(field, "missingValues");
  column->name = dictionary_text(field, "name");
  TRY(dictionary_check_type(d, field, "name", column->name != NULL, "a text, the column's", err));
  take_type(column, field);
  take_bounds(column, field, constraints);
  column->unique = json_is_true(json_object_get(constraints, "unique"));
  TRY(take_values(column, field, constraints, err));
  if (!own) {
    column->missing = json_incref(missing);
    return DPERM_OK;
  }
  TRY(dictionary_check_type(d, field, "missingValues", json_is_array(own), "a list", err));
  return dictionary_list(own, &column->missing, err);
}

static dperm_status read_schema(dictionary *d, const json_t *schema, const json_t *null_sequence,
                                dperm_error *err) {
  const json_t *fields = json_object_get(schema, "fields");
  const json_t *given = json_object_get(schema, "missingValues");
  json_auto_t *missing = NULL, *usual = json_pack("[s]", "");
  TRY(dictionary_check_type(d, schema, "fields",
                            json_is_array(fields) && json_array_size(fields) > 0,
                            "a list of at least one field", err));
  TRY(dictionary_check_type(d, schema, "missingValues", !given || json_is_array(given), "a list",
                            err));
  TRY(dictionary_list(given ? given : usual, &missing, err));
  const char *null_text = json_string_value(null_sequence);
  if (null_text && !dictionary_holds(missing, null_text)) {
    json_append(&missing, json_string(null_text));
  }
  if (!usual || !missing) {
    return dictionary_no_memory(err);
  }
  TRY(dictionary_reserve(d, json_array_size(fields), err));
  for (size_t i = 0; i < json_array_size(fields); i++) {
    TRY(read_field(d, fields, json_array_get(fields, i), missing, err));
  }
  return dictionary_mark_keys(d, json_object_get(schema, "primaryKey"), err);
}

/* ---- the dialect */

/* As the standard has it, or one level deeper as frictionless-py writes it. */
static const json_t *dialect_member(const json_t *dialect, const char *key, const json_t **owner) {
  const json_t *inner = json_object_get(dialect, "csv"), *value = json_object_get(dialect, key);
  *owner = value || !inner ? dialect : inner;
  return value ? value : json_object_get(inner, key);
}

static dperm_status read_header(dictionary *d, const json_t *dialect, dperm_error *err) {
  const json_t *owner = NULL, *header = dialect_member(dialect, "header", &owner);
  TRY(dictionary_check_type(d, owner, "header", !header || json_is_boolean(header), "true or false",
                            err));
  d->header = !json_is_false(header);
  const json_t *rows = dialect_member(dialect, "headerRows", &owner);
  json_int_t only = json_integer_value(json_array_get(rows, 0));
  if (rows && (json_array_size(rows) > 1 || only > 1)) {
    draft_remark(&d->remarks, "the file: its header is not the first line alone: make one line of "
                              "it, and the first");
  }
  d->header = d->header && !(json_is_array(rows) && json_array_size(rows) == 0);
  return DPERM_OK;
}

static dperm_status read_dialect(dictionary *d, const json_t *resource, dperm_error *err) {
  const json_t *dialect = json_object_get(resource, "dialect"), *owner = NULL;
  if (json_is_string(dialect)) {
    draft_remark(&d->remarks,
                 "the file: its dialect stands in another file, \"%.64s\", which was "
                 "not read: a comma and a header are assumed",
                 json_string_value(dialect));
    return DPERM_OK;
  }
  const json_t *separator = dialect_member(dialect, "delimiter", &owner);
  TRY(dictionary_separator(d, owner, "delimiter", separator, err));
  const json_t *comment = dialect_member(dialect, "commentChar", &owner);
  TRY(dictionary_comment(d, owner, "commentChar", comment, err));
  const json_t *rows = dialect_member(dialect, "commentRows", &owner);
  dictionary_remark_habits(d, dialect_member(dialect, "quoteChar", &owner),
                           dialect_member(dialect, "doubleQuote", &owner),
                           dictionary_text(resource, "encoding"),
                           (json_int_t)json_array_size(rows));
  return read_header(d, dialect, err);
}

dperm_status dictionary_read_frictionless(dictionary *d, const char *table, dperm_error *err) {
  static const char *const names[2] = {"name", "path"};
  const json_t *root = d->doc->root, *resource = root, *schema = root, *owner = NULL;
  const json_t *resources = json_object_get(root, "resources");
  d->list_hint = "\"enum\"";
  if (resources) {
    TRY(dictionary_check_type(d, root, "resources", json_is_array(resources), "a list", err));
    TRY(dictionary_choose_table(d, resources, names, table, &resource, err));
  } else {
    TRY(dictionary_check_table(d, root, names, table, err));
  }
  if (!json_object_get(root, "fields")) {
    schema = json_object_get(resource, "schema");
    if (json_is_string(schema)) {
      return json_fail_at(d->doc, schema, err,
                          "the table's schema stands in another file, \"%.64s\"; import that one",
                          json_string_value(schema));
    }
    if (!json_is_object(schema)) {
      return json_fail_at(d->doc, json_is_object(resource) ? resource : root, err,
                          "there is no \"fields\" and no \"schema\" that has them: this is no "
                          "Frictionless table schema, resource or package");
    }
    TRY(read_dialect(d, resource, err));
  }
  const json_t *dialect = json_object_get(resource, "dialect");
  return read_schema(d, schema, dialect_member(dialect, "nullSequence", &owner), err);
}
