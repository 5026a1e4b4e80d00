/* Outcomes of somebody else's trainer, for an audit of it: a command that is given a file of
 * records and a number, and prints that many independent results. */
#pragma once

#include <dperm.h>
#include <stdbool.h>

typedef struct command_outcomes {
  double *values[2]; /* `count` outcomes of `dims` numbers for each data set */
  size_t count, dims;
} command_outcomes;

/* `first` and `second` are the two files, or NULL for dperm's own pair. */
dperm_status command_run(const char *line, const char *first, const char *second, size_t draws,
                         command_outcomes *out, dperm_error *err);
void command_clear(command_outcomes *outcomes);
