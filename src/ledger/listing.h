/* Entries as they are shown: reservations with what became of them. */
#pragma once

#include "ledger/chain.h"

/* Shows one; fails where it was not committed for this `artifact` (a digest). With NULL any will
 * do, and none. */
dperm_status listing_visit(dperm_ledger *ledger, const record *reserved, const char *artifact,
                           dperm_entry_visitor *visit, void *context, dperm_error *err);
