/* The arguments --neighbours and --rows-about: whom epsilon compares, and the public figure that
 * stands for the number of records where that is private. */
#pragma once

#include <dperm.h>

#include "arguments/arguments.h"

/* Lines of a table, with the default of the first. */
argument neighbours_argument(const char **word);
argument rows_about_argument(const char **word);

/* Both together: a figure, in `about`, exactly where records are added and removed, else 0. False
 * with a message. */
bool neighbours_choose(const char *word, const char *figure, dperm_neighbours *neighbours,
                       size_t *about);
