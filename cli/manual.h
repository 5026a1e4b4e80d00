/* Manual pages in the man macros, to stdout: dperm(1), and dperm-train(1) and the like. */
#pragma once

#include "arguments.h"

void manual_overview(const command *commands, size_t count);
/* Of one command, and its action if it has one; `commands` are all, to refer to. */
void manual_of(const command *described, const command *commands, size_t count);
