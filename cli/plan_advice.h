/* What dperm plan says about each column of a schema. */
#pragma once

#include <dperm/plan.h>

typedef struct plan_advice {
  dperm_column_plan *columns;
  size_t count;
} plan_advice;

/* Of a schema whose bins are resolved; to be closed. */
dperm_status plan_advice_make(size_t rows, const dperm_schema *schema, const dperm_options *options,
                              plan_advice *out, dperm_error *err);
void plan_advice_close(plan_advice *advice);

/* A table for people, of the columns with most of the noise; sorts them so. */
void plan_advice_print(plan_advice *advice, const dperm_schema *schema);
/* "columns": […] for programs, all of them. */
void plan_advice_print_json(const plan_advice *advice, const dperm_schema *schema);
