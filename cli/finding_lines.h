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
  size_t count, capacity;
  bool out_of_memory;
} findings;

/* A dperm_verify_line with findings as its context. */
void findings_collect(void *context, dperm_finding finding, const char *line);
void findings_clear(findings *all);

void findings_print(const findings *all);
/* `verdicts` are the words for what does not hold and for what does. */
void findings_print_json(const findings *all, int holds, const char *const verdicts[2]);
/* One line on stderr with the first finding that fails, "dperm: path: what; finding"; returns 1. */
int findings_report(const findings *all, const char *path, const char *what);
