/* CSV on the Web (w3.org/TR/tabular-metadata): the metadata of a table, or of one in a group, with
 * its schema and dialect. Annotations and vocabularies of other standards are not looked at. */
#include <stdio.h>
#include <string.h>

#include "draft/dictionary.h"
#include "draft/draft_remarks.h"

/* From the innermost outwards: a column, its schema, its table, the group. */
enum { LEVELS = 4 };
typedef struct csvw_levels {
  const json_t *at[LEVELS];
} csvw_levels;

/* A property that the outer levels hand down. */
static const json_t *inherited(const csvw_levels *levels, const char *key, const json_t **owner) {
  for (size_t i = 0; i < LEVELS; i++) {
    const json_t *value = json_object_get(levels->at[i], key);
    if (value) {
      *owner = levels->at[i];
      return value;
    }
  }
  *owner = levels->at[0];
  return NULL;
}

/* ---- types */

/* Names of datatypes, each between blanks. How wide a machine's integers are says nothing about the
 * values; that they are not negative does. */
static const char number_words[] = " number decimal double float ";
static const char whole_words[] = " integer long int short byte gYear ";
static const char natural_words[] =
    " nonNegativeInteger unsignedLong unsignedInt unsignedShort unsignedByte ";
static const char date_words[] = " date dateTime datetime dateTimeStamp time duration "
                                 "dayTimeDuration yearMonthDuration gDay gMonth gMonthDay "
                                 "gYearMonth ";
static const char text_words[] = " string normalizedString token language Name NMTOKEN any "
                                 "anyAtomicType ";

static bool is_among(const char *words, const char *word) {
  char blanks[32];
  int length = snprintf(blanks, sizeof blanks, " %s ", word);
  return length < (int)sizeof blanks && !strchr(word, ' ') && strstr(words, blanks);
}

static void bound(dictionary_column *column, bool below, int limit) {
  json_auto_t *number = json_integer(limit);
  if (below) {
    dictionary_add_minimum(column, number);
  } else {
    dictionary_add_maximum(column, number);
  }
}

static void take_kind(dictionary_column *column, const char *word) {
  bool natural = is_among(natural_words, word), positive = strcmp(word, "positiveInteger") == 0;
  bool negative = strcmp(word, "negativeInteger") == 0;
  bool not_positive = strcmp(word, "nonPositiveInteger") == 0;
  column->type = word;
  column->whole = natural || positive || negative || not_positive || is_among(whole_words, word);
  column->kind = column->whole || is_among(number_words, word) ? DICTIONARY_NUMBER
                 : strcmp(word, "boolean") == 0                ? DICTIONARY_BOOLEAN
                 : is_among(date_words, word)                  ? DICTIONARY_DATE
                 : is_among(text_words, word)                  ? DICTIONARY_TEXT
                                                               : DICTIONARY_OTHER;
  if (natural || positive) {
    bound(column, true, positive);
  }
  if (negative || not_positive) {
    bound(column, false, -(int)negative);
  }
}

/* A number's format: a pattern of zeros and # with a point, or an object of signs. */
static bool is_dressed(const json_t *format) {
  const char *pattern =
      json_is_object(format) ? dictionary_text(format, "pattern") : json_string_value(format);
  const char *point = dictionary_text(format, "decimalChar");
  const char *group = dictionary_text(format, "groupChar");
  return (point && strcmp(point, ".") != 0) || (group && *group) ||
         (pattern && strspn(pattern, "0#.+-Ee") != strlen(pattern));
}

/* "Y|N": true first. */
static dperm_status take_truths(dictionary_column *column, const char *format, dperm_error *err) {
  json_auto_t *falses = NULL, *trues = NULL;
  const char *bar = format ? strchr(format, '|') : NULL;
  if (format) {
    trues = bar ? json_pack("[o]", json_stringn(format, (size_t)(bar - format))) : json_array();
    falses = bar ? json_pack("[s]", bar + 1) : json_array();
  } else {
    trues = json_pack("[s, s]", "true", "1");
    falses = json_pack("[s, s]", "false", "0");
  }
  return falses && trues ? dictionary_truths(falses, trues, &column->categories, err)
                         : dictionary_no_memory(err);
}

