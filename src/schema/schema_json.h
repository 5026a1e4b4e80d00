/* Typed members of a schema's objects: what is wrong with one is said with its line and column. */
#pragma once

#include "base/json_text.h"
#include "base/lookup.h"

/* Without a fallback (NULL) the member must be there. */
dperm_status schema_get_text(const json_document *doc, json_t *object, const char *key,
                             const char *fallback, const char **out, dperm_error *err);
dperm_status schema_get_number(const json_document *doc, json_t *object, const char *key,
                               const double *fallback, double *out, dperm_error *err);
/* *out stays as it is where there is none. */
dperm_status schema_get_bool(const json_document *doc, json_t *object, const char *key, bool *out,
                             dperm_error *err);
/* One of a NULL-terminated list of words, the first where there is none; its index. */
dperm_status schema_get_choice(const json_document *doc, json_t *object, const char *key,
                               const char *const *words, int *out, dperm_error *err);

/* Adds the texts of a nonempty array to `table` as first, first + step, …; each only once. */
dperm_status schema_add_values(const json_document *doc, const json_t *owner, const json_t *list,
                               const char *key, int32_t first, int32_t step, lookup *table,
                               dperm_error *err);
