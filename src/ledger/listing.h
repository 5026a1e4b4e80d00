/* One entry as it is shown: a reservation with what became of it. */
#ifndef DPERM_LEDGER_LISTING_H
#define DPERM_LEDGER_LISTING_H

#include "ledger/record.h"

dperm_status listing_visit(dperm_ledger *ledger, const record *reserved, dperm_entry_visitor *visit,
                           void *context, dperm_error *err);

#endif
