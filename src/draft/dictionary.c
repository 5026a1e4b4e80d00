/* What both kinds of data dictionaries share: columns, the choice of a table, the file's dialect.
 */
#include "draft/dictionary.h"

#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "base/lookup.h"
#include "base/memory.h"
#include "base/owned.h"
#include "draft/draft_remarks.h"

enum { SHOWN = 8 }; /* names in a message */

dperm_status dictionary_no_memory(dperm_error *err) {
  FAIL(err, DPERM_OUT_OF_MEMORY, "out of memory while importing a dictionary");
}

void dictionary_clear(dictionary *d) {
  for (size_t i = 0; i < d->column_count; i++) {
    json_decref(d->columns[i].categories);
    json_decref(d->columns[i].missing);
  }
  free(d->columns);
  json_decref(d->remarks);
}

dperm_status dictionary_reserve(dictionary *d, size_t count, dperm_error *err) {
  return memory_new(count, sizeof *d->columns, &d->columns, err);
}

dictionary_column *dictionary_add(dictionary *d, const json_t *place) {
  dictionary_column *column = &d->columns[d->column_count++];
  *column = (dictionary_column){.place = place, .type = "", .min = NAN, .max = NAN};
  return column;
}

dperm_status dictionary_mark_keys(dictionary *d, const json_t *keys, dperm_error *err) {
  json_auto_t *names = NULL;
  OWNED(lookup_clear) lookup marked = {0};
  bool added = false;
  TRY(dictionary_list(keys, &names, err));
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

/* ---- members */

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

/* NaN if it is no number. */
static double number_of(const json_t *given) {
  double x = NAN;
  if (json_is_string(given)) {
    const slice text = {json_string_value(given), json_string_length(given)};
    return parse_double(text, &x) == NUMBER_OK ? x : NAN;
  }
  return json_is_number(given) ? json_number_value(given) : NAN;
}

void dictionary_add_minimum(dictionary_column *column, const json_t *given) {
  column->min = fmax(column->min, number_of(given)); /* the other one, where one is NaN */
}

void dictionary_add_maximum(dictionary_column *column, const json_t *given) {
  column->max = fmin(column->max, number_of(given));
}

/* ---- one of several tables */

static const char *table_name(const json_t *table, const char *const keys[2], const char *wanted) {
  const char *first = dictionary_text(table, keys[0]), *second = dictionary_text(table, keys[1]);
  bool by_second = second && (!first || (wanted && strcmp(second, wanted) == 0));
  return by_second ? second : first;
}

dperm_status dictionary_choose_table(const dictionary *d, const json_t *list,
                                     const char *const keys[2], const char *wanted,
                                     const json_t **out, dperm_error *err) {
  char names[512] = "none that has a name";
  size_t used = 0, found = 0, count = json_array_size(list);
  for (size_t i = 0; i < count; i++) {
    const json_t *table = json_array_get(list, i);
    const char *name = table_name(table, keys, wanted);
    if (wanted ? name && strcmp(name, wanted) == 0 : count == 1) {
      *out = table;
      found++;
    }
    if (name && i < SHOWN && used < sizeof names) {
      used += (size_t)snprintf(names + used, sizeof names - used, "%s\"%.40s\"", used ? ", " : "",
                               name);
    }
  }
  if (found == 1) {
    return DPERM_OK;
  }
  const json_t *place = list ? list : d->doc->root;
  if (count == 0) {
    return json_fail_at(d->doc, place, err, "no table stands here; add one with its schema");
  }
  if (!wanted) {
    return json_fail_at(d->doc, place, err, "%zu tables stand here (%s%s); name one of them", count,
                        names, count > SHOWN ? " and others" : "");
  }
  return json_fail_at(d->doc, place, err, "%s called \"%.64s\" here; there are %s%s",
                      found ? "several tables are" : "no table is", wanted, names,
                      count > SHOWN ? " and others" : "");
}

dperm_status dictionary_check_table(const dictionary *d, const json_t *table,
                                    const char *const keys[2], const char *wanted,
                                    dperm_error *err) {
  const char *name = table_name(table, keys, wanted);
  if (!wanted || (name && strcmp(name, wanted) == 0)) {
    return DPERM_OK;
  }
  if (!name) {
    return json_fail_at(d->doc, table, err,
                        "one table stands here, and it has no name; leave that of a table out");
  }
  return json_fail_at(d->doc, table, err, "no table is called \"%.64s\" here; there is \"%.40s\"",
                      wanted, name);
}

/* ---- the file */

dperm_status dictionary_separator(dictionary *d, const json_t *owner, const char *key,
                                  const json_t *given, dperm_error *err) {
  const char *text = json_is_string(given) ? json_string_value(given) : "";
  bool right = strlen(text) == 1 && (unsigned char)*text < 0x80 && !strchr("\"\r\n ", *text);
  TRY(dictionary_check_type(d, owner, key, !given || right,
                            "one byte, such as \",\" or \";\" or \"\\t\": dperm reads no others",
                            err));
  if (given) {
    d->separator = *text;
  }
  return DPERM_OK;
}

dperm_status dictionary_comment(dictionary *d, const json_t *owner, const char *key,
                                const json_t *given, dperm_error *err) {
  const char *text = json_is_string(given) ? json_string_value(given) : "";
  bool right = json_is_string(given) && strlen(text) <= 64 && !strchr(text, '\n');
  TRY(dictionary_check_type(d, owner, key, !given || json_is_null(given) || right,
                            "a short prefix of a line", err));
  d->comment = *text ? text : d->comment;
  return DPERM_OK;
}

void dictionary_remark_habits(dictionary *d, const json_t *quote, const json_t *double_quote,
                              const char *encoding, json_int_t skipped_lines) {
  const char *mark = json_string_value(quote);
  if ((quote && (!mark || strcmp(mark, "\"") != 0)) || json_is_false(double_quote)) {
    draft_remark(&d->remarks, "the file: its quotes are not those of RFC 4180 (\"), which alone "
                              "are read: write it anew with them");
  }
  if (encoding && strcasecmp(encoding, "utf-8") != 0 && strcasecmp(encoding, "utf8") != 0 &&
      strcasecmp(encoding, "us-ascii") != 0 && strcasecmp(encoding, "ascii") != 0) {
    draft_remark(&d->remarks, "the file: its encoding is \"%.40s\": convert it to UTF-8 (iconv)",
                 encoding);
  }
  if (skipped_lines > 0) {
    draft_remark(&d->remarks,
                 "the file: %" JSON_INTEGER_FORMAT " lines in it are neither header nor records: "
                 "take them out",
                 skipped_lines);
  }
}
