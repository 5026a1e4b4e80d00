/* What a ledger shows: its data sets, its entries, its head. */
#include <string.h>

#include "ledger/budget.h"
#include "ledger/listing.h"

/* ---- data sets */

static dperm_status visit_dataset(dperm_ledger *ledger, const char *name,
                                  dperm_dataset_visitor *visit, void *context, dperm_error *err) {
  budget b;
  amount left;
  char epsilon_left[DPERM_AMOUNT_SIZE], delta_left[DPERM_AMOUNT_SIZE];
  TRY(budget_read(ledger, name, &b, err));
  amount_subtract(&b.total_epsilon, &b.spent_epsilon, &left);
  amount_text(&left, epsilon_left);
  amount_subtract(&b.total_delta, &b.spent_delta, &left);
  amount_text(&left, delta_left);
  const dperm_ledger_dataset shown = {.name = b.opened.dataset,
                                      .epsilon_total = b.opened.epsilon,
                                      .epsilon_spent = b.last.spent_epsilon,
                                      .epsilon_left = epsilon_left,
                                      .delta_total = b.opened.delta,
                                      .delta_spent = b.last.spent_delta,
                                      .delta_left = delta_left,
                                      .rows_per_person = (size_t)b.opened.rows_per_person,
                                      .data = b.last.data};
  visit(context, &shown);
  return DPERM_OK;
}

static dperm_status visit_datasets(dperm_ledger *ledger, dperm_dataset_visitor *visit,
                                   void *context, dperm_error *err) {
  dperm_status status = DPERM_OK;
  sqlite3_stmt *query = NULL;
  record opened;
  bool found = true;
  TRY(record_query(ledger, "WHERE kind = 'open' ORDER BY id", &query, err));
  while (found) {
    TRY_OR_DONE(record_next(ledger, query, &opened, &found, err));
    if (found) {
      TRY_OR_DONE(visit_dataset(ledger, opened.dataset, visit, context, err));
    }
  }
done:
  (void)sqlite3_finalize(query);
  return status;
}

dperm_status dperm_ledger_datasets(dperm_ledger *ledger, dperm_dataset_visitor *visit,
                                   void *context, dperm_error *err) {
  TRY(store_begin(ledger, false, err));
  return store_end(ledger, visit_datasets(ledger, visit, context, err), err);
}

/* ---- entries */

dperm_status listing_open(dperm_ledger *ledger, listing *out, dperm_error *err) {
  *out = (listing){.ledger = ledger};
  return record_query(ledger, "WHERE kind = 'commit' AND entry = ?", &out->commits, err);
}

void listing_close(listing *list) {
  (void)sqlite3_finalize(list->commits);
}

dperm_status listing_commit_of(const listing *list, int64_t entry, record *out, bool *found,
                               dperm_error *err) {
  (void)sqlite3_reset(list->commits);
  (void)sqlite3_bind_int64(list->commits, 1, entry);
  return record_next(list->ledger, list->commits, out, found, err);
}

dperm_status listing_visit(const listing *list, const record *reserved, dperm_entry_visitor *visit,
                           void *context, dperm_error *err) {
  char receipt[DPERM_DIGEST_SIZE];
  record committed;
  bool found = false;
  TRY(listing_commit_of(list, reserved->id, &committed, &found, err));
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

static dperm_status visit_entries(dperm_ledger *ledger, const char *dataset,
                                  dperm_entry_visitor *visit, void *context, dperm_error *err) {
  dperm_status status = DPERM_OK;
  sqlite3_stmt *query = NULL;
  listing list = {NULL, NULL};
  record r;
  bool found = true;
  TRY_OR_DONE(listing_open(ledger, &list, err));
  TRY_OR_DONE(record_query(ledger,
                           dataset ? "WHERE dataset = ? AND kind = 'reserve' ORDER BY id"
                                   : "WHERE kind = 'reserve' ORDER BY id",
                           &query, err));
  if (dataset) {
    (void)sqlite3_bind_text(query, 1, dataset, -1, SQLITE_STATIC);
  }
  while (found) {
    TRY_OR_DONE(record_next(ledger, query, &r, &found, err));
    if (found) {
      TRY_OR_DONE(listing_visit(&list, &r, visit, context, err));
    }
  }
done:
  (void)sqlite3_finalize(query);
  listing_close(&list);
  return status;
}

dperm_status dperm_ledger_entries(dperm_ledger *ledger, const char *dataset,
                                  dperm_entry_visitor *visit, void *context, dperm_error *err) {
  TRY(store_begin(ledger, false, err));
  return store_end(ledger, visit_entries(ledger, dataset, visit, context, err), err);
}

/* ---- the head */

dperm_status dperm_ledger_head(dperm_ledger *ledger, uint64_t *records,
                               char digest[DPERM_DIGEST_SIZE], dperm_error *err) {
  record last;
  int64_t count = 0;
  TRY(store_begin(ledger, false, err));
  TRY(store_end(ledger, record_head(ledger, &last, &count, err), err));
  *records = (uint64_t)count;
  memcpy(digest, last.digest, DPERM_DIGEST_SIZE);
  return DPERM_OK;
}
