/* A data dictionary, whatever it is written in: what it says of a table's file and of each column,
 * before anything is judged. dictionary.c reads what the formats share; dictionary_frictionless.c
 * and dictionary_csvw.c have what is a format's own, above all what it says of one column.
 * Keys that are not known are skipped, as both standards ask; a value of a wrong type counts as not
 * given where that leaves the column out, and is an error where it would change what others mean.
 */
#pragma once

#include "draft/proposal.h"

typedef enum dictionary_kind {
  DICTIONARY_OTHER, /* objects, places, anything */
  DICTIONARY_NUMBER,
  DICTIONARY_BOOLEAN,
  DICTIONARY_TEXT,
  DICTIONARY_DATE
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

typedef struct dictionary_format dictionary_format;

typedef struct dictionary {
  const json_document *doc;
  const dictionary_format *format;
  proposal p; /* the file's habits, and remarks */
  dictionary_column *columns;
  size_t column_count;
  const json_t *levels[4]; /* from inside: the column that is read, its schema, its table, all */
} dictionary;

/* `d` has its document; `table` chooses among several, and of a single one it is the name; or NULL.
 */
dperm_status dictionary_read(dictionary *d, dperm_dictionary kind, const char *table,
                             dperm_error *err);
void dictionary_clear(dictionary *d);

/* ---- formats */

/* Types with the same meaning, their names between blanks, and the bounds that they imply. */
typedef struct type_words {
  const char *words;
  dictionary_kind kind;
  bool whole;
  double min, max;
} type_words;

struct dictionary_format {
  const char *signs[5];  /* keys by which a document of this format is known */
  const char *tables;    /* key of the list of tables */
  const char *names[2];  /* keys of a table's name */
  const char *schema;    /* key of a table's schema */
  const char *columns;   /* key of its columns */
  const char *column;    /* what the standard calls one */
  const char *no_schema; /* what is wrong with a document that has none */
  const char *missing;   /* key of the texts that mean "no value" */
  bool inherits;         /* outer levels hand properties down, and a list of one may be a text */
  const char *list_hint; /* how a list of values is written, for remarks */
  /* What it says of the column at levels[0]. */
  dperm_status (*read_column)(dictionary *d, dictionary_column *column, dperm_error *err);
};
extern const dictionary_format dictionary_frictionless, dictionary_csvw;

/* A property of the column, or one that outer levels hand down; `*owner` has it, or should. */
const json_t *dictionary_get(const dictionary *d, const char *key, const json_t **owner);
/* A member that is a text, or NULL. */
const char *dictionary_text(const json_t *object, const char *key);
/* Where a member of a wrong type would change what others mean. */
dperm_status dictionary_check_type(const dictionary *d, const json_t *owner, const char *key,
                                   bool right, const char *wanted, dperm_error *err);

/* The type that is called so; none of them: DICTIONARY_OTHER. */
void dictionary_take_type(dictionary_column *column, const char *word, const type_words *types,
                          size_t count);
/* The narrowest of the bounds that the object has: numbers, or texts that are; anything else says
 * nothing. */
void dictionary_take_bounds(dictionary_column *column, const json_t *object);
/* Whether the object says that numbers are not written plainly. */
bool dictionary_dressed(const json_t *object);

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
