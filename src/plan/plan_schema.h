/* What a run will make of a schema, from public numbers: the schema that is planned for, and the
 * claim. */
#pragma once

#include "dperm/plan.h"
#include "run/representation.h"

typedef struct planned_schema {
  representation how;
  guarantee claim;
  dperm_schema *schema; /* with its bins; straight lines where the records are still to choose */
} planned_schema;
void planned_schema_clear(planned_schema *planned);

/* The options are given as they are, and checked here. */
dperm_status plan_schema(const dperm_options *options, const dperm_schema *schema, size_t rows,
                         planned_schema *out, dperm_error *err);

/* The whole plan, of checked or unchecked options; `planned` has the claim alone without a schema,
 * and is to be cleared also after a failure. */
dperm_status plan_make(const dperm_plan_rows *of, const dperm_options *options,
                       planned_schema *planned, dperm_plan *out, dperm_error *err);
