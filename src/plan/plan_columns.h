/* Advice on a schema, column by column and then cross by cross; costs no privacy. */
#pragma once

#include "dperm/plan.h"
#include "plan/plan_schema.h"

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
