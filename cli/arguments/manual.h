/* Manual pages in the man macros, to stdout. */
#pragma once

#include "arguments/arguments.h"

/* dperm(1) if `described` is NULL; else that command's, and its actions' if it has any, as in
 * dperm-train(1). */
void manual_print(const command *commands, const command *described);
