/* The lines of a verification, collected since the verdict comes first in JSON, and printed. */
#pragma once

#include <dperm.h>
#include <dperm/verify.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct found_line {
  dperm_finding finding;
  char *text;
} found_line;

typedef struct findings {
  found_line *lines;
  size_t count;
  bool out_of_memory;
} findings;

/* A dperm_verify_line with findings as its context. */
void findings_collect(void *context, dperm_finding finding, const char *line);
void findings_clear(findings *all);

/* On stdout, with `verdicts` as the words for what does not hold and for what does. If it does not,
 * also one line on stderr with the first finding that fails, "dperm: path: subject verdict;
 * finding". Returns the exit status. */
int findings_show(const findings *all, const char *path, const char *subject,
                  const char *const verdicts[2], bool holds, bool json);
