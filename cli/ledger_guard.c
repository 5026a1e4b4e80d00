/* See ledger_guard.h. */
#include "ledger_guard.h"

#include <stdlib.h>
#include <string.h>

#include "handles.h"
#include "session.h"

argument ledger_guard_argument(const char **ledger) {
  return (argument){"--ledger",  ARGUMENT_INPUT,
                    ledger,      false,
                    "FILE|none", "refuse records that this ledger knows (default: $DPERM_LEDGER)"};
}

bool ledger_guard(const char *ledger, const char *const *paths, size_t count) {
  dperm_error err;
  OWNED(dperm_ledger_free_at) dperm_ledger *opened = NULL;
  const char *path = ledger ? ledger : getenv("DPERM_LEDGER");
  if (!path || !*path || strcmp(path, "none") == 0 || dperm_ranks_rank(session_ranks()) > 0) {
    return true;
  }
  dperm_status status = dperm_ledger_open(path, &opened, &err);
  for (size_t i = 0; i < count && status == DPERM_OK; i++) {
    status = paths[i] ? dperm_ledger_refuse_file(opened, paths[i], &err) : DPERM_OK;
  }
  return status == DPERM_OK || refuse(report_error(&err));
}
