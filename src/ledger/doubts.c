/* See doubts.h. A line may quote what is in the file, which anybody may have written: it is kept
 * to one line of plain characters. */
#include "ledger/doubts.h"

#include <stdarg.h>
#include <stdio.h>

enum { TOLD_MOST = 20 };

static void write_line(char line[DOUBT_SIZE], const char *format, va_list args) {
  (void)vsnprintf(line, DOUBT_SIZE, format, args);
  for (char *c = line; *c; c++) {
    if (*c < 0x20 || *c > 0x7e) {
      *c = '?';
    }
  }
}

void doubt(doubts *found, const char *format, ...) {
  char line[DOUBT_SIZE];
  va_list args;
  va_start(args, format);
  write_line(found->count == 0 ? found->first : line, format, args);
  va_end(args);
  found->count++;
  if (found->line && found->count <= TOLD_MOST) {
    found->line(found->context, DPERM_FINDING_FAILS, found->count == 1 ? found->first : line);
  }
}

void doubts_tell(doubts *found, dperm_finding finding, const char *format, ...) {
  char line[DOUBT_SIZE];
  va_list args;
  va_start(args, format);
  write_line(line, format, args);
  va_end(args);
  if (found->line) {
    found->line(found->context, finding, line);
  }
}

void doubts_close(const doubts *found) {
  if (found->count > TOLD_MOST && found->line) {
    found->line(found->context, DPERM_FINDING_FAILS, "and more that does not fit");
  }
}
