/* The lines of a verification, collected since the verdict comes first in JSON, and printed. */
#pragma once

#include <dperm/verify.h>
#include <jansson.h>
#include <stdbool.h>

/* A dperm_verify_line whose context is an array for them. */
void findings_collect(void *lines, dperm_finding finding, const char *line);

/* On stdout, with `verdicts` as the words for what does not hold and for what does. If it does not,
 * fails with the first finding that fails, "path: subject verdict; finding". */
dperm_status findings_show(const json_t *lines, const char *path, const char *subject,
                           const char *const verdicts[2], bool holds, bool json, dperm_error *err);
