/* The arguments that give a share of epsilon to something after the fit, of train and plan: a
 * table, with all that these commands say of it. Commands without such a share refuse them. */
#pragma once

#include <dperm.h>
#include <jansson.h>

#include "arguments/arguments.h"

enum { SHARE_ARGUMENTS = 1 };

typedef struct share_settings {
  const char *words[SHARE_ARGUMENTS]; /* as they were given */
} share_settings;

/* Fills SHARE_ARGUMENTS lines of a command's table; `elsewhere`: of one that refuses them. */
void share_settings_init(share_settings *s, bool elsewhere, argument *table);
bool share_settings_choose(const share_settings *s, dperm_options *options);
bool share_settings_elsewhere(const share_settings *s);

/* A line for each share that so few rows make no good use of. */
void share_settings_warn(const dperm_options *options, size_t rows);
/* A line for each that a model has, by the report of its run (docs/formats.md). */
void share_settings_say(const json_t *report, const char *name);
/* Lines of a plan; true if there are any. */
bool share_settings_print_plan(const json_t *plan);
