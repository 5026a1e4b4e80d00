/* What a check of a ledger finds: every line of it for dperm_ledger_verify, the first inconsistency
 * for a transaction, which then refuses to go on. */
#pragma once

#include <stdbool.h>

#include "dperm.h"
#include "dperm/verify.h"

enum { FINDING_SIZE = 400, FINDINGS_SHOWN = 20 };

typedef struct findings {
  dperm_verify_line *line; /* gets them; NULL where the first failure is enough */
  void *context;
  size_t failures;
  char first[FINDING_SIZE]; /* failure */
} findings;

/* Adds one. Of the failures only FINDINGS_SHOWN are given to `line`. */
void findings_add(findings *found, dperm_finding kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* An inconsistency. */
#define findings_fail(found, ...) findings_add(found, DPERM_FINDING_FAILS, __VA_ARGS__)

/* No need to read on. */
static inline bool findings_suffice(const findings *found) {
  return found->failures > 0 && !found->line;
}
