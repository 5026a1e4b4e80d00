/* What a verification is told of the charge for a model. */
#pragma once

#include <stdbool.h>

/* The entry of a ledger that paid for the model, and the data set it was charged to. Amounts are
 * decimals. */
typedef struct charged_entry {
  unsigned long long entry;
  const char *trouble; /* why there is none, or it is not the model's; NULL if it is */
  const char *epsilon, *delta;
  double order; /* of the data set, 0 for plain sums: */
  const char *cost, *cost_delta, *total_epsilon;
  bool adding;                        /* its budget is for records added and removed */
  const struct charged_entry *schema; /* that of the schema's refinement, where it is another one */
} charged_entry;
