/* A command's arguments as a table: it is parsed, checked and shown as help from the same lines, so
 * a flag cannot exist without a meaning or a text. */
#pragma once

#include "usage.h"

typedef struct command {
  const char *name, *summary;
  int (*run)(int argc, char **argv); /* argv[0] is the first word after the command */
  bool many;                         /* whether the processes of a job can share its work */
  const char *const *actions;        /* those that have tables of their own, up to NULL; or NULL */
} command;

/* Tables of commands end with one that has no name. NULL if none is called so. */
const command *command_named(const command *commands, const char *name);
/* The action of this name that has a table of its own, or NULL. */
const char *command_action(const command *c, const char *name);
/* Hands the command's page to `reader`, and then those of its actions. */
void command_visit(const command *visited, page_reader *reader, void *context);
/* The command's alone (`action` is NULL), or one action's alone. */
void command_visit_one(const command *visited, const char *action, page_reader *reader,
                       void *context);

/* The command that runs next: --help hands its table to `reader` (help_print, help.h). */
void arguments_announce(const command *next, page_reader *reader, void *context);

/* Fills the targets. Returns true to go on; else the command ends with refused(): 0 after
 * --help, 2 after one line about what is wrong. `rest` is as in command_page. */
bool arguments_parse(const argument *table, size_t count, int argc, char **argv, const char *rest);
/* Whether the call has set this target. */
bool argument_given(const void *target);

/* A decimal number, near a double; digits only. False on anything else. */
bool read_number(const char *text, double *out);
/* What to say behind the text that read_number just refused: a reason, or nothing. */
const char *number_trouble(void);
bool read_whole(const char *text, uint64_t *out);

int run_train(int argc, char **argv);
int run_tune(int argc, char **argv);
int run_refine(int argc, char **argv);
int run_plan(int argc, char **argv);
int run_sweep(int argc, char **argv);
int run_predict(int argc, char **argv);
int run_score(int argc, char **argv);
int run_verify(int argc, char **argv);
int run_audit(int argc, char **argv);
int run_statement(int argc, char **argv);
int run_ledger(int argc, char **argv);
int run_encode(int argc, char **argv);
int run_schema(int argc, char **argv);
int run_schema_draft(int argc, char **argv);
int run_schema_import(int argc, char **argv);
int run_demo(int argc, char **argv);
