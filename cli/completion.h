/* Scripts that complete dperm's commands, options and values in a shell, to stdout. */
#ifndef DPERM_CLI_COMPLETION_H
#define DPERM_CLI_COMPLETION_H

#include "arguments.h"

/* False if `shell` is none of bash, zsh and fish. */
bool completion_print(const char *shell, const command *commands, size_t count);

#endif
