/* Two formats of data dictionaries. Frictionless data (specs.frictionlessdata.io, versions 1 and
 * 2): a Table Schema, alone, in a data resource, or in one of a data package. CSV on the Web
 * (w3.org/TR/tabular-metadata): the metadata of a table, or of one in a group; annotations and
 * vocabularies of other standards are not looked at. */
#include "draft/dictionary.h"

#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "base/memory.h"

/* Types with the same meaning, their names between blanks, and the bounds that they imply. */
typedef struct type_words {
  const char *words;
  draft_kind type;
  bool whole;
  double min, max;
} type_words;

struct dictionary_format {
  const char *signs[5]; /* keys by which a document of this format is known */
  const char *tables;   /* key of the list of tables */
  const char *names[2]; /* keys of a table's name */
  const char *schema;   /* key of a table's schema */
  const char *columns;  /* key of its columns */
  const char *missing;  /* key of the texts that mean "no value" */
  size_t levels;        /* so many, from inside, have properties of a column */
  const type_words *types;
  /* What it says of the column at levels[0]. */
  dperm_status (*read_column)(const dictionary *d, dictionary_column *column, dperm_error *err);
};

void dictionary_clear(dictionary *d) {
  for (size_t i = 0; i < d->column_count; i++) {
    json_decref(d->columns[i].categories);
    json_decref(d->columns[i].missing);
  }
  free(d->columns);
  proposal_clear(&d->p);
}

/* ---- members */

/* A property of the column, or one that outer levels hand down. */
static const json_t *get(const dictionary *d, const char *key) {
  const json_t *value = NULL;
  for (size_t i = 0; !value && i < d->format->levels; i++) {
    value = json_object_get(d->levels[i], key);
  }
  return value;
}

static void take_type(const dictionary *d, dictionary_column *column, const char *word) {
  char blanks[32];
  int length = snprintf(blanks, sizeof blanks, " %s ", word);
  bool one = length < (int)sizeof blanks && !strchr(word, ' ');
  for (const type_words *type = d->format->types; one && type->words; type++) {
    if (strstr(type->words, blanks)) {
      column->type = type->type;
      column->whole = type->whole;
      column->min = type->min;
      column->max = type->max;
    }
  }
}

/* NaN if it is no number. */
static double number_of(const json_t *given) {
  double x = NAN;
  if (json_is_string(given)) {
    const slice text = {json_string_value(given), json_string_length(given)};
    return parse_double(text, &x) == NUMBER_OK ? x : NAN;
  }
  return json_is_number(given) ? json_number_value(given) : NAN;
}

/* The narrowest of the bounds that the object has: numbers, or texts that are. */
static void take_bounds(dictionary_column *column, const json_t *object) {
  static const char *const keys[][2] = {{"minimum", "maximum"},
                                        {"exclusiveMinimum", "exclusiveMaximum"},
                                        {"minInclusive", "maxInclusive"},
                                        {"minExclusive", "maxExclusive"}};
  for (size_t i = 0; i < 4; i++) { /* fmax and fmin give the other one where one is NaN */
    column->min = fmax(column->min, number_of(json_object_get(object, keys[i][0])));
    column->max = fmin(column->max, number_of(json_object_get(object, keys[i][1])));
  }
}

/* Whether the object says that numbers are not written plainly. */
static bool is_dressed(const json_t *object) {
  const char *point = json_text_at(object, "decimalChar"),
             *group = json_text_at(object, "groupChar");
  return (point && strcmp(point, ".") != 0) || (group && *group);
}

/* ---- lists of values */

static void add_text(json_t **texts, const json_t *given) {
  char text[DOUBLE_TEXT_SIZE] = "";
  const char *shown = text;
  given = json_is_object(given) ? json_object_get(given, "value") : given;
  if (json_is_string(given)) {
    shown = json_string_value(given);
  } else if (json_is_integer(given)) {
    (void)snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(given));
  } else if (json_is_real(given)) {
    (void)format_double(json_real_value(given), false, text);
  } else if (json_is_boolean(given)) {
    shown = json_is_true(given) ? "true" : "false";
  } else {
    return;
  }
  json_set(texts, shown, json_pack("[s]", shown));
}

json_t *dictionary_texts(const json_t *given) {
  json_t *texts = json_object();
  for (size_t i = 0; i < json_array_size(given); i++) {
    add_text(&texts, json_array_get(given, i));
  }
  add_text(&texts, given);
  return texts;
}

