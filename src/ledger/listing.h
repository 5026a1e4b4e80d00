/* Entries as they are shown: reservations with what became of them. */
#ifndef DPERM_LEDGER_LISTING_H
#define DPERM_LEDGER_LISTING_H

#include "ledger/chain.h"

/* Finds the commits of a ledger, one after the other. */
typedef struct listing {
  dperm_ledger *ledger;
  const chain *known;
  sqlite3_stmt *by_number;
} listing;

dperm_status listing_open(dperm_ledger *ledger, const chain *known, listing *out, dperm_error *err);
void listing_close(listing *list);

/* The record that commits a reservation, if there is one. */
dperm_status listing_commit_of(const listing *list, int64_t entry, record *out, bool *found,
                               dperm_error *err);
dperm_status listing_visit(const listing *list, const record *reserved, dperm_entry_visitor *visit,
                           void *context, dperm_error *err);

#endif
