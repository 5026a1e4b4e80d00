/* What plans, their reports and their advice share. */
#pragma once

#include "dperm/plan.h"
#include "run/representation.h"

typedef struct planned_schema {
  representation how;
  guarantee claim;
  dperm_schema *schema; /* with its bins; straight lines where the records are still to choose */
} planned_schema;
void planned_schema_clear(planned_schema *planned);

/* The whole plan, of checked or unchecked options; `planned` has the claim alone without a schema,
 * and is to be cleared also after a failure. */
dperm_status plan_make(const dperm_plan_rows *of, const dperm_options *options,
                       planned_schema *planned, dperm_plan *out, dperm_error *err);

/* ---- advice on a schema, column by column and then cross by cross; costs no privacy */

typedef struct column_plan {
  size_t column; /* of the schema, in its order; the number of columns for a cross, */
  size_t cross;  /* and which one it is then */
  /* What its encoded columns have of the noise, as a share of E‖b‖₂². NaN with a kernel and without
   * a mechanism, as all that follows but bins. */
  double noise_share;
  /* The rms norm of the noise if it were left out, and if it had half as many categories or bins,
   * over that of the plan, at the same lambda and delta_reg. NaN where that cannot be, and for all
   * but the 100 columns with most of the noise. */
  double without, halved;
  size_t bins; /* how many bins the rule of "auto" gives a numeric column; 0 where it gives none, as
                  for a range from -r to r without "bins", and for others */
} column_plan;

/* Of every column of the planned schema that is encoded: `*out`, to be freed, has `*count`. */
dperm_status plan_columns(const dperm_options *options, const planned_schema *planned, size_t rows,
                          column_plan **out, size_t *count, dperm_error *err);
