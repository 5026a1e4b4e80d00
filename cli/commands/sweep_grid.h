/* The grid of a sweep: every combination of its five lists, as words for the CSV and as options for
 * the library. */
#pragma once

#include "arguments/fit_settings.h"
#include "output/sweep_table.h"

/* `fit` has lists of losses, mechanisms, kinds of noise and lambdas, and one value of all else;
 * `epsilons` is a list, or NULL. What does not depend on a list is one cell: mechanism none has
 * neither noise nor epsilon, output perturbation has l2 noise only. Into a table that is empty;
 * false with a message. */
bool sweep_grid_build(const fit_settings *fit, const char *epsilons, sweep_table *out);
