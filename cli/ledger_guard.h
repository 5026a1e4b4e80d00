/* Commands that tell exact things about records (score without --epsilon, sweep, schema draft,
 * unsafe counts) first ask the ledger, if one is named or in the environment, whether it knows
 * them. */
#pragma once

#include "arguments.h"

/* The line of the argument table: --ledger FILE|none. */
argument ledger_guard_argument(const char **ledger);

/* False, with a message, if the ledger knows one of the files; NULL paths are left out. `ledger` is
 * what was given, or NULL. Only the leader of a job asks. */
bool ledger_guard(const char *ledger, const char *const *paths, size_t count);
