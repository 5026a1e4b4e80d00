/* See usage.h. */
#include "usage.h"

#include <stdarg.h>
#include <stdio.h>

int wrong_usage(const char *command_name, const char *format, ...) {
  char sentence[512];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  for (char *c = sentence; *c; c++) { /* one line, whatever the arguments hold */
    if ((unsigned char)*c < 0x20 || *c == 0x7f) {
      *c = '?';
    }
  }
  fprintf(stderr, "dperm: %s%s%s; see 'dperm help%s%s'\n", command_name, *command_name ? ": " : "",
          sentence, *command_name ? " " : "", command_name);
  return EXIT_WRONG_USAGE;
}
