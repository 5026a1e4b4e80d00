/* The arguments that say how to fit, shared by the commands that fit or plan to. */
#ifndef DPERM_CLI_FIT_SETTINGS_H
#define DPERM_CLI_FIT_SETTINGS_H

#include <dperm.h>

#include "arguments.h"

typedef struct fit_settings {
  const char *loss, *mechanism, *analysis;
  double epsilon, h, lambda, delta_reg, norm_guess;
} fit_settings;

enum { FIT_ARGUMENTS = 8 };

/* Defaults, and their lines of the argument table from table[0] on: FIT_ARGUMENTS of them. */
void fit_settings_init(fit_settings *settings, argument *table);

/* Settings into options; false with a message about what is wrong. */
bool fit_settings_apply(const fit_settings *settings, const char *command_name,
                        dperm_options *options, int *exit_status);

/* "objective", "output", "none"; "tight", "paper". */
const char *mechanism_name(dperm_mechanism mechanism);
const char *analysis_name(dperm_analysis analysis);

#endif
