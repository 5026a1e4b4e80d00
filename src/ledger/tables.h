/* The tables of a ledger, as SQL (docs/formats.md says what each column means), and the check that
 * a file has these and nothing else: a trigger, a view or a table of somebody else's making could
 * change what a statement of ours does. */
#pragma once

#include "ledger/ledger_findings.h"
#include "ledger/store.h"

/* Into a new file, with its key and no record yet. */
dperm_status tables_make(dperm_ledger *ledger, const unsigned char key[LEDGER_KEY_SIZE],
                         dperm_error *err);

/* Makes the tables of a file of an older version those of today; its records keep the digests they
 * have. */
dperm_status tables_update(dperm_ledger *ledger, dperm_error *err);

/* Every object of the file must be, to the letter, one that its version has; none may be missing.
 */
dperm_status tables_check(dperm_ledger *ledger, findings *found, dperm_error *err);
