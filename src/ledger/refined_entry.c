/* The entry that paid for a schema's refinement: one of `dperm refine`, all of it, or one of a run
 * that refined and fitted, for the part that its terms state. The schema names it and carries its
 * receipt. Neither is a secret, as every model shows its own, and the schema's digest of them has
 * no key: so what an entry was for is read from the ledger alone, and a receipt that is of anything
 * else pays for nothing. What this cannot tell is a paid schema from another one with the same
 * object in it, as schemas may be edited (docs/ledger.md). */
#include <stdio.h>
#include <string.h>

#include "ledger/charge.h"
#include "ledger/listing.h"
#include "ledger/record_terms.h"

/* What an epsilon counts in the ledger: twice, where it is of added and removed records and the
 * budget of replaced ones. */
static bool counted(double epsilon, bool twice, amount *out) {
  return amount_of_double(epsilon, out) && (!twice || amount_add(out, out, out));
}

static bool paid_part(const record *reserved, const record_terms *terms, bool twice, amount *out) {
  return strcmp(reserved->command, "refine") == 0
             ? amount_parse(reserved->epsilon, out)
             : terms->refined > 0 && counted(terms->refined, twice, out);
}

static bool has_receipt(const record *reserved, const char *receipt) {
  char own[DPERM_DIGEST_SIZE];
  record_receipt(reserved, own);
  return strcmp(own, receipt) == 0;
}

/* `*part` is what the entry paid for the schema. */
static bool pays_for(const chain *known, const record *reserved, const schema_refined *refined,
                     amount *part) {
  amount stated;
  record_terms terms;
  bool adding = refined->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  const dataset_state *d = chain_find(known, reserved->dataset);
  if (strcmp(reserved->kind, "reserve") != 0 || !d || !terms_parse(reserved->terms, &terms) ||
      terms.adding != adding || !has_receipt(reserved, refined->receipt)) {
    return false;
  }
  bool twice = adding && !d->reading.adding;
  return reserved->rows_per_person == (int64_t)refined->rows_per_person &&
         paid_part(reserved, &terms, twice, part) && counted(refined->epsilon, twice, &stated) &&
         amount_compare(part, &stated) == 0;
}

dperm_status charge_check_refined(dperm_ledger *ledger, const schema_refined *refined,
                                  dperm_entry_visitor *visit, void *context, dperm_error *err) {
  OWNED(store_cancel) dperm_ledger *held = NULL;
  record reserved;
  amount part;
  unsigned long long entry = refined->entry;
  if (entry == 0) {
    FAIL(err, DPERM_OVER_BUDGET,
         "%s: the schema was refined for an epsilon of %g that no ledger was charged; refine it "
         "again with this ledger",
         ledger->path, refined->epsilon);
  }
  TRY(chain_begin(ledger, false, &held, err));
  TRY(record_read(ledger, (int64_t)entry, &reserved, err));
  if (!pays_for(ledger->known, &reserved, refined, &part)) {
    FAIL(err, DPERM_OVER_BUDGET,
         "%s: entry %llu is not the one that the schema's refinement was charged as; name the "
         "ledger that it was charged to, or refine it again with this one",
         ledger->path, entry);
  }
  if (chain_commit_of(ledger->known, entry) <= 0) {
    FAIL(err, DPERM_OVER_BUDGET,
         "%s: entry %llu was never committed: no schema was released under it; refine it again",
         ledger->path, entry);
  }
  if (visit) {
    amount_text(&part, reserved.epsilon);
    (void)snprintf(reserved.delta, sizeof reserved.delta, "0"); /* counts with noise are pure */
    TRY(listing_visit(ledger, &reserved, NULL, visit, context, err));
  }
  return store_commit(&held, err);
}
