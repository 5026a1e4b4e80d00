/* Scripts that complete dperm's commands, options and values in a shell, to stdout. */
#pragma once

#include "arguments.h"

/* False if `shell` is none of bash, zsh and fish. */
bool completion_print(const char *shell, const command *commands, size_t count);
