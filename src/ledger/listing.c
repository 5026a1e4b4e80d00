/* What a ledger shows: its data sets, its entries, its head. All of it is from a chain that was
 * read and found sound; a ledger that is not is for dperm_ledger_verify. */
#include "ledger/listing.h"

#include <string.h>

/* ---- data sets */

static void visit_dataset(const dataset_state *d, dperm_dataset_visitor *visit, void *context) {
  amounts left;
  char epsilon[3][DPERM_AMOUNT_SIZE], delta[3][DPERM_AMOUNT_SIZE]; /* total, spent, left */
  amounts_subtract(&d->total, &d->spent, &left);
  amounts_text(&d->total, epsilon[0], delta[0]);
  amounts_text(&d->spent, epsilon[1], delta[1]);
  amounts_text(&left, epsilon[2], delta[2]);
  const dperm_ledger_dataset shown = {.name = d->name,
                                      .epsilon_total = epsilon[0],
                                      .epsilon_spent = epsilon[1],
                                      .epsilon_left = epsilon[2],
                                      .delta_total = delta[0],
                                      .delta_spent = delta[1],
                                      .delta_left = delta[2],
                                      .rows_per_person = (size_t)d->rows_per_person,
                                      .data = d->data};
  visit(context, &shown);
}

dperm_status dperm_ledger_datasets(dperm_ledger *ledger, dperm_dataset_visitor *visit,
                                   void *context, dperm_error *err) {
  const chain *c = NULL;
  TRY(chain_begin(ledger, false, &c, err));
  for (size_t i = 0; i < c->dataset_count; i++) {
    visit_dataset(&c->datasets[i], visit, context);
  }
  return store_end(ledger, DPERM_OK, err);
}

/* ---- entries */

dperm_status listing_commit_of(dperm_ledger *ledger, const chain *c, int64_t entry, record *out,
                               bool *found, dperm_error *err) {
  int64_t commit = entry >= 1 && entry <= c->count ? c->commits[entry] : 0;
  *found = commit > 0;
  if (!*found) {
    return DPERM_OK;
  }
  TRY(record_read(ledger, commit, out, err));
  return strcmp(out->kind, "commit") == 0 && out->entry == entry
             ? DPERM_OK
             : store_fail_damaged(ledger, "a commit is gone", err);
}

dperm_status listing_visit(dperm_ledger *ledger, const chain *c, const record *reserved,
                           dperm_entry_visitor *visit, void *context, dperm_error *err) {
  char receipt[DPERM_DIGEST_SIZE];
  record committed;
  bool found = false;
  TRY(listing_commit_of(ledger, c, reserved->id, &committed, &found, err));
  record_receipt(reserved, receipt);
  const dperm_ledger_entry shown = {.entry = (uint64_t)reserved->id,
                                    .dataset = reserved->dataset,
                                    .time = reserved->time,
                                    .command = reserved->command,
                                    .mechanism = reserved->mechanism,
                                    .epsilon = reserved->epsilon,
                                    .delta = reserved->delta,
                                    .digest = receipt,
                                    .commit = found ? (uint64_t)committed.id : 0,
                                    .artifact = found ? committed.artifact : ""};
  visit(context, &shown);
  return DPERM_OK;
}

static dperm_status visit_entries(dperm_ledger *ledger, const chain *c, const char *dataset,
                                  dperm_entry_visitor *visit, void *context, dperm_error *err) {
  dperm_status status = DPERM_OK;
  sqlite3_stmt *query = NULL;
  record r;
  bool more = true;
  TRY(record_query(ledger, "ORDER BY id", &query, err));
  while (more) {
    TRY_OR_DONE(record_next(ledger, query, &r, &more, err));
    if (more && strcmp(r.kind, "reserve") == 0 && (!dataset || strcmp(r.dataset, dataset) == 0)) {
      TRY_OR_DONE(listing_visit(ledger, c, &r, visit, context, err));
    }
  }
done:
  (void)sqlite3_finalize(query);
  return status;
}

dperm_status dperm_ledger_entries(dperm_ledger *ledger, const char *dataset,
                                  dperm_entry_visitor *visit, void *context, dperm_error *err) {
  const chain *c = NULL;
  TRY(chain_begin(ledger, false, &c, err));
  return store_end(ledger, visit_entries(ledger, c, dataset, visit, context, err), err);
}

/* ---- the head */

dperm_status dperm_ledger_head(dperm_ledger *ledger, uint64_t *records,
                               char digest[DPERM_DIGEST_SIZE], dperm_error *err) {
  const chain *c = NULL;
  TRY(chain_begin(ledger, false, &c, err));
  uint64_t count = (uint64_t)c->count;
  char last[DPERM_DIGEST_SIZE];
  memcpy(last, c->last.digest, sizeof last);
  TRY(store_end(ledger, DPERM_OK, err));
  *records = count;
  memcpy(digest, last, DPERM_DIGEST_SIZE);
  return DPERM_OK;
}
