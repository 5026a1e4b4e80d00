/* See command_visit.h. Every page comes from the table that the command parses its arguments by: it
 * is called with --help, and the reader of the moment gets the table. */
#include "command_visit.h"

#include <stdio.h>

void command_visit_one(const command *c, const char *action, page_reader *reader, void *context) {
  static char help_flag[] = "--help";
  char word[32];
  char *words[3] = {word, help_flag, NULL};
  (void)snprintf(word, sizeof word, "%s", action ? action : "");
  arguments_announce(c, reader, context);
  (void)c->run(action ? 2 : 1, action ? words : words + 1);
}

void command_visit(const command *c, page_reader *reader, void *context) {
  command_visit_one(c, NULL, reader, context);
  if (c->action) {
    command_visit_one(c, c->action, reader, context);
  }
}
