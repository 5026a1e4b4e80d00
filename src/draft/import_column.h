/* From a dictionary's column to a schema's: what it is used as, or why it is ignored. */
#pragma once

#include "draft/dictionary.h"

typedef enum import_use {
  IMPORT_NUMBER,
  IMPORT_CATEGORIES,
  IMPORT_LABEL,
  /* and those that are ignored */
  IMPORT_KEY,           /* names a record */
  IMPORT_UNIQUE,        /* never repeats */
  IMPORT_SEVERAL,       /* a field holds several values */
  IMPORT_NO_RANGE,      /* a number of any size */
  IMPORT_HALF_RANGE,    /* bounded on one side */
  IMPORT_NO_NUMBER,     /* its least value is above its largest */
  IMPORT_EXTREME,       /* bounds that cannot be scaled */
  IMPORT_DRESSED,       /* numbers as people write them */
  IMPORT_DATE,          /* dates and times */
  IMPORT_NO_LIST,       /* texts of any kind */
  IMPORT_ONE_VALUE,     /* says nothing */
  IMPORT_NO_TRUTH,      /* true and false cannot be told apart */
  IMPORT_OTHER,         /* another type */
  IMPORT_MISSING_CLASH, /* "missing" here is a value elsewhere */
} import_use;

/* Takes what means "missing" out of the column's categories. */
dperm_status import_drop_missing(dictionary *d, dictionary_column *column, dperm_error *err);

import_use import_judge(const dictionary_column *column);
static inline bool import_is_used(import_use use) {
  return use <= IMPORT_LABEL;
}

/* The schema's column, a new reference, with the remarks that it needs. */
dperm_status import_column_json(dictionary *d, const dictionary_column *column, import_use use,
                                json_t **out, dperm_error *err);
