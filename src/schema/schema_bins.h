/* What a schema says beyond one entry for a column: "bins" and "line" of a numeric column, and
 * "crosses" of two columns. */
#pragma once

#include "base/json_text.h"
#include "schema/schema.h"

enum { BINS_MOST = 4096, CROSSES_MOST = 4096 };

/* "bins" and "line" of a numeric column, whose range and transform are known. */
dperm_status schema_parse_bins(const json_document *doc, json_t *object, schema_column *column,
                               dperm_error *err);
/* `count` bins of equal width after the transform: cut i, in the column's units, is where
 * t(x) = t(min) + (i + 1)·width. False where doubles cannot tell so many apart. */
bool bins_cut_equally(const schema_column *column, size_t count, double *cuts);
/* The document's "crosses"; all columns are known. */
dperm_status schema_parse_crosses(const json_document *doc, dperm_schema *schema, dperm_error *err);

/* A "weight", or "line": fails beyond what keeps rows of ordinary size. */
dperm_status schema_get_weight(const json_document *doc, json_t *object, const char *key,
                               double fallback, double *out, dperm_error *err);
