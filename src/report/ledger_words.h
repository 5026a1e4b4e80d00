/* What a ledger says of a model, for the page about it (statement.c): which entry paid, and what is
 * left of the data set's budget. */
#pragma once

#include "dperm/ledger.h"
#include "report/report.h"

/* All zeros: no ledger was asked. */
typedef struct ledger_words {
  bool found; /* the model's entry is in the ledger; then: */
  uint64_t entry;
  char dataset[128], time[32];
  char total[DPERM_AMOUNT_SIZE], spent[DPERM_AMOUNT_SIZE], left[DPERM_AMOUNT_SIZE];
  char delta_left[DPERM_AMOUNT_SIZE], delta_total[DPERM_AMOUNT_SIZE];
  char by[80]; /* how charges add up, if not plainly; then the release's own cost: */
  char cost[DPERM_AMOUNT_SIZE];
  bool twice; /* its claim is for records added and removed, the budget for replaced ones, so that
                 the entry was charged: */
  char epsilon[DPERM_AMOUNT_SIZE], delta[DPERM_AMOUNT_SIZE];
  uint64_t
      schema_entry; /* which paid for its refined schema before, 0 if none did; then likewise: */
  bool schema_twice;
  char schema_epsilon[DPERM_AMOUNT_SIZE];
} ledger_words;

/* Fails where the ledger did not charge this very model, or not its refined schema. */
dperm_status ledger_words_find(dperm_ledger *ledger, const dperm_model *model, ledger_words *out,
                               dperm_error *err);
/* Rows of the page's table, where the entry was found. */
void ledger_words_write(report *p, const dperm_model *model, const ledger_words *words);
