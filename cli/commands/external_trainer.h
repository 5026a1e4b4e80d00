/* Outcomes of somebody else's trainer, for an audit of it: a command that is given a file of
 * records and a number, and prints that many independent results. */
#pragma once

#include <dperm.h>

typedef struct trainer_outcomes {
  double *values[2]; /* `count` outcomes of `dims` numbers for each data set */
  size_t count, dims;
} trainer_outcomes;

/* `first` and `second` are the two files, or NULL for dperm's own pair. */
dperm_status trainer_run(const char *line, const char *first, const char *second, size_t draws,
                         trainer_outcomes *out, dperm_error *err);
void trainer_outcomes_clear(trainer_outcomes *outcomes);
