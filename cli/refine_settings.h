/* The argument --refine: train takes it; commands that fit many models on the same records take a
 * schema that was refined before, and say so. */
#pragma once

#include <dperm.h>

#include "arguments.h"

/* The line of train's table. */
argument refine_argument(const char **word);
/* A share of epsilon above 0 and below 1; NaN for "auto", 0 for "ask" and "none". False with a
 * message. */
bool refine_share(const char *word, double *share);

/* A refinement counts records: fails where a file holds rows that are encoded already. */
dperm_status refine_check_source(const dperm_source *source, dperm_error *err);

/* The line of the others' tables, and the refusal of all but "none". */
argument refine_elsewhere_argument(const char **word);
bool refine_elsewhere(const char *word);
