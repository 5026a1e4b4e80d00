/* A run that spends epsilon (train, tune, refine, score): its arguments for ledger, seed and JSON,
 * the charge, and what is said of it; and the refusal of records that a ledger knows. DPERM_LEDGER
 * and DPERM_DATASET in the environment stand in for arguments that are not given. */
#pragma once

#include <dperm.h>
#include <dperm/output.h>

#include <jansson.h>

#include "arguments/arguments.h"

typedef struct charged_run {
  const char *ledger, *dataset; /* as given */
  bool dry_run, json;
  uint64_t seed;
  bool is_private;         /* what it makes: it has a mechanism, and no seed */
  const char *path, *name; /* of the ledger and data set in use; NULL for none */
  dperm_ledger *opened;
  dperm_random *random; /* NULL without --seed */
} charged_run;

enum { CHARGED_RUN_ARGUMENTS = 5 };

/* The ledger that is meant: this one, or the environment's; NULL for none. */
const char *ledger_path(const char *given);

/* Their lines of the argument table from table[0] on: CHARGED_RUN_ARGUMENTS of them. */
void charged_run_init(charged_run *run, argument *table);

/* Whether results can go to standard output: for what cannot be taken back once it is done. */
dperm_status ask_stdout(dperm_error *err);
/* Opens the ledger, if one is named, and fills `account`. `noisy` tells whether there is a
 * mechanism, `chargeable` whether a budget can cover all that leaves. */
dperm_status charged_run_begin(charged_run *run, bool noisy, bool chargeable,
                               dperm_account *account, dperm_error *err);
/* Takes the place of what is written after the charge, in the process that writes it: a place that
 * cannot be had ends the run before, and so does a standard output that JSON needs beside it, or
 * that is all there is (`path` is NULL). Freed by charged_run_leave, where its scope ends. */
dperm_status charged_run_place(const charged_run *run, const char *path, dperm_output **out,
                               dperm_error *err);
void charged_run_leave(dperm_output **output);
/* Closes the ledger. Returns `status`. */
dperm_status charged_run_end(charged_run *run, dperm_status status);

/* After a private run: one line on stderr about what was charged, or that nothing counts it. */
void charged_run_say(const charged_run *run);
/* After a dry run: what it would cost, on stdout. */
void charged_run_show(const charged_run *run);
/* The member "ledger" of a result: what was or would be charged, or null. */
json_t *charged_run_json(const charged_run *run);

/* Commands that tell exact things about records (score without --epsilon, sweep, schema draft,
 * unsafe counts) first ask the ledger, if one is named or in the environment, whether it knows
 * them. The line of their argument table, --ledger FILE|none: */
argument ledger_guard_argument(const char **ledger);
/* Fails if the ledger knows one of the files; NULL paths are left out. `ledger` is
 * what was given, or NULL. Only the leader of a job asks. */
dperm_status ledger_guard(const char *ledger, const char *const *paths, size_t count,
                          dperm_error *err);

/* A few words about a budget. */
typedef struct budget_words {
  char text[64];
} budget_words;
/* An exact decimal for people: one that is long is cut to three digits, as "9.85e-44". */
budget_words brief(const char *amount);
/* Whom it is for: `one` ("record"), or "person with at most K rows". */
budget_words unit_of(size_t rows_per_person, const char *one);
