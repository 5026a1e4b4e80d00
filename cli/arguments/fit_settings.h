/* The arguments that say how to fit, shared by the commands that fit, tune or plan. Where tune
 * takes a list ("1e-3,1e-2"), the others take a list of one. */
#pragma once

#include <dperm.h>

#include "arguments/arguments.h"
#include "arguments/bins_settings.h"

typedef struct fit_settings {
  const char *loss, *h, *lambda, *gamma, *features; /* lists */
  const char *mechanism, *analysis, *noise, *kernel, *features_kind, *class_weights;
  const char *neighbours, *rows_about, *multiclass;
  double epsilon, delta, delta_reg, norm_guess;
  size_t rows_per_person;
  bins_settings bins; /* --refine is the command's own line */
} fit_settings;

enum { FIT_ARGUMENTS = 20 };

/* Defaults, and their lines of the argument table from table[0] on: FIT_ARGUMENTS of them. */
void fit_settings_init(fit_settings *settings, argument *table);

/* Settings into options, one for each combination of the lists, in an array that the caller frees
 * in any case. False with a message about what is wrong: an empty or repeating list among it. */
bool fit_settings_grid(const fit_settings *settings, dperm_options **options, size_t *count);
/* The same where each list must have one element. */
bool fit_settings_one(const fit_settings *settings, dperm_options *options);

/* A line if delta is so large that it protects nobody in particular: above 1/rows one record in so
 * many may be shown to everybody. */
void delta_warn(const dperm_options *options, size_t rows);
