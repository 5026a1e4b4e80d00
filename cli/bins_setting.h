/* --bins: what numeric columns without "bins" get, and bins that follow from the number of rows.
 * Records are read under the finest bins that there may be; once their number is known, bins are
 * merged. */
#pragma once

#include <dperm.h>

#include "arguments.h"

/* The option's line of an argument table; its word is `none` or `auto`. */
argument bins_argument(const char **word);
/* The word that holds where none is given. */
const char *bins_default(void);

/* A schema, and what of it waits for the number of rows. Zeroed is none; to be closed. */
typedef struct binned_schema {
  dperm_schema *given;   /* as its file has it; NULL without a file */
  dperm_schema *reading; /* what records are read under */
  bool all, waits;       /* all numeric columns; whether there is anything to resolve */
} binned_schema;
void binned_schema_close(binned_schema *schema);

/* Reads the schema at `path` (NULL for none) and makes it the source's. `word` is the target of
 * --bins. */
dperm_status binned_schema_open(const char *path, const char *const *word, dperm_source *source,
                                binned_schema *out, dperm_error *err);
/* The schema for fits that have so many rows and so much of epsilon (NaN without a mechanism); the
 * caller frees it. NULL without one. */
dperm_status binned_schema_resolve(const binned_schema *schema, size_t fit_rows, double fit_epsilon,
                                   dperm_schema **out, dperm_error *err);
/* Rows that were read under it, NULL for none, as they are under what resolve gave. */
dperm_status binned_schema_settle(const binned_schema *schema, const dperm_schema *resolved,
                                  dperm_data *data, dperm_error *err);