json_t *dictionary_pattern(const char *pattern) {
  static const char *const around[][2] = {{"^(?:", ")$"}, {"^(", ")$"}, {"(", ")"}, {"", ""}};
  size_t length = strlen(pattern), plain = 0;
  for (size_t i = 0; plain == 0 && i < sizeof around / sizeof *around; i++) {
    size_t before = strlen(around[i][0]), after = strlen(around[i][1]);
    if (length > before + after && strncmp(pattern, around[i][0], before) == 0 &&
        strcmp(pattern + length - after, around[i][1]) == 0 &&
        strcspn(pattern + before, ".*+?()[]{}^$\\") >= length - before - after) {
      pattern += before;
      plain = length - before - after;
    }
  }
  json_t *words = plain > 0 ? json_array() : NULL;
  for (size_t from = 0, end = 0; words && from <= plain; from = end + 1) {
    const char *bar = memchr(pattern + from, '|', plain - from);
    end = bar ? (size_t)(bar - pattern) : plain;
    json_append(&words, json_stringn(pattern + from, end - from));
  }
  json_t *texts = json_array_size(words) > 1 ? dictionary_texts(words) : NULL;
  json_decref(words);
  return texts;
}

/* {"false": texts, "true": texts}; NULL if one side has none. */
static json_t *truths_of(const json_t *false_texts, const json_t *true_texts) {
  json_t *truths = json_object();
  for (size_t side = 0; side < 2; side++) {
    json_auto_t *texts = dictionary_texts(side ? true_texts : false_texts);
    json_t *list = json_object_size(texts) > 0 ? json_array() : NULL, *text;
    const char *key;
    json_object_foreach(texts, key, text) {
      json_append(&list, json_string(key));
    }
    json_set(&truths, side ? "true" : "false", list);
  }
  return truths;
}

/* ---- a column of Frictionless data */

static const type_words frictionless_types[] = {
    {" string ", DRAFT_NO_LIST, false, NAN, NAN},
    {" number ", DRAFT_NUMBER, false, NAN, NAN},
    {" integer year ", DRAFT_NUMBER, true, NAN, NAN},
    {" boolean ", DRAFT_NO_TRUTH, false, NAN, NAN},
    {" date time datetime yearmonth ", DRAFT_DATE, false, NAN, NAN},
    {" list array ", DRAFT_SEVERAL, false, NAN, NAN},
    {NULL, DRAFT_OTHER, false, NAN, NAN}};

static dperm_status read_field(const dictionary *d, dictionary_column *column, dperm_error *err) {
  const json_t *field = d->levels[0], *constraints = json_object_get(field, "constraints");
  const json_t *list = json_object_get(constraints, "enum"), *name = json_object_get(field, "name");
  const char *pattern = json_text_at(constraints, "pattern"), *word = json_text_at(field, "type");
  column->name = json_string_value(name);
  JSON_FAIL_IF(!column->name, d->doc, name ? json_blamed(field, name) : field, err,
               "\"name\" must be a text, the column's");
  take_type(d, column, word ? word : "");
  take_bounds(column, constraints);
  if (column->type == DRAFT_NUMBER &&
      (is_dressed(field) || json_is_false(json_object_get(field, "bareNumber")))) {
    column->type = DRAFT_DRESSED;
  }
  list = json_is_array(list) ? list : json_object_get(field, "categories");
  if (column->type == DRAFT_NO_TRUTH) {
    json_auto_t *usual = NULL;
    TRY(json_made(json_pack("[[s,s,s,s], [s,s,s,s]]", "false", "False", "FALSE", "0", "true",
                            "True", "TRUE", "1"),
                  &usual, err));
    const json_t *falses = json_object_get(field, "falseValues");
    const json_t *trues = json_object_get(field, "trueValues");
    column->categories = truths_of(falses ? falses : json_array_get(usual, 0),
                                   trues ? trues : json_array_get(usual, 1));
  } else if (json_is_array(list)) {
    return json_made(dictionary_texts(list), &column->categories, err);
  } else if (column->type == DRAFT_NO_LIST && pattern) {
    column->categories = dictionary_pattern(pattern);
  }
  return DPERM_OK;
}

static const dictionary_format frictionless = {.signs = {"fields", "resources", "schema"},
                                               .tables = "resources",
                                               .names = {"name", "path"},
                                               .schema = "schema",
                                               .columns = "fields",
                                               .missing = "missingValues",
                                               .levels = 2,
                                               .types = frictionless_types,
                                               .read_column = read_field};

/* ---- a column of CSVW */

