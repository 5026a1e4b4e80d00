/* See message.h. */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE = 4096 };

static bool quiet;

__attribute__((format(printf, 2, 0))) static void print_line(const char *before, const char *format,
                                                             va_list args) {
  char words[LINE], line[LINE];
  (void)vsnprintf(words, sizeof words, format, args);
  dperm_text_visible(words, line, sizeof line);
  fprintf(stderr, "%s%s\n", before, line);
}

int complain(const char *format, ...) {
  va_list args;
  va_start(args, format);
  print_line("dperm: ", format, args);
  va_end(args);
  return EXIT_WORK_FAILED;
}

int complain_of_memory(void) {
  return complain("out of memory; close other programs");
}

dperm_status fail(dperm_error *err, dperm_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  err->status = status;
  (void)vsnprintf(err->message, sizeof err->message, format, args);
  va_end(args);
  return status;
}

void note(const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (!quiet) {
    print_line("", format, args);
  }
  va_end(args);
}

void notes_off(void) {
  quiet = true;
}

bool notes_are_off(void) {
  return quiet;
}

visible_text visible(const char *text) {
  visible_text out;
  dperm_text_visible(text, out.text, sizeof out.text);
  return out;
}
