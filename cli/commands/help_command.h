/* dperm help [COMMAND [ACTION]]: as text, with --man as manual pages. */
#pragma once

#include "arguments/arguments.h"

/* argv[0] is the first word after "help". Returns the exit status. */
int help_command(const command *commands, int argc, char **argv);
