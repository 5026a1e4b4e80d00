/* Manual pages, from the tables of arguments. */
#pragma once

#include "arguments/arguments.h"

/* dperm(1) if `described` is NULL; else dperm-train(1) and the like. */
void manual_print(const command *commands, const command *described);
