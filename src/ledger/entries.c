/* The entries of a ledger: its charges, with what became of them. They are listed, and found for
 * what they paid for: a charge that somebody holds, a model, a schema's refinement. All of it is
 * from a chain that was read and found sound; a ledger that is not is for dperm_ledger_verify. A
 * model or schema names its reservation and carries its receipt. Neither is a secret: whoever sees
 * them can put them into another file. So what an entry was for is read from the ledger alone, and
 * of a model the commit must name its digest: each points to the other, and both must fit. A model
 * leaves only behind its commit (docs/ledger.md), so every honest one has one. */
#include <stdio.h>
#include <string.h>

#include "ledger/chain.h"
#include "ledger/charge.h"
#include "model/model.h"

/* ---- showing one */

/* Fails where it was not committed for this `artifact` (a digest); NULL stands for any or none. */
static dperm_status visit_entry(dperm_ledger *ledger, const record *reserved, const char *artifact,
                                dperm_entry_visitor *visit, void *context, dperm_error *err) {
  char receipt[DPERM_DIGEST_SIZE], cost[2][DPERM_AMOUNT_SIZE] = {"", ""};
  record committed = {.id = 0};
  record_terms terms = {.adding = false};
  const dataset_state *d = chain_find(ledger->known, reserved->dataset);
  int64_t commit = chain_commit_of(ledger->known, (uint64_t)reserved->id);
  if (commit > 0) {
    TRY(record_read(ledger, commit, &committed, err));
    RETURN_IF(strcmp(committed.kind, "commit") != 0 || committed.entry != reserved->id,
              store_fail_damaged(ledger, "a commit is gone", err));
  }
  FAIL_IF(artifact && strcmp(committed.artifact, artifact) != 0, err, DPERM_INVALID_LEDGER,
          "%s: entry %lld was %s", ledger->path, (long long)reserved->id,
          commit > 0 ? "committed for another model" : "never committed: it released no model");
  record_receipt(reserved, receipt);
  if (terms_parse(reserved->terms, &terms) && terms.priced) {
    amounts_text(&terms.cost, cost[0], cost[1]);
  }
  const dperm_ledger_entry shown = {.entry = (uint64_t)reserved->id,
                                    .dataset = reserved->dataset,
                                    .time = reserved->time,
                                    .command = reserved->command,
                                    .mechanism = reserved->mechanism,
                                    .epsilon = reserved->epsilon,
                                    .delta = reserved->delta,
                                    .digest = receipt,
                                    .commit = (uint64_t)committed.id,
                                    .artifact = committed.artifact,
                                    .cost_epsilon = cost[0][0] ? cost[0] : reserved->epsilon,
                                    .cost_delta = cost[0][0] ? cost[1] : reserved->delta,
                                    .terms = reserved->terms,
                                    .counted_twice = terms.adding && d && !d->reading.adding};
  visit(context, &shown);
  return DPERM_OK;
}

dperm_status dperm_ledger_entries(dperm_ledger *ledger, const char *dataset,
                                  dperm_entry_visitor *visit, void *context, dperm_error *err) {
  OWNED(chain_cancel) dperm_ledger *held = NULL;
  OWNED(sqlite3_finalize_at) sqlite3_stmt *query = NULL;
  record r;
  bool more = false;
  TRY(chain_begin(ledger, false, &held, err));
  TRY(record_query(ledger, "ORDER BY id", &query, err));
  TRY(record_next(ledger, query, &r, &more, err));
  while (more) {
    if (strcmp(r.kind, "reserve") == 0 && (!dataset || strcmp(r.dataset, dataset) == 0)) {
      TRY(visit_entry(ledger, &r, NULL, visit, context, err));
    }
    TRY(record_next(ledger, query, &r, &more, err));
  }
  return store_commit(&held, err);
}

/* ---- the entry of a model */

/* What is wrong with the entry of a model, or NULL. */
static const char *model_trouble(const dperm_ledger *ledger, const record *reserved,
                                 const guarantee *claim) {
  if (strcmp(reserved->kind, "reserve") != 0 ||
      (strcmp(reserved->command, "train") != 0 && strcmp(reserved->command, "tune") != 0)) {
    return "is not the one that the model was charged as; name the ledger it was charged to, and "
           "see 'dperm ledger verify'";
  }
  const dataset_state *d = chain_find(ledger->known, reserved->dataset);
  bool twice = claim->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE && d && !d->reading.adding;
  amounts charged, due;
  if (!amounts_parse(reserved->epsilon, reserved->delta, &charged) ||
      !amounts_claimed(claim->epsilon_charged, claim->delta, twice, &due) ||
      amount_compare(&charged.epsilon, &due.epsilon) != 0) {
    return "was charged another epsilon than the model says";
  }
  bool covered = amount_compare(&charged.delta, &due.delta) >= 0; /* older ones may know less */
  return covered || reserved->version < 4 ? NULL : "was charged less delta than the model says";
}

