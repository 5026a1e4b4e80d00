/* Frictionless data (specs.frictionlessdata.io, versions 1 and 2): a Table Schema, alone, in a data
 * resource, or in one of a data package, with the CSV dialect beside it. */
#include <math.h>

#include "base/owned.h"
#include "draft/dictionary.h"

static const type_words types[] = {
    {" string ", DICTIONARY_TEXT, false, NAN, NAN},
    {" number ", DICTIONARY_NUMBER, false, NAN, NAN},
    {" integer year ", DICTIONARY_NUMBER, true, NAN, NAN},
    {" boolean ", DICTIONARY_BOOLEAN, false, NAN, NAN},
    {" date time datetime yearmonth ", DICTIONARY_DATE, false, NAN, NAN}};

static dperm_status take_truths(dictionary_column *column, const json_t *field, dperm_error *err) {
  json_auto_t *usual = NULL;
  TRY(json_made(json_pack("{s:[s,s,s,s], s:[s,s,s,s]}", "falseValues", "false", "False", "FALSE",
                          "0", "trueValues", "true", "True", "TRUE", "1"),
                &usual, err));
  const json_t *falses = json_object_get(field, "falseValues");
  const json_t *trues = json_object_get(field, "trueValues");
  return dictionary_truths(falses ? falses : json_object_get(usual, "falseValues"),
                           trues ? trues : json_object_get(usual, "trueValues"),
                           &column->categories, err);
}

static dperm_status read_field(dictionary *d, dictionary_column *column, dperm_error *err) {
  const json_t *field = d->levels[0], *constraints = json_object_get(field, "constraints");
  const json_t *list = json_object_get(constraints, "enum");
  const char *pattern = dictionary_text(constraints, "pattern");
  const char *word = dictionary_text(field, "type");
  column->name = dictionary_text(field, "name");
  TRY(dictionary_check_type(d, field, "name", column->name != NULL, "a text, the column's", err));
  dictionary_take_type(column, word ? word : "", types, sizeof types / sizeof *types);
  dictionary_take_bounds(column, constraints);
  column->several = word && (strcmp(word, "list") == 0 || strcmp(word, "array") == 0);
  column->dressed =
      dictionary_dressed(field) || json_is_false(json_object_get(field, "bareNumber"));
  column->unique = json_is_true(json_object_get(constraints, "unique"));
  if (column->kind == DICTIONARY_BOOLEAN) {
    return take_truths(column, field, err);
  }
  list = json_is_array(list) ? list : json_object_get(field, "categories");
  if (json_is_array(list)) {
    return dictionary_categories(list, &column->categories, err);
  }
  return column->kind == DICTIONARY_TEXT && pattern
             ? dictionary_pattern(pattern, &column->categories, err)
             : DPERM_OK;
}

const dictionary_format dictionary_frictionless = {
    .signs = {"fields", "resources", "schema"},
    .tables = "resources",
    .names = {"name", "path"},
    .schema = "schema",
    .columns = "fields",
    .column = "field",
    .no_schema = "there is no \"fields\" and no \"schema\" that has them: this is no Frictionless "
                 "table schema, resource or package",
    .missing = "missingValues",
    .list_hint = "\"enum\"",
    .read_column = read_field};
