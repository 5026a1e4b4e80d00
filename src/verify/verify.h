/* The check of a model's claim, as a list of lines. Reading the file is the caller's. */
#pragma once

#include "base/json_text.h"
#include "dperm/verify.h"

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

/* `doubt` is why those who use models would refuse this one, or NULL: what nobody can use has no
 * claim that holds. `paid` may be NULL. Fails if the document is no model of dperm's. */
dperm_status verify_document(const json_document *doc, const char *doubt, const charged_entry *paid,
                             dperm_verify_line *line, void *context, bool *holds, dperm_error *err);
