/* The argument --calibrate, of train and of plan: which share of epsilon chooses the temperature of
 * a model's probabilities. */
#pragma once

#include <dperm.h>

#include "arguments/arguments.h"

/* Its line of the table. */
argument calibrate_argument(const char **word);
/* What `word` comes to, into options; false with a message. */
bool calibrate_choose(const char *word, dperm_options *options);
/* The line of tables of commands that fit many models, and the refusal of all but "none". */
argument calibrate_elsewhere_argument(const char **word);
bool calibrate_elsewhere(const char *word);
/* A line if so few rows cannot tell temperatures apart at what the choice has of epsilon. */
void calibrate_warn(const dperm_options *options, size_t rows);
