/* Ledgers as older versions of dperm wrote them. */
#ifndef DPERM_TESTS_OLD_LEDGERS_H
#define DPERM_TESTS_OLD_LEDGERS_H

/* Writes the ledger at `path` again as version 1 or 2 would have: with its indexes, without a word
 * about the key, and all digests made anew. Version 1 has rows only. */
void ledger_as_of_version(const char *path, int version);

#endif
