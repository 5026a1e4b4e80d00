/* What the command says about itself: overview, help, version, manual pages, completion. */
#pragma once

#include "arguments.h"

/* "help", "completion" and calls with an option in place of a command. Returns false if argv[1] is
 * something else; true with the exit status otherwise. */
bool guide(const command *commands, size_t count, int argc, char **argv, int *exit_status);

/* NULL if none has the name. */
const command *command_named(const command *commands, size_t count, const char *name);
