/* What both formats of data dictionaries share: the choice of a table, the file's dialect, missing
 * values, and the loop over columns. */
#include "draft/dictionary.h"

#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "base/lookup.h"
#include "base/memory.h"
#include "base/owned.h"

enum { SHOWN = 8 /* names in a message */, LEVELS = 4 };

void dictionary_clear(dictionary *d) {
  for (size_t i = 0; i < d->column_count; i++) {
    json_decref(d->columns[i].categories);
    json_decref(d->columns[i].missing);
  }
  free(d->columns);
  proposal_clear(&d->p);
}

/* ---- members */

const json_t *dictionary_get(const dictionary *d, const char *key, const json_t **owner) {
  *owner = d->levels[0] ? d->levels[0] : d->levels[1];
  for (size_t i = 0; i < (d->format->inherits ? LEVELS : 2); i++) {
    const json_t *value = json_object_get(d->levels[i], key);
    if (value) {
      *owner = d->levels[i];
      return value;
    }
  }
  return NULL;
}

const char *dictionary_text(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

dperm_status dictionary_check_type(const dictionary *d, const json_t *owner, const char *key,
                                   bool right, const char *wanted, dperm_error *err) {
  if (right) {
    return DPERM_OK;
  }
  const json_t *value = json_object_get(owner, key);
  return json_fail_at(d->doc, value ? json_blamed(owner, value) : owner, err, "\"%s\" must be %s",
                      key, wanted);
}

void dictionary_take_type(dictionary_column *column, const char *word, const type_words *types,
                          size_t count) {
  char blanks[32];
  int length = snprintf(blanks, sizeof blanks, " %s ", word);
  bool one = length < (int)sizeof blanks && !strchr(word, ' ');
  column->type = word;
  for (size_t i = 0; one && i < count; i++) {
    if (strstr(types[i].words, blanks)) {
      column->kind = types[i].kind;
      column->whole = types[i].whole;
      column->min = types[i].min;
      column->max = types[i].max;
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

void dictionary_take_bounds(dictionary_column *column, const json_t *object) {
  static const char *const keys[][2] = {{"minimum", "maximum"},
                                        {"exclusiveMinimum", "exclusiveMaximum"},
                                        {"minInclusive", "maxInclusive"},
                                        {"minExclusive", "maxExclusive"}};
  for (size_t i = 0; i < 4; i++) { /* fmax and fmin give the other one where one is NaN */
    column->min = fmax(column->min, number_of(json_object_get(object, keys[i][0])));
    column->max = fmin(column->max, number_of(json_object_get(object, keys[i][1])));
  }
}

bool dictionary_dressed(const json_t *object) {
  const char *point = dictionary_text(object, "decimalChar");
  const char *group = dictionary_text(object, "groupChar");
  return (point && strcmp(point, ".") != 0) || (group && *group);
}

/* ---- one of several tables */

static const char *table_name(const json_t *table, const char *const keys[2], const char *wanted) {
  const char *first = dictionary_text(table, keys[0]), *second = dictionary_text(table, keys[1]);
  bool by_second = second && (!first || (wanted && strcmp(second, wanted) == 0));
  return by_second ? second : first;
}

/* The table that is called `wanted`, or the only one; the document itself, if it has no list. */
static dperm_status choose_table(dictionary *d, const char *wanted, dperm_error *err) {
  const json_t *root = d->doc->root, *list = json_object_get(root, d->format->tables);
  char names[512] = "none that has a name";
  size_t used = 0, found = 0, count = list ? json_array_size(list) : 1;
  TRY(dictionary_check_type(d, root, d->format->tables, !list || json_is_array(list), "a list",
                            err));
  for (size_t i = 0; i < count; i++) {
    const json_t *table = list ? json_array_get(list, i) : root;
    const char *name = table_name(table, d->format->names, wanted);
    if (wanted ? name && strcmp(name, wanted) == 0 : count == 1) {
      d->levels[2] = table;
      found++;
    }
    if (name && i < SHOWN && used < sizeof names) {
      used += (size_t)snprintf(names + used, sizeof names - used, "%s\"%.40s\"", used ? ", " : "",
                               name);
    }
  }
  const json_t *place = list ? list : root;
  const char *others = count > SHOWN ? " and others" : "";
  if (found == 1) {
    return DPERM_OK;
  }
  if (count == 0) {
    return json_fail_at(d->doc, place, err, "no table stands here; add one with its schema");
  }
  if (!wanted) {
    return json_fail_at(d->doc, place, err, "%zu tables stand here (%s%s); name one of them", count,
                        names, others);
  }
  if (count == 1 && used == 0) {
    return json_fail_at(d->doc, place, err,
                        "one table stands here, and it has no name; leave that of a table out");
  }
  return json_fail_at(d->doc, place, err, "%s called \"%.64s\" here; there %s %s%s",
                      found ? "several tables are" : "no table is", wanted,
                      count == 1 ? "is" : "are", names, others);
}

/* The table's schema, or that of all tables, which may stand alone. */
static dperm_status find_schema(dictionary *d, dperm_error *err) {
  const json_t *root = d->doc->root, *table = d->levels[2];
  const json_t *schema = json_object_get(table, d->format->schema);
  schema = schema ? schema : json_object_get(root, d->format->schema);
  schema = json_object_get(root, d->format->columns) ? root : schema;
  if (json_is_string(schema)) {
    return json_fail_at(d->doc, schema, err,
                        "the table's schema stands in another file, \"%.64s\"; import that one",
                        json_string_value(schema));
  }
  if (!json_is_object(schema)) {
    return json_fail_at(d->doc, json_is_object(table) ? table : root, err, "%s",
                        d->format->no_schema);
  }
  d->levels[1] = schema;
  return DPERM_OK;
}

/* ---- the file */

/* A dialect's member as the standard has it, or one level deeper as frictionless-py writes it. */
static const json_t *dialect_get(const json_t *dialect, const char *key, const json_t **owner) {
  const json_t *inner = json_object_get(dialect, "csv"), *value = json_object_get(dialect, key);
  *owner = value || !inner ? dialect : inner;
  return value ? value : json_object_get(inner, key);
}

static dperm_status read_separator(dictionary *d, const json_t *dialect, dperm_error *err) {
  const json_t *owner = NULL, *given = dialect_get(dialect, "delimiter", &owner);
  const char *text = json_is_string(given) ? json_string_value(given) : "";
  bool right = strlen(text) == 1 && (unsigned char)*text < 0x80 && !strchr("\"\r\n ", *text);
  TRY(dictionary_check_type(d, owner, "delimiter", !given || right,
                            "one byte, such as \",\" or \";\" or \"\\t\": dperm reads no others",
                            err));
  if (given) {
    d->p.separator = *text;
  }
  return DPERM_OK;
}

/* The prefix of comment lines, which has a name in each standard. */
static dperm_status read_comment(dictionary *d, const json_t *dialect, const char *key,
                                 dperm_error *err) {
  const json_t *owner = NULL, *given = dialect_get(dialect, key, &owner);
  const char *text = json_is_string(given) ? json_string_value(given) : "";
  bool right = json_is_string(given) && strlen(text) <= 64 && !strchr(text, '\n');
  TRY(dictionary_check_type(d, owner, key, !given || json_is_null(given) || right,
                            "a short prefix of a line", err));
  d->p.comment = *text ? text : d->p.comment;
  return DPERM_OK;
}

/* Frictionless lists the header's rows, CSVW counts them. */
static dperm_status read_header(dictionary *d, const json_t *dialect, dperm_error *err) {
  const json_t *owner = NULL, *header = dialect_get(dialect, "header", &owner);
  TRY(dictionary_check_type(d, owner, "header", !header || json_is_boolean(header), "true or false",
                            err));
  const json_t *rows = dialect_get(dialect, "headerRows", &owner);
  const json_t *count = dialect_get(dialect, "headerRowCount", &owner);
  TRY(dictionary_check_type(d, owner, "headerRowCount", !count || json_is_integer(count),
                            "a whole number", err));
  bool none = json_is_array(rows) && json_array_size(rows) == 0;
  d->p.header = count ? json_integer_value(count) > 0 : !json_is_false(header) && !none;
  if (json_array_size(rows) > 1 || json_integer_value(json_array_get(rows, 0)) > 1 ||
      json_integer_value(count) > 1) {
    proposal_remark(
        &d->p, NULL,
        "the file: its header is not the first line alone: make one line of it, and the first");
  }
  if (json_integer_value(json_object_get(dialect, "skipColumns")) > 0 && !d->p.header) {
    proposal_remark(&d->p, NULL,
                    "the file: has columns in front that are not in the dictionary: list them as "
                    "\"ignore\", since without a header all are listed");
  }
  return DPERM_OK;
}

/* Remarks where dperm does not read such files. */
static void remark_habits(dictionary *d, const json_t *dialect) {
  static const char *const read[] = {"utf-8", "utf8", "us-ascii", "ascii"};
  const json_t *owner = NULL, *quote = dialect_get(dialect, "quoteChar", &owner);
  const char *mark = json_string_value(quote), *encoding = dictionary_text(dialect, "encoding");
  if ((quote && (!mark || strcmp(mark, "\"") != 0)) ||
      json_is_false(dialect_get(dialect, "doubleQuote", &owner))) {
    proposal_remark(&d->p, NULL,
                    "the file: its quotes are not those of RFC 4180 (\"), which alone are read: "
                    "write it anew with them");
  }
  encoding = encoding ? encoding : dictionary_text(d->levels[2], "encoding");
  bool known = !encoding;
  for (size_t i = 0; !known && i < sizeof read / sizeof *read; i++) {
    known = strcasecmp(encoding, read[i]) == 0;
  }
  if (!known) {
    proposal_remark(&d->p, NULL, "the file: its encoding is \"%.40s\": convert it to UTF-8 (iconv)",
                    encoding);
  }
  json_int_t skipped = (json_int_t)json_array_size(dialect_get(dialect, "commentRows", &owner)) +
                       json_integer_value(json_object_get(dialect, "skipRows"));
  if (skipped > 0) {
    proposal_remark(&d->p, NULL,
                    "the file: %" JSON_INTEGER_FORMAT " lines in it are neither header nor "
                    "records: take them out",
                    skipped);
  }
}

static dperm_status read_dialect(dictionary *d, const json_t *dialect, dperm_error *err) {
  if (json_is_string(dialect)) {
    proposal_remark(&d->p, NULL,
                    "the file: its dialect stands in another file, \"%.64s\", which was not read: "
                    "a comma and a header are assumed",
                    json_string_value(dialect));
    return DPERM_OK;
  }
  TRY(read_separator(d, dialect, err));
  TRY(read_comment(d, dialect, "commentChar", err));
  TRY(read_comment(d, dialect, "commentPrefix", err));
  TRY(read_header(d, dialect, err));
  remark_habits(d, dialect);
  return DPERM_OK;
}

/* ---- columns */

/* What counts as missing, in the column or in all of them; where nobody says, the empty field. */
static dperm_status read_missing(const dictionary *d, json_t **out, dperm_error *err) {
  const json_t *owner = NULL, *given = dictionary_get(d, d->format->missing, &owner);
  json_auto_t *usual = NULL;
  TRY(json_made(json_string(""), &usual, err));
  TRY(dictionary_check_type(d, owner, d->format->missing,
                            !given || json_is_array(given) ||
                                (d->format->inherits && json_is_string(given)),
                            "a list of texts", err));
  return dictionary_list(given ? given : usual, out, err);
}

static dperm_status read_columns(dictionary *d, json_t *missing, dperm_error *err) {
  const json_t *list = json_object_get(d->levels[1], d->format->columns);
  size_t count = json_array_size(list);
  if (!json_is_array(list) || count == 0) {
    return json_fail_at(d->doc, list ? json_blamed(d->levels[1], list) : d->levels[1], err,
                        "\"%s\" must be a list of at least one %s", d->format->columns,
                        d->format->column);
  }
  TRY(memory_new(count, sizeof *d->columns, &d->columns, err));
  for (size_t i = 0; i < count; i++) {
    const json_t *object = json_array_get(list, i);
    if (!json_is_object(object)) {
      return json_fail_at(d->doc, json_blamed(list, object), err,
                          "a %s must be an object in braces", d->format->column);
    }
    if (d->format->inherits && json_is_true(json_object_get(object, "virtual"))) {
      continue; /* not in the file */
    }
    dictionary_column *column = &d->columns[d->column_count++];
    *column = (dictionary_column){.place = object, .type = "", .min = NAN, .max = NAN};
    d->levels[0] = object;
    TRY(d->format->read_column(d, column, err));
    if (json_object_get(object, d->format->missing)) {
      TRY(read_missing(d, &column->missing, err));
    } else {
      column->missing = json_incref(missing);
    }
  }
  return DPERM_OK;
}

/* The primary key: a name, or a list of them, by which the dictionary knows the columns. */
static dperm_status mark_keys(dictionary *d, dperm_error *err) {
  json_auto_t *names = NULL;
  OWNED(lookup_clear) lookup marked = {0};
  bool added = false;
  TRY(dictionary_list(json_object_get(d->levels[1], "primaryKey"), &names, err));
  for (size_t i = 0; i < json_array_size(names); i++) {
    TRY(lookup_add(&marked, slice_of(json_string_value(json_array_get(names, i))), 0, &added, err));
  }
  for (size_t i = 0; i < d->column_count; i++) {
    dictionary_column *column = &d->columns[i];
    const char *name = column->other_name ? column->other_name : column->name;
    column->key = lookup_find(&marked, slice_of(name)) != LOOKUP_NONE;
  }
  return DPERM_OK;
}

/* ---- all of it */

static const dictionary_format *recognize(const json_t *root) {
  static const dictionary_format *const formats[] = {&dictionary_csvw, &dictionary_frictionless};
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
  const json_t *root = d->doc->root, *owner = NULL;
  json_auto_t *missing = NULL;
  d->format = kind == DPERM_DICTIONARY_CSVW           ? &dictionary_csvw
              : kind == DPERM_DICTIONARY_FRICTIONLESS ? &dictionary_frictionless
                                                      : recognize(root);
  if (!json_is_object(root) || !d->format) {
    return json_fail_at(d->doc, root, err,
                        "this is no data dictionary that dperm knows: neither a Frictionless table "
                        "schema (\"fields\") nor CSVW metadata (\"tableSchema\")");
  }
  d->levels[3] = root;
  TRY(choose_table(d, table, err));
  TRY(find_schema(d, err));
  const json_t *dialect = json_object_get(d->levels[2], "dialect");
  dialect = dialect ? dialect : json_object_get(root, "dialect");
  TRY(read_dialect(d, dialect, err));
  TRY(read_missing(d, &missing, err));
  const char *null_text = json_string_value(dialect_get(dialect, "nullSequence", &owner));
  if (null_text && !json_holds_text(missing, null_text)) {
    json_append(&missing, json_string(null_text));
  }
  TRY(json_made(missing, &missing, err));
  TRY(read_columns(d, missing, err));
  return mark_keys(d, err);
}
