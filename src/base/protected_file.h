/* Files that no output may replace: ledgers, and what SQLite keeps beside them. A ledger that is
 * gone, or put back by a stray journal, is a budget that can be spent again. */
#pragma once

#include "base/status.h"

/* Fails if `path`, by whatever name or link it leads there, is a ledger or belongs to one, or if
 * that cannot be found out because the file cannot be read. `name` is the path in messages. */
dperm_status protected_file_check(const char *path, const char *name, dperm_error *err);
