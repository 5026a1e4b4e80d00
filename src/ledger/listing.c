/* What a ledger shows: its data sets, its entries, its head. All of it is from a chain that was
 * read and found sound; a ledger that is not is for dperm_ledger_verify. */
#include "ledger/listing.h"

#include <string.h>

/* ---- data sets */

static void visit_dataset(const dataset_state *d, dperm_dataset_visitor *visit, void *context) {
  amounts spent, left;
  /* total, spent, left, plain sums */
  char epsilon[4][DPERM_AMOUNT_SIZE], delta[4][DPERM_AMOUNT_SIZE];
  const reading *r = &d->reading;
  reading_shown(r, &d->costs, d->data[0] != '\0', &spent, &left);
  amounts_text(&r->total, epsilon[0], delta[0]);
  amounts_text(&spent, epsilon[1], delta[1]);
  amounts_text(&left, epsilon[2], delta[2]);
  amounts_text(&d->spent, epsilon[3], delta[3]);
  const dperm_ledger_dataset shown = {
      .name = d->name,
      .epsilon_total = epsilon[0],
      .epsilon_spent = epsilon[1],
      .epsilon_left = epsilon[2],
      .delta_total = delta[0],
      .delta_spent = delta[1],
      .delta_left = delta[2],
      .rows_per_person = (size_t)d->rows_per_person,
      .data = d->data,
      .composition = r->renyi ? "renyi" : "plain",
      .order = r->renyi ? r->order : 0,
      .neighbours =
          dperm_neighbours_name(r->adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE),
      .epsilon_plain = epsilon[3],
      .delta_plain = delta[3]};
  visit(context, &shown);
}

dperm_status dperm_ledger_datasets(dperm_ledger *ledger, dperm_dataset_visitor *visit,
                                   void *context, dperm_error *err) {
  OWNED(store_cancel) dperm_ledger *held = NULL;
  TRY(chain_begin(ledger, false, &held, err));
  for (size_t i = 0; i < ledger->known->dataset_count; i++) {
    visit_dataset(&ledger->known->datasets[i], visit, context);
  }
  return store_commit(&held, err);
}

/* ---- entries */

dperm_status listing_visit(dperm_ledger *ledger, const record *reserved, const char *artifact,
                           dperm_entry_visitor *visit, void *context, dperm_error *err) {
  char receipt[DPERM_DIGEST_SIZE], cost[2][DPERM_AMOUNT_SIZE] = {"", ""};
  record committed = {.id = 0};
  record_terms terms = {.adding = false};
  const dataset_state *d = chain_find(ledger->known, reserved->dataset);
  int64_t commit = chain_commit_of(ledger->known, (uint64_t)reserved->id);
  if (artifact && commit <= 0) {
    FAIL(err, DPERM_INVALID_LEDGER,
         "%s: entry %lld was never committed: no model was released under it, and this one says "
         "that it was",
         ledger->path, (long long)reserved->id);
  }
  if (commit > 0) {
    TRY(record_read(ledger, commit, &committed, err));
    if (strcmp(committed.kind, "commit") != 0 || committed.entry != reserved->id) {
      return store_fail_damaged(ledger, "a commit is gone", err);
    }
    if (artifact && strcmp(committed.artifact, artifact) != 0) {
      FAIL(err, DPERM_INVALID_LEDGER, "%s: entry %lld was committed for another model",
           ledger->path, (long long)reserved->id);
    }
  }
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
  OWNED(store_cancel) dperm_ledger *held = NULL;
  OWNED(sqlite3_finalize_at) sqlite3_stmt *query = NULL;
  record r;
  bool more = false;
  TRY(chain_begin(ledger, false, &held, err));
  TRY(record_query(ledger, "ORDER BY id", &query, err));
  TRY(record_next(ledger, query, &r, &more, err));
  while (more) {
    if (strcmp(r.kind, "reserve") == 0 && (!dataset || strcmp(r.dataset, dataset) == 0)) {
      TRY(listing_visit(ledger, &r, NULL, visit, context, err));
    }
    TRY(record_next(ledger, query, &r, &more, err));
  }
  return store_commit(&held, err);
}

/* ---- the head */

dperm_status dperm_ledger_head(dperm_ledger *ledger, uint64_t *records,
                               char digest[DPERM_DIGEST_SIZE], dperm_error *err) {
  OWNED(store_cancel) dperm_ledger *held = NULL;
  TRY(chain_begin(ledger, false, &held, err));
  const record last = ledger->known->last;
  TRY(store_commit(&held, err));
  *records = (uint64_t)last.id;
  memcpy(digest, last.digest, DPERM_DIGEST_SIZE);
  return DPERM_OK;
}
