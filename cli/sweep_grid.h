/* The grid of a sweep: every combination of its five lists, as words for the CSV and as options for
 * the library. */
#pragma once

#include "fit_settings.h"

/* A cell in words; "" where there is nothing to say, as the epsilon of mechanism none. Numbers are
 * written the shortest way that reads back to the same. */
typedef struct sweep_words {
  char loss[16], mechanism[16], noise[8], lambda[32], epsilon[32];
} sweep_words;

typedef struct sweep_grid {
  size_t count;
  sweep_words *words;
  dperm_options *options;
} sweep_grid;

/* `fit` has lists of losses, mechanisms, kinds of noise and lambdas, and one value of all else;
 * `epsilons` is a list, or NULL. What does not depend on a list is one cell: mechanism none has
 * neither noise nor epsilon, output perturbation has l2 noise only. False with a message. */
bool sweep_grid_build(const fit_settings *fit, const char *epsilons, sweep_grid *out);
void sweep_grid_free(sweep_grid *grid);
