/* Collecting lines. */
#include "draft/draft_remarks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

dperm_status draft_remark(draft_remarks *remarks, dperm_error *err, const char *format, ...) {
  char words[1024], line[1024];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(words, sizeof words, format, args);
  va_end(args);
  dperm_text_visible(words, line, sizeof line); /* names and values may hold anything */
  TRY(memory_reserve(&remarks->lines, &remarks->capacity, remarks->count + 1,
                     sizeof *remarks->lines, err));
  TRY(memory_copy_text(line, strlen(line), &remarks->lines[remarks->count], err));
  remarks->count++;
  return DPERM_OK;
}

void draft_remarks_clear(draft_remarks *remarks) {
  for (size_t i = 0; i < remarks->count; i++) {
    free(remarks->lines[i]);
  }
  free(remarks->lines);
  *remarks = (draft_remarks){0};
}
