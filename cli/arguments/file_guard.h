/* Which files a command may not write: one of its inputs, one output twice, and a ledger, whoever
 * named it and by whatever name or link. One check for all commands, on their table of arguments.
 */
#pragma once

#include "arguments/arguments.h"

/* Of a parsed table: every output that was given, and what standard output and standard error are
 * sent to. Refuses standard input that is named twice, too. False with a message. */
bool files_agree(const argument *table, size_t count);

/* The same for one more file that is going to be written, and that no output is it; `what` names it
 * in messages. */
bool file_allowed(const char *what, const char *path, const argument *table, size_t count);