/* How wide a machine's integers are says nothing of the values; that they are not negative does. */
static const type_words csvw_types[] = {
    {" number decimal double float ", DRAFT_NUMBER, false, NAN, NAN},
    {" integer long int short byte gYear ", DRAFT_NUMBER, true, NAN, NAN},
    {" nonNegativeInteger unsignedLong unsignedInt unsignedShort unsignedByte ", DRAFT_NUMBER, true,
     0, NAN},
    {" positiveInteger ", DRAFT_NUMBER, true, 1, NAN},
    {" nonPositiveInteger ", DRAFT_NUMBER, true, NAN, 0},
    {" negativeInteger ", DRAFT_NUMBER, true, NAN, -1},
    {" boolean ", DRAFT_NO_TRUTH, false, NAN, NAN},
    {" date dateTime datetime dateTimeStamp time duration dayTimeDuration yearMonthDuration gDay "
     "gMonth gMonthDay gYearMonth ",
     DRAFT_DATE, false, NAN, NAN},
    {" string normalizedString token language Name NMTOKEN any anyAtomicType ", DRAFT_NO_LIST,
     false, NAN, NAN},
    {NULL, DRAFT_OTHER, false, NAN, NAN}};

/* A boolean's format is "Y|N", true first; a number's a pattern of zeros and # with a point, or an
 * object of signs; a text's a regular expression. */
static dperm_status take_datatype(const dictionary *d, dictionary_column *column,
                                  const json_t *datatype, dperm_error *err) {
  const json_t *format = json_object_get(datatype, "format");
  const char *word =
      json_is_object(datatype) ? json_text_at(datatype, "base") : json_string_value(datatype);
  const char *pattern = json_string_value(format), *bar = pattern ? strchr(pattern, '|') : NULL;
  const char *digits = json_is_object(format) ? json_text_at(format, "pattern") : pattern;
  take_type(d, column, word ? word : "string");
  take_bounds(column, datatype);
  if (column->type == DRAFT_NUMBER &&
      (is_dressed(format) || (digits && strspn(digits, "0#.+-Ee") != strlen(digits)))) {
    column->type = DRAFT_DRESSED;
  }
  if (column->type == DRAFT_NO_TRUTH && (bar || !pattern)) {
    json_auto_t *both = NULL;
    TRY(json_made(bar ? json_pack("[[s%], [s]]", pattern, (size_t)(bar - pattern), bar + 1)
                      : json_pack("[[s, s], [s, s]]", "true", "1", "false", "0"),
                  &both, err));
    column->categories = truths_of(json_array_get(both, 1), json_array_get(both, 0));
  } else if (column->type == DRAFT_NO_LIST && pattern) {
    column->categories = dictionary_pattern(pattern);
  }
  return DPERM_OK;
}

/* The first of a column's titles, which are a text, a list, or either for each language. */
static const char *first_title(const json_t *titles) {
  if (json_is_object(titles)) {
    void *member = json_object_iter((json_t *)titles);
    titles = member ? json_object_iter_value(member) : NULL;
  }
  return json_string_value(json_is_array(titles) ? json_array_get(titles, 0) : titles);
}

/* A header has titles; names are the dictionary's own, and stand in for missing titles. */
static dperm_status read_csvw_column(const dictionary *d, dictionary_column *column,
                                     dperm_error *err) {
  const char *name = json_text_at(column->place, "name");
  const char *title = first_title(json_object_get(column->place, "titles"));
  const json_t *separator = get(d, "separator");
  column->name = title && (d->p.header || !name) ? title : name;
  column->other_name = name;
  JSON_FAIL_IF(!column->name, d->doc, column->place, err,
               "a column has neither \"name\" nor \"titles\"; add what stands in the header");
  TRY(take_datatype(d, column, get(d, "datatype"), err));
  column->type = separator && !json_is_null(separator) ? DRAFT_SEVERAL : column->type;
  return DPERM_OK;
}

static const dictionary_format csvw = {.signs = {"@context", "tableSchema", "tables", "columns"},
                                       .tables = "tables",
                                       .names = {"url", "@id"},
                                       .schema = "tableSchema",
                                       .columns = "columns",
                                       .missing = "null",
                                       .levels = 4,
                                       .types = csvw_types,
                                       .read_column = read_csvw_column};

/* ---- one of several tables */

