/* Parts of a schema's document, for schema_parse.c: typed members of its objects, bins and crosses,
 * what a refinement wrote. What is wrong is said with its line and column. */
#pragma once

#include "schema/schema.h"

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
/* A "weight", or "line": fails beyond what keeps rows of ordinary size. */
dperm_status schema_get_weight(const json_document *doc, json_t *object, const char *key,
                               double fallback, double *out, dperm_error *err);

/* "bins" and "line" of a numeric column, whose range and transform are known. */
dperm_status schema_parse_bins(const json_document *doc, json_t *object, schema_column *column,
                               dperm_error *err);
/* The document's "crosses"; all columns are known, and their names have their places. */
dperm_status schema_parse_crosses(const json_document *doc, const lookup *names,
                                  dperm_schema *schema, dperm_error *err);

/* The document's "group": a categorical column, or one of type group, whose one it must be. */
dperm_status schema_parse_group(const json_document *doc, const lookup *names, dperm_schema *schema,
                                dperm_error *err);

/* The member "refined", if there is one. An object that was edited does not fit its own digest, and
 * is refused: who must change it has to make it again. (The digest has no key. It keeps out
 * mistakes, not people who mean to lie about a schema.) */
dperm_status schema_parse_refined(const json_document *doc, schema_refined *out, dperm_error *err);
