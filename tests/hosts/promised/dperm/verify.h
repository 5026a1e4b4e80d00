/* dperm: verification of models and ledgers from their files alone, and the statement of what a
 * model guarantees. */
#ifndef DPERM_VERIFY_H
#define DPERM_VERIFY_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What verification says about one thing: it fails, it holds, or it is not for a file to show. */
typedef enum dperm_finding {
  DPERM_FINDING_FAILS = 0,
  DPERM_FINDING_HOLDS = 1,
  DPERM_FINDING_REMARK = 2
} dperm_finding;
/* `line` is printable ASCII, "name: what", valid during the call only. */
typedef void dperm_verify_line(void *context, dperm_finding finding, const char *line);

/* Derives a model file's privacy claim again from its public fields, with arithmetic of its own
 * (docs/guide.md), and gives each step to `line` (may be NULL). `*holds` is 1 if every step holds.
 * Fails only where the file cannot be read as a JSON model; damaged or missing fields are steps
 * that do not hold. */
DPERM_API DPERM_CHECKED dperm_status dperm_model_verify(const char *path, dperm_verify_line *line,
                                                        void *context, bool *holds,
                                                        dperm_error *err);

/* Reads the ledger from end to end: each record's digest, their order and number, every sum; what
 * was changed, taken away or moved is named. `head` is a digest noted before, or NULL. */
DPERM_API DPERM_CHECKED dperm_status dperm_ledger_verify(dperm_ledger *ledger, const char *head,
                                                         dperm_verify_line *line, void *context,
                                                         bool *holds, dperm_error *err);

/* A page for the person who must defend a release: what a model file guarantees to whom, what was
 * spent and is left (with a ledger), what is assumed, how to check it. Markdown or HTML; `out_path`
 * NULL or "-" is standard output. */
DPERM_API DPERM_CHECKED dperm_status dperm_statement_write(const char *model_path,
                                                           dperm_ledger *ledger, bool html,
                                                           const char *out_path, dperm_error *err);

#ifdef __cplusplus
}
#endif
#endif
