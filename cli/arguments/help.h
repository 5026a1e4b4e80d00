/* Help as text for a terminal of 80 columns, to stdout. */
#pragma once

#include "arguments/arguments.h"

/* The commands, in a line each. */
void help_overview(const command *commands);

/* One command: a page_reader. */
void help_print(void *context, const command_page *page);