/* The table that is called `wanted`, or the only one; the document itself, if it has no list. */
static dperm_status choose_table(dictionary *d, const char *wanted, dperm_error *err) {
  const json_t *root = d->doc->root, *list = json_object_get(root, d->format->tables);
  json_auto_t *names = json_array();
  char shown[512];
  size_t found = 0, count = list ? json_array_size(list) : 1;
  for (size_t i = 0; i < count; i++) {
    const json_t *table = list ? json_array_get(list, i) : root;
    bool named = false;
    for (size_t n = 0; n < 2; n++) {
      const char *name = json_text_at(table, d->format->names[n]);
      named = named || (name && wanted && strcmp(name, wanted) == 0);
      if (name) {
        json_append(&names, json_string(name));
      }
    }
    if (wanted ? named : count == 1) {
      d->levels[2] = table;
      found++;
    }
  }
  json_show_texts(names, shown, sizeof shown);
  return found == 1
             ? DPERM_OK
             : json_fail_at(d->doc, list ? list : root, err,
                            "%zu tables stand here; name one of them (%s)%s", count,
                            *shown ? shown : "none has a name", count == 1 ? ", or none" : "");
}

/* The table's schema, or that of all tables, which may stand alone. */
static dperm_status find_schema(dictionary *d, dperm_error *err) {
  const json_t *root = d->doc->root, *table = d->levels[2];
  const json_t *schema = json_object_get(table, d->format->schema);
  schema = schema ? schema : json_object_get(root, d->format->schema);
  schema = json_object_get(root, d->format->columns) ? root : schema;
  JSON_FAIL_IF(json_is_string(schema), d->doc, schema, err,
               "the table's schema stands in another file, \"%.64s\"; import that one",
               json_string_value(schema));
  JSON_FAIL_IF(!json_is_object(schema), d->doc, json_is_object(table) ? table : root, err,
               "there is no \"%s\", and no \"%s\" that has them", d->format->columns,
               d->format->schema);
  d->levels[1] = schema;
  return DPERM_OK;
}

/* ---- the file */

/* A dialect's member as the standard has it, or one level deeper as frictionless-py writes it. */
static const json_t *dialect_get(const json_t *dialect, const char *key) {
  const json_t *value = json_object_get(dialect, key);
  return value ? value : json_object_get(json_object_get(dialect, "csv"), key);
}

/* Whether dperm reads such files: UTF-8, quotes of RFC 4180, all lines but a first one records. */
static bool is_plain(const dictionary *d, const json_t *dialect) {
  static const char *const read[] = {"utf-8", "utf8", "us-ascii", "ascii"};
  const json_t *rows = dialect_get(dialect, "headerRows"),
               *quote = dialect_get(dialect, "quoteChar");
  const char *encoding = json_text_at(dialect, "encoding"), *mark = json_string_value(quote);
  encoding = encoding ? encoding : json_text_at(d->levels[2], "encoding");
  bool known = !encoding;
  for (size_t i = 0; !known && i < sizeof read / sizeof *read; i++) {
    known = strcasecmp(encoding, read[i]) == 0;
  }
  return known && (!quote || (mark && strcmp(mark, "\"") == 0)) &&
         !json_is_false(dialect_get(dialect, "doubleQuote")) && json_array_size(rows) <= 1 &&
         json_integer_value(json_array_get(rows, 0)) <= 1 &&
         json_integer_value(dialect_get(dialect, "headerRowCount")) <= 1 &&
         json_array_size(dialect_get(dialect, "commentRows")) == 0 &&
         json_integer_value(json_object_get(dialect, "skipRows")) <= 0 &&
         (d->p.header || json_integer_value(json_object_get(dialect, "skipColumns")) <= 0);
}

/* Frictionless lists the header's rows, CSVW counts them; the prefix of comments has a name in
 * each. A separator that is no text is left to the schema's parser to refuse. */
static void read_dialect(dictionary *d, const json_t *dialect) {
  const json_t *rows = dialect_get(dialect, "headerRows");
  const json_t *count = dialect_get(dialect, "headerRowCount");
  const json_t *separator = dialect_get(dialect, "delimiter");
  const json_t *comment = dialect_get(dialect, "commentChar");
  const char *text = json_string_value(separator);
  d->p.separator = separator && !text ? "" : text;
  d->p.comment = json_string_value(comment ? comment : dialect_get(dialect, "commentPrefix"));
  d->p.header = json_is_integer(count) ? json_integer_value(count) > 0
                                       : !json_is_false(dialect_get(dialect, "header")) &&
                                             !(json_is_array(rows) && json_array_size(rows) == 0);
  if (json_is_string(dialect) || !is_plain(d, dialect)) {
    proposal_remark(&d->p, NULL,
                    "the file: %s: dperm reads UTF-8, quotes as in RFC 4180, and records below at "
                    "most one line of header",
                    json_is_string(dialect)
                        ? "its dialect stands in another file, which was not read"
                        : "its dialect says that it is to be written anew");
  }
}

