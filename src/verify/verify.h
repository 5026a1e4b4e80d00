/* The check of a model's claim, as a list of lines. Reading the file is the caller's. */
#pragma once

#include "base/json_text.h"
#include "verify/finding.h"

/* `doubt` is why those who use models would refuse this one, or NULL: what nobody can use has no
 * claim that holds. `paid` may be NULL. Fails if the document is no model of dperm's. */
dperm_status verify_document(const json_document *doc, const char *doubt, const charged_entry *paid,
                             dperm_verify_line *line, void *context, bool *holds, dperm_error *err);
