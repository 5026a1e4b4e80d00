/* See schema_command.h. */
#include "commands/schema_command.h"

#include <stdlib.h>
#include <string.h>

#include "output/message.h"

const char **split_texts(const char *list, size_t *count) {
  size_t length = strlen(list) + 1;
  *count = 1;
  for (const char *c = list; *c; c++) {
    *count += *c == ',';
  }
  const char **texts = malloc(*count * sizeof *texts + length);
  char *at = texts ? memcpy(texts + *count, list, length) : NULL;
  for (size_t i = 0; texts && i < *count; i++) {
    texts[i] = at;
    at += strcspn(at, ",");
    *at++ = '\0';
  }
  return texts;
}

void print_remark(void *context, const char *line) {
  size_t *count = context;
  if (count) {
    ++*count;
  }
  note("remark: %s", line);
}
