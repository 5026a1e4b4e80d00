/* Collecting lines. */
#include "draft/draft_remarks.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json_text.h"

void draft_remark(json_t **remarks, const char *format, ...) {
  char words[1024], line[1024];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(words, sizeof words, format, args);
  va_end(args);
  dperm_text_visible(words, line, sizeof line); /* names and values may hold anything */
  json_append(remarks, json_string_nocheck(line));
}
