/* dperm_ledger_verify: every inconsistency of the file, its tables and its chain. A chain cannot
 * show that a whole file was replaced by an older copy of itself: for that there is the head noted
 * elsewhere, and every released model's receipt. */
#include "ledger/chain.h"
#include "ledger/tables.h"

static void conclude(const chain *c, findings *found) {
  if (found->failures > FINDINGS_SHOWN && found->line) {
    found->line(found->context, DPERM_FINDING_FAILS, "and more that does not fit");
  }
  if (found->failures > 0) {
    return;
  }
  findings_add(found, DPERM_FINDING_HOLDS,
               "records: all %lld fit their digests and follow each other", (long long)c->count);
  findings_add(found, DPERM_FINDING_HOLDS,
               "sums: %zu data sets, %lld charges (%lld committed), none beyond its budget",
               c->dataset_count, (long long)c->reserved, (long long)c->committed);
  if (c->priced > 0) {
    findings_add(found, DPERM_FINDING_HOLDS,
                 "prices: %lld charges by a Renyi order, none below what follows from its numbers",
                 (long long)c->priced);
  }
  findings_add(found, DPERM_FINDING_HOLDS, "head: record %lld, digest %s", (long long)c->count,
               c->last.digest);
  if (!c->keyed) {
    findings_add(found, DPERM_FINDING_REMARK,
                 "the ledger is of an older version, and another key would pass: the next charge "
                 "brings it up to date");
  }
  if (c->wanted) {
    findings_add(found, DPERM_FINDING_HOLDS,
                 "noted head: is that of record %lld; all up to it is as it was",
                 (long long)c->wanted_at);
  } else {
    findings_add(found, DPERM_FINDING_REMARK,
                 "an older copy of the whole file would pass: note the head elsewhere and give it "
                 "to the next check");
  }
}

static dperm_status read_all(chain *c, dperm_ledger *ledger, findings *found, dperm_error *err) {
  TRY(tables_check(ledger, found, err));
  bool ours = found->failures == 0;
  dperm_status status = chain_check_pages(ledger, true, found, err);
  if (status == DPERM_OK) {
    status = chain_extend(c, ledger, found, err);
  }
  if (!ours) {
    status = DPERM_OK; /* tables that are not ours need not be readable */
  }
  conclude(c, found);
  return status;
}

dperm_status dperm_ledger_verify(dperm_ledger *ledger, const char *head, dperm_verify_line *line,
                                 void *context, bool *holds, dperm_error *err) {
  OWNED(store_cancel) dperm_ledger *held = NULL;
  OWNED(chain_clear) chain c = {.wanted = head};
  findings found = {.line = line, .context = context};
  TRY(store_begin(ledger, false, &held, err));
  TRY(read_all(&c, ledger, &found, err));
  TRY(store_commit(&held, err));
  *holds = found.failures == 0;
  return DPERM_OK;
}
