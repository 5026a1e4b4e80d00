/* Entries as they are shown: reservations with what became of them. */
#pragma once

#include "ledger/chain.h"

/* The record that commits a reservation; its number is 0 where there is none. */
dperm_status listing_commit_of(dperm_ledger *ledger, int64_t entry, record *out, dperm_error *err);
dperm_status listing_visit(dperm_ledger *ledger, const record *reserved, dperm_entry_visitor *visit,
                           void *context, dperm_error *err);
