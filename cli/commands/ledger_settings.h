/* The ledger of a command: the arguments that say where a run is charged, shared by train, tune and
 * score, and the refusal of records that a ledger knows. DPERM_LEDGER and DPERM_DATASET in the
 * environment stand in for arguments that are not given. */
#pragma once

#include <dperm.h>
#include <dperm/output.h>

#include <jansson.h>

#include "arguments/arguments.h"

typedef struct ledger_settings {
  const char *ledger, *dataset; /* as given */
  bool dry_run;
  bool adding;             /* the run is for records added and removed; set before it is opened */
  const char *path, *name; /* as they are used; NULL for none */
  dperm_ledger *opened;
} ledger_settings;

enum { LEDGER_ARGUMENTS = 3 };

/* Their lines of the argument table from table[0] on: LEDGER_ARGUMENTS of them. */
void ledger_settings_init(ledger_settings *settings, argument *table);

/* Whether results can go to standard output: for what cannot be taken back once it is done. */
dperm_status ask_stdout(dperm_error *err);
/* Opens the ledger, if one is named, and fills `account`. False with a message. */
bool ledger_settings_open(ledger_settings *settings, bool is_private, dperm_account *account);
/* Takes the place of what is written after the charge, in the process that writes it: a place that
 * cannot be had ends the run before, and so does a standard output that a run which `prints` needs
 * beside it. Freed by ledger_settings_leave, where its scope ends. */
dperm_status ledger_settings_place(const ledger_settings *settings, const char *path, bool prints,
                                   dperm_output **out, dperm_error *err);
void ledger_settings_leave(dperm_output **output);
void ledger_settings_close(ledger_settings *settings);

/* After a private run: one line on stderr about what was charged, or that nothing counts it. */
void ledger_settings_say(const ledger_settings *settings);
/* Whether the run's data set adds up by a Renyi order, where gaussian noise may cost less. */
bool ledger_settings_by_order(const ledger_settings *settings);
/* After a dry run: what it would cost, on stdout. */
void ledger_settings_show(const ledger_settings *settings, bool is_private, bool json);
/* The member "ledger" of a result: what was or would be charged, or null. */
json_t *ledger_settings_json(const ledger_settings *settings);

/* Commands that tell exact things about records (score without --epsilon, sweep, schema draft,
 * unsafe counts) first ask the ledger, if one is named or in the environment, whether it knows
 * them. The line of their argument table, --ledger FILE|none: */
argument ledger_guard_argument(const char **ledger);
/* False, with a message, if the ledger knows one of the files; NULL paths are left out. `ledger` is
 * what was given, or NULL. Only the leader of a job asks. */
bool ledger_guard(const char *ledger, const char *const *paths, size_t count);

/* A few words about a budget. */
typedef struct budget_words {
  char text[64];
} budget_words;
/* An exact decimal for people: one that is long is cut to three digits, as "9.85e-44". */
budget_words brief(const char *amount);
/* The same of what is left and what is spent of a total: one that is a hair from a short figure
 * says so, since 4.99e-7 left and 5.00e-7 spent do not add up to 1e-6. */
budget_words brief_left(const char *amount);
budget_words brief_spent(const char *amount);
/* Whom it is for: `one` ("record"), or "person with at most K rows". */
budget_words unit_of(size_t rows_per_person, const char *one);
