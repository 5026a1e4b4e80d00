/* The argument --refine: train takes it; commands that fit many models on the same records take a
 * schema that was refined before, and say so. */
#pragma once

#include <dperm.h>

#include "arguments.h"
#include "fit_settings.h"

/* The line of train's table. */
argument refine_argument(const char **word);
/* What train does before it fits. */
typedef struct refine_choice {
  bool refined; /* for a share of epsilon the records make the schema first; */
  double share; /* NaN: the usual one; 0: they choose between lines and bins, */
  bool unasked; /* by default, so only where it can be done */
} refine_choice;
/* What `word`, the target of --refine, comes to beside these settings. By default the records
 * choose between lines and bins wherever they can be asked: `readable` more than once, CSV. False
 * with a message. */
bool refine_choose(const char *const *word, const fit_settings *fit, const dperm_options *options,
                   const char *schema, bool readable, refine_choice *out);
/* Whether numeric columns without bins may get some. */
bool refine_may_bin(const refine_choice *choice, const fit_settings *fit);

/* A refinement counts records: fails where a file holds rows that are encoded already. */
dperm_status refine_check_source(const dperm_source *source, dperm_error *err);

/* The line of the others' tables, and the refusal of all but "none". */
argument refine_elsewhere_argument(const char **word);
bool refine_elsewhere(const char *word);
