/* The state of a data set in a ledger: its totals, what is spent, which data it is bound to. */
#ifndef DPERM_LEDGER_BUDGET_H
#define DPERM_LEDGER_BUDGET_H

#include "ledger/amount.h"
#include "ledger/record.h"

typedef struct budget {
  record opened, last; /* the data set's first and last record */
  amount total_epsilon, total_delta, spent_epsilon, spent_delta;
} budget;

/* Fails where the ledger has no such data set, or its records do not fit their digests. */
dperm_status budget_read(dperm_ledger *ledger, const char *dataset, budget *out, dperm_error *err);

/* The amounts of the two records; false where one is none. */
bool budget_amounts(budget *b);

/* A data set's name: 1 to 100 bytes, no control characters. */
dperm_status budget_check_name(const char *dataset, dperm_error *err);

#endif
