/* A schema whose "auto" bins are the cuts that public numbers lead to. */
#pragma once

#include "schema/schema.h"

/* Whether numeric columns get bins by the rule: those that say "auto", and with `all` those without
 * any, unless their range is that of a standardized number. */
bool schema_unresolved(const dperm_schema *schema, bool all);
/* Whether with `all` none of the columns that are asked stays a line. */
bool schema_ranges_bin(const dperm_schema *schema);
/* The schema with their bins, written into its JSON, so that a model holds what was used: for a fit
 * to so many rows (0: the finest bins that any number leads to) at this epsilon, NaN without a
 * mechanism. A share of the same schema where there is nothing to resolve. */
dperm_status schema_resolve(const dperm_schema *schema, bool all, size_t rows, double epsilon,
                            dperm_schema **out, dperm_error *err);
