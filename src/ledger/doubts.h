/* What does not fit in a ledger: all of it for who verifies, the first of it for who only wants to
 * know whether to go on. */
#ifndef DPERM_LEDGER_DOUBTS_H
#define DPERM_LEDGER_DOUBTS_H

#include <stdbool.h>

#include "dperm.h"
#include "dperm/verify.h"

enum { DOUBT_SIZE = 400 };

typedef struct doubts {
  dperm_verify_line *line; /* who verifies; NULL: one doubt is enough */
  void *context;
  size_t count;
  char first[DOUBT_SIZE];
} doubts;

/* One that does not fit. Only the first twenty are told. */
void doubt(doubts *found, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Something else to tell. */
void doubts_tell(doubts *found, dperm_finding finding, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* At the end: whether there were more than was told. */
void doubts_close(const doubts *found);

/* No need to look on. */
static inline bool doubts_suffice(const doubts *found) {
  return found->count > 0 && !found->line;
}

#endif