static dperm_status take_datatype(dictionary_column *column, const json_t *datatype,
                                  dperm_error *err) {
  static const char *const below[] = {"minimum", "minInclusive", "minExclusive"};
  static const char *const above[] = {"maximum", "maxInclusive", "maxExclusive"};
  const char *word =
      json_is_object(datatype) ? dictionary_text(datatype, "base") : json_string_value(datatype);
  const json_t *format = json_object_get(datatype, "format");
  const char *pattern = json_string_value(format);
  take_kind(column, word ? word : "string");
  for (size_t i = 0; i < 3; i++) {
    dictionary_add_minimum(column, json_object_get(datatype, below[i]));
    dictionary_add_maximum(column, json_object_get(datatype, above[i]));
  }
  if (column->kind == DICTIONARY_BOOLEAN) {
    return take_truths(column, pattern, err);
  }
  column->dressed = column->kind == DICTIONARY_NUMBER && is_dressed(format);
  return column->kind == DICTIONARY_TEXT && pattern
             ? dictionary_pattern(pattern, &column->categories, err)
             : DPERM_OK;
}

/* ---- columns */

/* The first of a column's titles, which are a text, a list, or either for each language; and
 * whether there are more. */
static const char *first_title(const json_t *titles, bool *more) {
  if (json_is_object(titles)) {
    void *member = json_object_iter((json_t *)titles);
    *more = *more || json_object_size(titles) > 1;
    titles = member ? json_object_iter_value(member) : NULL;
  }
  if (json_is_array(titles)) {
    *more = *more || json_array_size(titles) > 1;
    titles = json_array_get(titles, 0);
  }
  return json_string_value(titles);
}

/* A header has titles; names are the dictionary's own, and stand in for titles where there are
 * none. */
static dperm_status take_names(dictionary *d, dictionary_column *column, const json_t *object,
                               dperm_error *err) {
  bool more = false;
  const char *name = dictionary_text(object, "name");
  const char *title = first_title(json_object_get(object, "titles"), &more);
  column->name = title && (d->header || !name) ? title : name;
  column->other_name = name;
  if (!column->name) {
    return json_fail_at(d->doc, object, err,
                        "a column has neither \"name\" nor \"titles\"; add what stands in the "
                        "header");
  }
  if (more && column->name == title) {
    draft_remark(&d->remarks,
                 "column \"%.64s\": has several titles, and this one is taken to stand in the "
                 "header",
                 title);
  }
  return DPERM_OK;
}

/* What counts as missing where nobody says: the empty field. */
static dperm_status read_missing(const dictionary *d, const csvw_levels *levels, json_t **out,
                                 dperm_error *err) {
  const json_t *owner = NULL, *given = inherited(levels, "null", &owner);
  json_auto_t *usual = json_string("");
  if (!usual) {
    return dictionary_no_memory(err);
  }
  TRY(dictionary_check_type(d, owner, "null",
                            !given || json_is_string(given) || json_is_array(given),
                            "a text or a list of texts", err));
  return dictionary_list(given ? given : usual, out, err);
}

static dperm_status read_column(dictionary *d, const json_t *list, const json_t *object,
                                csvw_levels levels, json_t *missing, dperm_error *err) {
  const json_t *owner = NULL;
  if (!json_is_object(object)) {
    return json_fail_at(d->doc, json_blamed(list, object), err,
                        "a column must be an object in braces");
  }
  if (json_is_true(json_object_get(object, "virtual"))) {
    return DPERM_OK; /* not in the file */
  }
  levels.at[0] = object;
  dictionary_column *column = dictionary_add(d, object);
  TRY(take_names(d, column, object, err));
  TRY(take_datatype(column, inherited(&levels, "datatype", &owner), err));
  if (json_object_get(object, "null")) {
    TRY(read_missing(d, &levels, &column->missing, err));
  } else {
    column->missing = json_incref(missing);
  }
  const json_t *separator = inherited(&levels, "separator", &owner);
  column->several = separator && !json_is_null(separator);
  const char *standing_in = json_string_value(inherited(&levels, "default", &owner));
  if (standing_in && *standing_in) {
    draft_remark(&d->remarks,
                 "column \"%.64s\": an empty field stands for \"%.64s\" there and is missing here: "
                 "write the value into the file",
                 column->name, standing_in);
  }
  return DPERM_OK;
}

