/* A command's page as text for a terminal of 80 columns. */
#pragma once

#include "usage.h"

/* A page_reader: prints to stdout. */
void help_print(void *context, const command_page *page);

/* The words of `text` from column `at` on, on lines of at most 80 columns whose later ones begin at
 * `indent`, and the end of the line. */
void help_wrap(const char *text, size_t at, size_t indent);
