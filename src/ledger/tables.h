/* The tables of a ledger, as SQL (docs/formats.md says what each column means). */
#ifndef DPERM_LEDGER_TABLES_H
#define DPERM_LEDGER_TABLES_H

enum { LEDGER_MARK = 0x6470726d }; /* "dprm" in the file's header, where SQLite keeps such marks */

/* Of a new file. */
extern const char ledger_tables[];
/* What makes version 2 of a file of version 1, which had neither `version` nor `rows_per_person`:
 * its records keep the digests they have. */
extern const char ledger_from_version_1[];

/* The columns of records in the order of ledger/record.c, in a file of either version. */
const char *ledger_columns(int version);

#endif
