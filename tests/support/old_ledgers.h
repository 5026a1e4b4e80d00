/* Ledgers as older versions of dperm wrote them. */
#ifndef DPERM_TESTS_OLD_LEDGERS_H
#define DPERM_TESTS_OLD_LEDGERS_H

/* Writes the ledger at `path` again as version 2, 3 or 4 would have, with all digests made anew:
 * version 2 has indexes and no word about the key; versions before 4 have no terms. */
void ledger_as_of_version(const char *path, int version);

#endif
