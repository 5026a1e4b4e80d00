/* The entry that a schema's refinement was charged as. The schema names it and carries its receipt,
 * which whoever has not seen the ledger cannot make. The entry says for which neighbours it was; of
 * added and removed records it counts twice where they are replaced, so it is never for less than
 * the schema states. */
#include <string.h>

#include "ledger/chain.h"
#include "ledger/charge.h"
#include "ledger/record_terms.h"

static bool pays_for(const record *reserved, const schema_refined *refined) {
  char receipt[DPERM_DIGEST_SIZE];
  amount charged, stated;
  record_terms terms;
  bool adding = refined->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  if (strcmp(reserved->kind, "reserve") != 0 || !terms_parse(reserved->terms, &terms) ||
      terms.adding != adding) {
    return false;
  }
  record_receipt(reserved, receipt);
  return strcmp(receipt, refined->receipt) == 0 &&
         reserved->rows_per_person == (int64_t)refined->rows_per_person &&
         amount_parse(reserved->epsilon, &charged) && amount_of_double(refined->epsilon, &stated) &&
         amount_compare(&charged, &stated) >= 0;
}

dperm_status charge_check_refined(dperm_ledger *ledger, const schema_refined *refined,
                                  dperm_error *err) {
  OWNED(store_cancel) dperm_ledger *held = NULL;
  record reserved;
  if (refined->entry == 0) {
    FAIL(err, DPERM_OVER_BUDGET,
         "%s: the schema was refined for an epsilon of %g that no ledger was charged; refine it "
         "again with this ledger",
         ledger->path, refined->epsilon);
  }
  TRY(chain_begin(ledger, false, &held, err));
  TRY(record_read(ledger, (int64_t)refined->entry, &reserved, err));
  if (!pays_for(&reserved, refined)) {
    FAIL(err, DPERM_OVER_BUDGET,
         "%s: entry %llu is not the one that the schema's refinement was charged as; name the "
         "ledger that it was charged to, or refine it again with this one",
         ledger->path, (unsigned long long)refined->entry);
  }
  return store_commit(&held, err);
}
