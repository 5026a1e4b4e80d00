/* See ledger_findings.h. A line may quote what is in the file, which anybody may have written: it
 * is kept to one line of plain characters. */
#include "ledger/ledger_findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void findings_add(findings *found, dperm_finding kind, const char *format, ...) {
  char line[FINDING_SIZE];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(line, sizeof line, format, args);
  va_end(args);
  for (char *c = line; *c; c++) {
    *c = (char)(*c < 0x20 || *c > 0x7e ? '?' : *c);
  }
  if (kind == DPERM_FINDING_FAILS && found->failures++ == 0) {
    memcpy(found->first, line, sizeof line);
  }
  if (found->line && (kind != DPERM_FINDING_FAILS || found->failures <= FINDINGS_SHOWN)) {
    found->line(found->context, kind, line);
  }
}
