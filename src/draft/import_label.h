/* The label of an imported schema: its classes, which a dictionary must list. */
#pragma once

#include "dperm/draft.h"
#include "draft/dictionary.h"

/* The schema's "label", a new reference. Refuses a column that is no label: an identifier, or one
 * whose classes neither the dictionary nor the caller names. */
dperm_status import_label_json(dictionary *d, dictionary_column *column,
                               const dperm_import_options *options, json_t **out, dperm_error *err);
