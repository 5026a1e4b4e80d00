/* What train and tune share: records in, one model out, one charge, a line or JSON about it. */
#pragma once

#include <dperm/tune.h>

#include "arguments/fit_settings.h"
#include "commands/charged_run.h"

typedef struct fit_command {
  fit_settings fit;
  charged_run ledger;
  const char *data, *schema, *out;
  dperm_format format;
  size_t dims;
  bool force;
} fit_command;

/* FIT_COMMAND_ARGUMENTS lines of the argument table from table[0] on; `many` as in fit_settings. */
enum {
  FIT_COMMAND_OWN = 7,
  FIT_COMMAND_ARGUMENTS = FIT_COMMAND_OWN + FIT_ARGUMENTS + CHARGED_RUN_ARGUMENTS
};
void fit_command_init(fit_command *command, bool many, argument *table);

/* How to choose among candidates. */
typedef struct fit_choice {
  dperm_tune_options how;
  const char *public_data;
} fit_choice;

/* Trains the one candidate (`choice` is NULL), or chooses among them. */
dperm_status fit_command_run(fit_command *command, dperm_options *candidates, size_t count,
                             fit_choice *choice, dperm_error *err);