/* ---- the file */

static dperm_status read_dialect(dictionary *d, const csvw_levels *levels, dperm_error *err) {
  const json_t *owner = NULL, *dialect = inherited(levels, "dialect", &owner);
  if (json_is_string(dialect)) {
    draft_remark(&d->remarks,
                 "the file: its dialect stands in another file, \"%.64s\", which was "
                 "not read: a comma and a header are assumed",
                 json_string_value(dialect));
    return DPERM_OK;
  }
  const json_t *header = json_object_get(dialect, "header");
  const json_t *rows = json_object_get(dialect, "headerRowCount");
  const json_int_t skipped = json_integer_value(json_object_get(dialect, "skipRows"));
  TRY(dictionary_check_type(d, dialect, "header", !header || json_is_boolean(header),
                            "true or false", err));
  TRY(dictionary_check_type(d, dialect, "headerRowCount", !rows || json_is_integer(rows),
                            "a whole number", err));
  d->header = rows ? json_integer_value(rows) > 0 : !json_is_false(header);
  if (rows && json_integer_value(rows) > 1) {
    draft_remark(&d->remarks, "the file: its header is not the first line alone: make one line of "
                              "it, and the first");
  }
  if (json_integer_value(json_object_get(dialect, "skipColumns")) > 0 && !d->header) {
    draft_remark(&d->remarks, "the file: has columns in front that are not in the dictionary: list "
                              "them as \"ignore\", since without a header all are listed");
  }
  TRY(dictionary_separator(d, dialect, "delimiter", json_object_get(dialect, "delimiter"), err));
  TRY(dictionary_comment(d, dialect, "commentPrefix", json_object_get(dialect, "commentPrefix"),
                         err));
  dictionary_remark_habits(d, json_object_get(dialect, "quoteChar"),
                           json_object_get(dialect, "doubleQuote"),
                           dictionary_text(dialect, "encoding"), skipped);
  return DPERM_OK;
}

dperm_status dictionary_read_csvw(dictionary *d, const char *table, dperm_error *err) {
  static const char *const names[2] = {"url", "@id"};
  const json_t *root = d->doc->root, *chosen = root, *schema = root;
  const json_t *tables = json_object_get(root, "tables");
  d->list_hint = "a string with a \"format\" such as \"low|high\"";
  if (tables) {
    TRY(dictionary_check_type(d, root, "tables", json_is_array(tables), "a list", err));
    TRY(dictionary_choose_table(d, tables, names, table, &chosen, err));
  } else {
    TRY(dictionary_check_table(d, root, names, table, err));
  }
  if (!json_object_get(root, "columns")) { /* a schema may stand alone */
    schema = json_object_get(chosen, "tableSchema");
    schema = schema ? schema : json_object_get(root, "tableSchema");
    if (json_is_string(schema)) {
      return json_fail_at(d->doc, schema, err,
                          "the table's schema stands in another file, \"%.64s\"; import that one",
                          json_string_value(schema));
    }
    if (!json_is_object(schema)) {
      return json_fail_at(d->doc, json_is_object(chosen) ? chosen : root, err,
                          "there is no \"tableSchema\" with \"columns\": this is no CSVW metadata "
                          "of a table");
    }
  }
  const csvw_levels levels = {{NULL, schema, chosen, root}};
  const json_t *columns = json_object_get(schema, "columns");
  TRY(dictionary_check_type(d, schema, "columns",
                            json_is_array(columns) && json_array_size(columns) > 0,
                            "a list of at least one column", err));
  TRY(read_dialect(d, &levels, err));
  json_auto_t *missing = NULL;
  TRY(read_missing(d, &levels, &missing, err));
  TRY(dictionary_reserve(d, json_array_size(columns), err));
  for (size_t i = 0; i < json_array_size(columns); i++) {
    TRY(read_column(d, columns, json_array_get(columns, i), levels, missing, err));
  }
  return dictionary_mark_keys(d, json_object_get(schema, "primaryKey"), err);
}
