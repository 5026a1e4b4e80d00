/* What plans and their reports share. */
#pragma once

#include "dperm/plan.h"
#include "run/run.h"

typedef struct planned_schema {
  run made;
  size_t held_rows;      /* that an evaluation has, beside those of the fit */
  dperm_schema *assumed; /* what intervals make of the schema that was given, or NULL */
  dperm_schema *schema;  /* with its bins; straight lines where the records are still to choose */
} planned_schema;
void planned_schema_clear(planned_schema *planned);

/* The whole plan, of checked or unchecked options, which get their usual shares; `planned` has the
 * claim alone without a schema, and is to be cleared also after a failure. */
dperm_status plan_make(const dperm_plan_rows *of, dperm_options *options, planned_schema *planned,
                       dperm_plan *out, dperm_error *err);

/* What costs accuracy, of the schema as it was given (or NULL) and of the plan, whose columns are
 * those of the report, or NULL: a list of texts; NULL for want of memory. */
json_t *plan_remarks(const dperm_plan *plan, const dperm_schema *given, const json_t *columns);
