/* What a charge costs by the composition of its data set. dperm_charge has the claim alone, and is
 * fixed for good; a charge that was made has its record, and of one that was only tried the handle
 * remembers the last. */
#include <string.h>

#include "ledger/chain.h"
#include "ledger/record_terms.h"

static bool same_charge(const dperm_charge *a, const dperm_charge *b) {
  return a->entry == b->entry && strcmp(a->epsilon, b->epsilon) == 0 &&
         strcmp(a->delta, b->delta) == 0 && strcmp(a->epsilon_left, b->epsilon_left) == 0 &&
         strcmp(a->delta_left, b->delta_left) == 0 && strcmp(a->digest, b->digest) == 0;
}

/* From the record; a data set with plain sums has none but the claim. */
static dperm_status cost_of_entry(dperm_ledger *ledger, const dperm_charge *charge,
                                  latest_charge *out, dperm_error *err) {
  record reserved;
  record_terms terms;
  char receipt[DPERM_DIGEST_SIZE] = "";
  TRY(record_read(ledger, (int64_t)charge->entry, &reserved, err));
  if (strcmp(reserved.kind, "reserve") == 0) {
    record_receipt(&reserved, receipt);
  }
  const dataset_state *d = chain_find(ledger->known, reserved.dataset);
  if (!d || strcmp(receipt, charge->digest) != 0 || !terms_parse(reserved.terms, &terms)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "%s: entry %llu is another charge; name the ledger it is in",
         ledger->path, (unsigned long long)charge->entry);
  }
  memcpy(out->epsilon, reserved.epsilon, sizeof out->epsilon);
  memcpy(out->delta, reserved.delta, sizeof out->delta);
  if (terms.priced) {
    amounts_text(&terms.cost, out->epsilon, out->delta);
  }
  out->order = d->reading.renyi ? d->reading.order : 0;
  return DPERM_OK;
}

dperm_status dperm_ledger_charge_cost(dperm_ledger *ledger, const dperm_charge *charge,
                                      char epsilon[DPERM_AMOUNT_SIZE],
                                      char delta[DPERM_AMOUNT_SIZE], double *order,
                                      dperm_error *err) {
  OWNED(store_cancel) dperm_ledger *held = NULL;
  latest_charge cost = {.order = 0};
  TRY(chain_begin(ledger, false, &held, err));
  if (charge->entry != 0) {
    TRY(cost_of_entry(ledger, charge, &cost, err));
  } else if (ledger->latest.charge.epsilon[0] && same_charge(&ledger->latest.charge, charge)) {
    cost = ledger->latest;
  } else {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "%s: a charge that was only tried has its cost until this handle is asked for another; "
         "try it again",
         ledger->path);
  }
  TRY(store_commit(&held, err));
  memcpy(epsilon, cost.epsilon, sizeof cost.epsilon);
  memcpy(delta, cost.delta, sizeof cost.delta);
  *order = cost.order;
  return DPERM_OK;
}
