/* A data dictionary, whatever it is written in: what it says of a table's file and of each column,
 * before anything is judged. dictionary_frictionless.c and dictionary_csvw.c fill it from JSON,
 * import_column.c and import_label.c make a schema of it. Keys that are not known are skipped, as
 * both standards ask; a value of a wrong type counts as not given where that leaves the column out,
 * and is an error where it would change what others mean. */
#pragma once

#include "base/json_text.h"
#include "base/text.h"

typedef enum dictionary_kind {
  DICTIONARY_NUMBER,
  DICTIONARY_BOOLEAN,
  DICTIONARY_TEXT,
  DICTIONARY_DATE,
  DICTIONARY_OTHER /* objects, places, anything */
} dictionary_kind;

typedef struct dictionary_column {
  const json_t *place;    /* for messages */
  const char *name;       /* as in the file's header */
  const char *other_name; /* by which the dictionary knows it too, or NULL */
  const char *type;       /* the dictionary's word; "" if it has none */
  dictionary_kind kind;
  bool whole;      /* integers */
  double min, max; /* NaN: not given */
  /* Categories, each a list of the texts that mean it; NULL where none are listed. Those of a
   * boolean are false and true. */
  json_t *categories;
  json_t *missing; /* texts that mean "no value" in this column */
  bool key;        /* names a record, alone or together with others */
  bool unique;     /* its values never repeat */
  bool several;    /* a field holds several values */
  bool dressed;    /* numbers with signs, units or commas */
} dictionary_column;

typedef struct dictionary {
  const json_document *doc;
  const char *list_hint; /* how a list of values is written, for remarks */
  json_t *remarks;
  bool header;
  char separator;
  const char *comment; /* or NULL */
  dictionary_column *columns;
  size_t column_count;
} dictionary;

/* Both begin with an empty dictionary that has doc and remarks; `table` chooses among several, and
 * of a single one it is the name; or NULL. */
dperm_status dictionary_read_frictionless(dictionary *d, const char *table, dperm_error *err);
dperm_status dictionary_read_csvw(dictionary *d, const char *table, dperm_error *err);
void dictionary_clear(dictionary *d);

/* ---- for readers of a format */

/* Space for so many columns, none counted yet. */
dperm_status dictionary_reserve(dictionary *d, size_t count, dperm_error *err);
/* The next of them, empty, with no bounds. */
dictionary_column *dictionary_add(dictionary *d, const json_t *place);

/* The primary key: a name, or a list of them, by which the dictionary knows the columns. */
dperm_status dictionary_mark_keys(dictionary *d, const json_t *keys, dperm_error *err);

/* A member that is a text, or NULL. */
const char *dictionary_text(const json_t *object, const char *key);
/* Where a member of a wrong type would change what others mean. */
dperm_status dictionary_check_type(const dictionary *d, const json_t *owner, const char *key,
                                   bool right, const char *wanted, dperm_error *err);

/* One of several tables, each with a name under one of these two keys: the one that is called
 * `wanted`, or the only one. */
dperm_status dictionary_choose_table(const dictionary *d, const json_t *list,
                                     const char *const keys[2], const char *wanted,
                                     const json_t **out, dperm_error *err);

/* The only table of a dictionary that has no list of them: a name that is `wanted` is its own. */
dperm_status dictionary_check_table(const dictionary *d, const json_t *table,
                                    const char *const keys[2], const char *wanted,
                                    dperm_error *err);

/* The larger of a column's lower bounds, the smaller of its upper ones: `given` is a number, or a
 * text that is one; anything else says nothing. */
void dictionary_add_minimum(dictionary_column *column, const json_t *given);
void dictionary_add_maximum(dictionary_column *column, const json_t *given);

/* A list of texts from a list of scalars, each as a CSV file has it, or of objects with such a
 * "value"; a scalar alone is a list of one. What is nothing of that is left out. */
dperm_status dictionary_list(const json_t *given, json_t **out, dperm_error *err);
/* Every text of such a list as a category of its own, each once. */
dperm_status dictionary_categories(const json_t *given, json_t **out, dperm_error *err);
/* false and true; NULL if a text is both, or one has none. */
dperm_status dictionary_truths(const json_t *false_texts, const json_t *true_texts, json_t **out,
                               dperm_error *err);
/* The words of a regular expression that plainly lists them, "^(low|high)$", "low|high" or
 * "[LH]", as categories; NULL of any other. */
dperm_status dictionary_pattern(const char *pattern, json_t **out, dperm_error *err);

/* The separator between fields; the file's other habits, of which a remark is made where dperm does
 * not read such files. NULL is "not given". */
dperm_status dictionary_separator(dictionary *d, const json_t *owner, const char *key,
                                  const json_t *given, dperm_error *err);
void dictionary_remark_habits(dictionary *d, const json_t *quote, const json_t *double_quote,
                              const char *encoding, json_int_t skipped_lines);
/* The prefix of comment lines. */
dperm_status dictionary_comment(dictionary *d, const json_t *owner, const char *key,
                                const json_t *given, dperm_error *err);

/* Whether a list of texts holds this one. */
bool dictionary_holds(const json_t *list, const char *text);
dperm_status dictionary_no_memory(dperm_error *err);
