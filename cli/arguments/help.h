/* Help and completion by shells, made from the tables of arguments. */
#pragma once

#include "arguments/arguments.h"

/* dperm help [--table] [COMMAND [ACTION]]: text for a terminal, or for tests what is read and
 * written. argv[0] is the first word after "help". */
dperm_status help_command(const command *commands, int argc, char **argv, dperm_error *err);

/* One command, or one action of it. */
dperm_status help_of(const command *c, const char *action, dperm_error *err);
/* A page_reader: one command, as text of 80 columns. */
void help_print(void *context, const command_page *page);
/* Prints the words of a text from column `at` on, in lines of at most 80 columns whose later ones
 * begin at `indent`, and ends the line. The text is ASCII, so bytes are columns. */
void print_wrapped(const char *text, size_t length, size_t at, size_t indent);

/* cmd_completion.c: dperm __complete WORD..., which its scripts call: the words so far, the last of
 * them at the cursor and maybe empty. A line for each candidate, whether or not it begins like that
 * word; the line FILE where a file may be named. */
dperm_status completion_candidates(const command *commands, int argc, char **argv,
                                   dperm_error *err);
