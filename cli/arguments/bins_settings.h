/* The arguments --bins and --refine: what numeric columns become, and whether the records have a
 * say in it for a share of epsilon. */
#pragma once

#include <dperm.h>

#include "arguments/arguments.h"

typedef struct bins_settings {
  const char *bins, *refine;
} bins_settings;

/* Lines of the table: --bins for all that fit; --refine for train and plan. */
argument bins_argument(const char **word);
argument refine_argument(const char **word);
/* What both come to, into options. False with a message. */
bool bins_choose(const bins_settings *given, dperm_options *options);
/* Whether there is a schema where --refine asks for one. */
bool refine_has_schema(const bins_settings *given, const char *schema);

/* The lines of commands that fit many models on the same records, and the refusal of all but
 * "none": they take a schema that was refined before. */
argument refine_elsewhere_argument(const char **word);
bool refine_elsewhere(const char *word);