dperm_status dperm_ledger_find_model(dperm_ledger *ledger, const dperm_model *model,
                                     dperm_entry_visitor *visit, void *context, dperm_error *err) {
  OWNED(chain_cancel) dperm_ledger *held = NULL;
  char digest[DPERM_DIGEST_SIZE];
  record reserved;
  FAIL_IF(
      model->ledger_entry == 0, err, DPERM_INVALID_LEDGER,
      "%s: the model was not charged to any ledger; name a ledger and a data set when you train",
      ledger->path);
  TRY(chain_begin(ledger, false, &held, err));
  TRY(record_reserved(ledger, model->ledger_entry, model->ledger_digest, &reserved, err));
  const char *trouble = model_trouble(ledger, &reserved, &model->claim);
  FAIL_IF(trouble, err, DPERM_INVALID_LEDGER, "%s: entry %llu %s", ledger->path,
          (unsigned long long)model->ledger_entry, trouble);
  TRY(model_content_digest(model, digest, err));
  TRY(visit_entry(ledger, &reserved, digest, visit, context, err));
  return store_commit(&held, err);
}

/* ---- the entry that paid for a schema's refinement: one of `dperm refine`, all of it, or one of a
 * run that refined and fitted, for the part that its terms state. What this cannot tell is a paid
 * schema from another one with the same object in it, as schemas may be edited (docs/ledger.md) */

/* `*part` is what the entry paid for the schema. */
static bool pays_for(const chain *known, const record *reserved, const schema_refined *refined,
                     amount *part) {
  amounts stated, paid;
  record_terms terms;
  bool adding = refined->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  const dataset_state *d = reserved->kind[0] ? chain_find(known, reserved->dataset) : NULL;
  if (!d || !terms_parse(reserved->terms, &terms) || terms.adding != adding) {
    return false;
  }
  bool twice = adding && !d->reading.adding;
  const double counts = refined->later > 0 ? refined->later : refined->epsilon;
  const double spent = counts == terms.counted ? terms.counted : terms.refined;
  bool parsed = strcmp(reserved->command, "refine") == 0
                    ? amount_parse(reserved->epsilon, &paid.epsilon)
                    : spent > 0 && amounts_claimed(spent, 0, twice, &paid);
  *part = paid.epsilon;
  return parsed && reserved->rows_per_person == (int64_t)refined->rows_per_person &&
         amounts_claimed(counts, 0, twice, &stated) && amount_compare(part, &stated.epsilon) == 0;
}

dperm_status charge_check_refined(dperm_ledger *ledger, const schema_refined *refined,
                                  dperm_entry_visitor *visit, void *context, dperm_error *err) {
  OWNED(chain_cancel) dperm_ledger *held = NULL;
  record reserved;
  amount part;
  unsigned long long entry = refined->entry;
  FAIL_IF(entry == 0, err, DPERM_OVER_BUDGET,
          "%s: the schema was refined for an epsilon of %g that no ledger was charged; refine it "
          "again with this ledger",
          ledger->path, refined->epsilon);
  TRY(chain_begin(ledger, false, &held, err));
  TRY(record_reserved(ledger, entry, refined->receipt, &reserved, err));
  FAIL_IF(!pays_for(ledger->known, &reserved, refined, &part) ||
              chain_commit_of(ledger->known, entry) <= 0,
          err, DPERM_OVER_BUDGET,
          "%s: entry %llu is not the one that the schema's refinement was charged as, or released "
          "none; name the ledger that it was charged to, or refine it again with this one",
          ledger->path, entry);
  if (visit) {
    amount_text(&part, reserved.epsilon);
    (void)snprintf(reserved.delta, sizeof reserved.delta, "0"); /* counts with noise are pure */
    TRY(visit_entry(ledger, &reserved, NULL, visit, context, err));
  }
  return store_commit(&held, err);
}
