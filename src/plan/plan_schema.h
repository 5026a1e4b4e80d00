/* What a run will make of a schema, from public numbers: the schema that is planned for, and the
 * claim. */
#pragma once

#include "run/representation.h"

typedef struct planned_schema {
  representation how;
  guarantee claim;
  dperm_schema *schema; /* with its bins; straight lines where the records are still to choose. The
                           caller frees it */
} planned_schema;

/* The options are given as they are, and checked here. */
dperm_status plan_schema(const dperm_options *options, const dperm_schema *schema, size_t rows,
                         planned_schema *out, dperm_error *err);