/* ---- columns */

/* What counts as missing, in the column or in all of them; where nobody says, the empty field. */
static dperm_status read_missing(const dictionary *d, json_t **out, dperm_error *err) {
  const json_t *given = get(d, d->format->missing);
  return json_made(given ? dictionary_texts(given) : json_pack("{s:b}", "", true), out, err);
}

static dperm_status read_columns(dictionary *d, json_t *missing, const json_t *keys,
                                 dperm_error *err) {
  const json_t *list = json_object_get(d->levels[1], d->format->columns);
  size_t count = json_array_size(list);
  JSON_FAIL_IF(count == 0, d->doc, list ? json_blamed(d->levels[1], list) : d->levels[1], err,
               "\"%s\" must be a list of at least one column", d->format->columns);
  TRY(memory_new(count, sizeof *d->columns, &d->columns, err));
  for (size_t i = 0; i < count; i++) {
    const json_t *object = json_array_get(list, i);
    JSON_FAIL_IF(!json_is_object(object), d->doc, json_blamed(list, object), err,
                 "a column must be an object in braces");
    if (d->format == &csvw && json_is_true(json_object_get(object, "virtual"))) {
      continue; /* not in the file */
    }
    dictionary_column *column = &d->columns[d->column_count++];
    *column = (dictionary_column){.place = object, .type = DRAFT_OTHER, .min = NAN, .max = NAN};
    d->levels[0] = object;
    TRY(d->format->read_column(d, column, err));
    const char *name = column->other_name ? column->other_name : column->name;
    if (json_object_get(keys, name) ||
        json_is_true(json_object_get(json_object_get(object, "constraints"), "unique"))) {
      column->type = DRAFT_IDENTIFIER;
    }
    if (json_object_get(object, d->format->missing)) {
      TRY(read_missing(d, &column->missing, err));
    } else {
      column->missing = json_incref(missing);
    }
  }
  return DPERM_OK;
}

/* A title, which people know it by, before a name; CSVW has those of Dublin Core. */
const char *dictionary_title(const dictionary *d) {
  static const char *const keys[] = {"title", "dc:title", "name", "url"};
  enum { TITLE_MOST = 200 };
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    /* NOLINTNEXTLINE(bugprone-sizeof-expression) */
    for (size_t level = 1; level < sizeof d->levels / sizeof *d->levels; level++) {
      const json_t *given = json_object_get(d->levels[level], keys[k]);
      const char *text =
          json_is_object(given) ? json_text_at(given, "@value") : json_string_value(given);
      if (text && *text && strlen(text) <= TITLE_MOST) {
        return text;
      }
    }
  }
  return NULL;
}

/* ---- all of it */

static const dictionary_format *recognize(const json_t *root) {
  static const dictionary_format *const formats[] = {&csvw, &frictionless};
  for (size_t f = 0; f < 2; f++) {
    for (const char *const *sign = formats[f]->signs; *sign; sign++) {
      if (json_object_get(root, *sign)) {
        return formats[f];
      }
    }
  }
  return NULL;
}

dperm_status dictionary_read(dictionary *d, dperm_dictionary kind, const char *table,
                             dperm_error *err) {
  const json_t *root = d->doc->root;
  json_auto_t *missing = NULL, *keys = NULL;
  d->format = kind == DPERM_DICTIONARY_CSVW           ? &csvw
              : kind == DPERM_DICTIONARY_FRICTIONLESS ? &frictionless
                                                      : recognize(root);
  JSON_FAIL_IF(json_is_array(json_object_get(root, "columns")) &&
                   json_is_object(json_object_get(root, "label")),
               d->doc, root, err, "this is a schema of dperm already; use it as it is");
  JSON_FAIL_IF(!json_is_object(root) || !d->format, d->doc, root, err,
               "this is no data dictionary that dperm knows: neither a Frictionless table "
               "schema (\"fields\") nor CSVW metadata (\"tableSchema\")");
  d->levels[3] = root;
  TRY(choose_table(d, table, err));
  TRY(find_schema(d, err));
  const json_t *dialect = json_object_get(d->levels[2], "dialect");
  read_dialect(d, dialect ? dialect : json_object_get(root, "dialect"));
  TRY(read_missing(d, &missing, err));
  TRY(json_made(dictionary_texts(json_object_get(d->levels[1], "primaryKey")), &keys, err));
  return read_columns(d, missing, keys, err);
}
