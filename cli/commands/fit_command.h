/* What train and tune share: records in, one model file out, one charge, and a line for people or
 * JSON about it. */
#pragma once

#include <dperm/tune.h>

#include "arguments/fit_settings.h"
#include "commands/ledger_settings.h"

typedef struct fit_command {
  fit_settings fit;
  ledger_settings ledger;
  const char *data, *schema, *out, *format;
  size_t dims, threads;
  uint64_t seed;
  bool json;
} fit_command;

/* Lines of the argument table from table[0] on, and behind the `own` ones of the command. */
enum {
  FIT_COMMAND_FIRST = 8,
  FIT_COMMAND_ARGUMENTS = FIT_COMMAND_FIRST + FIT_ARGUMENTS + LEDGER_ARGUMENTS
};
void fit_command_init(fit_command *command, argument *table, size_t own);
/* What is wrong with them, where the table cannot know; false with a message. */
bool fit_command_check(const fit_command *command);

/* How to choose among candidates. */
typedef struct fit_choice {
  dperm_tune_options how;
  const char *method, *public_data;
} fit_choice;

/* Trains the one candidate (`choice` is NULL), or chooses among them; a charge is `is_private` or
 * refused. Returns the exit status. */
int fit_command_run(fit_command *command, dperm_options *candidates, size_t count,
                    fit_choice *choice, bool is_private);
