/* Remarks of a schema draft: collected while it is made, given out only once it succeeded. */
#pragma once

#include "base/status.h"

/* Zeroed is empty. */
typedef struct draft_remarks {
  char **lines;
  size_t count, capacity;
} draft_remarks;

/* One line, visible (dperm_text_visible); what is too long is cut. */
dperm_status draft_remark(draft_remarks *remarks, dperm_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void draft_remarks_clear(draft_remarks *remarks);
