/* Edits of a ledger by SQL, for full/ledger_bits_test.c: each must be seen, or harm nothing. The
 * ledger is the one that the test builds. */
#ifndef DPERM_TESTS_LEDGER_EDITS_H
#define DPERM_TESTS_LEDGER_EDITS_H

#include <stdbool.h>
#include <stddef.h>

/* With the guards off, which are then put back as they were, so that the edit itself must be seen.
 * `refit` makes that record fit its digest again, with `head` also the head fit the last record. */
typedef struct ledger_edit {
  const char *sql;
  int refit;
  bool head, harmless; /* harmless: charges may go on, within the budget */
} ledger_edit;

extern const ledger_edit ledger_edits[];
extern const size_t ledger_edit_count;

#endif
