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
 * (docs/guide.md), and gives each step to `line` (may be NULL). `*holds` is whether every step
 * does. `text` are the bytes of the file, `length` of them, which `name` stands for in messages; if
 * it is NULL the file called `name` is read, once. With a ledger (else NULL) also whether its entry
 * for the model paid for what the file shows: epsilon, delta, and by a Renyi order no less than the
 * divergence of the file's own noise; and the same of the entry of a schema that was refined from
 * records and charged before. A model that was not charged to this ledger is a step that does not
 * hold. Fails only where the bytes cannot be read as a JSON model; damaged or missing fields are
 * steps that do not hold. */
DPERM_API DPERM_CHECKED dperm_status dperm_model_verify(const char *name, const char *text,
                                                        size_t length, dperm_ledger *ledger,
                                                        dperm_verify_line *line, void *context,
                                                        bool *holds, dperm_error *err);

/* Reads the ledger from end to end: each record's digest, their order and number, every sum; what
 * was changed, taken away or moved is named. `head` is a digest noted before, or NULL. */
DPERM_API DPERM_CHECKED dperm_status dperm_ledger_verify(dperm_ledger *ledger, const char *head,
                                                         dperm_verify_line *line, void *context,
                                                         bool *holds, dperm_error *err);

/* A page for the person who must defend a release: what a model file (`name`, `text` and `length`
 * as above) guarantees to whom, what was spent and is left (with a ledger), what is assumed, how to
 * check it. Markdown or HTML, to be given back with dperm_text_free. */
DPERM_API DPERM_CHECKED dperm_status dperm_statement(const char *name, const char *text,
                                                     size_t length, dperm_ledger *ledger, bool html,
                                                     char **page, dperm_error *err);
/* The same with what the model's publisher says of it, which the page repeats and does not check:
 * what it is for, who answers for it. JSON with members of docs/formats.md or plain text, of at
 * most 64 KiB: a text of `about_length` bytes that `about_name` stands for in messages, or where
 * that is NULL the file called `about_name`; nothing if both are NULL. */
DPERM_API DPERM_CHECKED dperm_status dperm_statement_about(const char *name, const char *text,
                                                           size_t length, const char *about_name,
                                                           const char *about_text,
                                                           size_t about_length,
                                                           dperm_ledger *ledger, bool html,
                                                           char **page, dperm_error *err);

#ifdef __cplusplus
}
#endif
#endif
