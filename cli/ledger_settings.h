/* The arguments that say where a run is charged, shared by train, tune and score. DPERM_LEDGER and
 * DPERM_DATASET in the environment stand in for arguments that are not given. */
#ifndef DPERM_CLI_LEDGER_SETTINGS_H
#define DPERM_CLI_LEDGER_SETTINGS_H

#include <dperm.h>

#include "arguments.h"

typedef struct ledger_settings {
  const char *ledger, *dataset; /* as given */
  bool dry_run;
  const char *path, *name; /* as they are used; NULL for none */
  dperm_ledger *opened;
  dperm_charge charge;
} ledger_settings;

enum { LEDGER_ARGUMENTS = 3 };

/* Their lines of the argument table from table[0] on: LEDGER_ARGUMENTS of them. */
void ledger_settings_init(ledger_settings *settings, argument *table);

/* Opens the ledger, if one is named, and fills `account`. `out` is the file that will be written
 * after the charge, or NULL: if it cannot be, the run ends before. False with a message. */
bool ledger_settings_open(ledger_settings *settings, const char *command_name, bool is_private,
                          const char *out, dperm_account *account, int *exit_status);
void ledger_settings_close(ledger_settings *settings);

/* After a private run: one line on stderr about what was charged, or that nothing counts it. */
void ledger_settings_say(const ledger_settings *settings);
/* After a dry run: what it would cost, on stdout. */
void ledger_settings_show(const ledger_settings *settings, bool is_private);

/* An exact decimal for people: one that is long is cut to three digits, as "9.85e-44". */
typedef struct brief_amount {
  char text[32];
} brief_amount;
brief_amount brief(const char *amount);

#endif
