/* Remarks of a schema draft: a list of lines, collected while it is made and given out only once it
 * succeeded. */
#pragma once

#include <jansson.h>

/* Adds a line, visible (dperm_text_visible); what is too long is cut. Where memory ran out the list
 * is NULL from then on. */
void draft_remark(json_t **remarks, const char *format, ...) __attribute__((format(printf, 2, 3)));
