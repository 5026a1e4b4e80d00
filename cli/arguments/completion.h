/* Completion in shells: a short script for each, which asks the command itself for the words that
 * may stand where the cursor is. */
#pragma once

#include "arguments/arguments.h"

/* dperm completion SHELL: the script, to stdout. Returns the exit status. */
int completion_script(int argc, char **argv);

/* dperm __complete WORD...: the words so far, the last of them at the cursor and maybe empty. A
 * line for each candidate, whether or not it begins like that word, with a tab and a text behind it
 * where there is one; the line FILE where a file may be named. */
int completion_candidates(const command *commands, int argc, char **argv);
