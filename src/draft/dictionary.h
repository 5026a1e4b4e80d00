/* A data dictionary, whatever it is written in: what it says of a table's file and of each column,
 * before anything is judged. Keys that are not known are skipped, as both standards ask, and a
 * value of a wrong type counts as not given. */
#pragma once

#include "draft/proposal.h"

typedef struct dictionary_column {
  const json_t *place;    /* for messages */
  const char *name;       /* as in the file's header */
  const char *other_name; /* by which the dictionary knows it too, or NULL */
  /* Of a plain number DRAFT_NUMBER; else why it cannot be used, at all (DRAFT_IDENTIFIER,
   * DRAFT_SEVERAL) or without categories. */
  draft_kind type;
  bool whole;      /* integers */
  double min, max; /* NaN: not given */
  /* Name → list of the texts that mean it (a boolean's false, true); NULL where none are listed. */
  json_t *categories;
  json_t *missing; /* an object whose keys mean "no value" in this column */
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

/* `d` has its document; `table`, or NULL, chooses among several, or is the name of a single one. */
dperm_status dictionary_read(dictionary *d, dperm_dictionary kind, const char *table,
                             dperm_error *err);
void dictionary_clear(dictionary *d);
/* What the table, or all of it, is called; NULL if that is nothing short. */
const char *dictionary_title(const dictionary *d);

/* {text: [text]} for each text of a list of scalars, as a CSV file has them, or of objects with
 * such a "value"; a scalar alone is a list of one. What is nothing of that is left out. NULL for
 * want of memory. */
json_t *dictionary_texts(const json_t *given);
/* The same for the words of a regular expression that plainly lists them, "^(low|high)$" or
 * "low|high"; NULL of any other. */
json_t *dictionary_pattern(const char *pattern);
