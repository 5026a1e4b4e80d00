/* What a ledger says of a model: the entry that paid for it, or for its schema, and what is left of
 * the data set's budget. A ledger's texts live as long as it shows them, so they are copied. */
#pragma once

#include "model/model.h"
#include "report/report.h"
#include "verify/finding.h"

/* All zeros: no ledger was asked, or no entry paid. */
typedef struct payment {
  charged_entry entry; /* its number is what is looked for */
  bool found;
  bool twice; /* its claim is for records added and removed, the budget for replaced ones */
  char time[32], dataset[128], spent[DPERM_AMOUNT_SIZE], left[DPERM_AMOUNT_SIZE];
  char plain[DPERM_AMOUNT_SIZE], delta_left[DPERM_AMOUNT_SIZE], delta_total[DPERM_AMOUNT_SIZE];
} payment;

/* Fails where the ledger did not charge this very model. */
dperm_status payment_of_model(dperm_ledger *ledger, const dperm_model *model, payment *out,
                              dperm_error *err);
/* The entry that paid for a schema which was refined before; all zeros where there is none. */
dperm_status payment_of_schema(dperm_ledger *ledger, const dperm_model *model, payment *out,
                               dperm_error *err);

/* Rows of a page's table, where the model's entry was found. */
void payment_write(report *p, const dperm_model *model, const payment *paid,
                   const payment *for_schema);
