/* See help_command.h. With --table, for tests: what is read and written, from the very tables. */
#include "commands/help_command.h"

#include <stdio.h>
#include <string.h>

#include "arguments/help.h"
#include "arguments/manual.h"
#include "output/message.h"

/* A page_reader. */
static void print_table(void *context, const command_page *page) {
  static const char *const kinds[] = {"text",     "input", "output", "number",
                                      "positive", "count", "seed",   "flag"};
  (void)context;
  const argument *first = &page->table[0];
  bool action = page->count > 0 && strcmp(first->name, "action") == 0;
  for (size_t i = 0; i < page->count; i++) {
    const argument *a = &page->table[i];
    printf("%s %s %s %s %s %s\n", page->name, action ? first->value : "-", a->name, kinds[a->kind],
           a->required ? "required" : "optional", *argument_value(a) ? argument_value(a) : "-");
  }
}

/* The two words that are no commands with a table; false for others. */
static bool explain_own(const char *word) {
  if (strcmp(word, "completion") == 0) {
    printf("usage: dperm completion bash|zsh|fish\n\n"
           "Prints a script that completes commands, options and values in that shell:\n"
           "source <(dperm completion bash), the same with zsh, or\n"
           "dperm completion fish | source.\n");
  } else if (strcmp(word, "help") == 0) {
    printf("usage: dperm help [COMMAND [ACTION]]\n\n"
           "Lists the commands, or explains one; so does COMMAND --help.\n");
  } else {
    return false;
  }
  return true;
}

typedef struct wanted_action {
  const char *name;
  bool found;
} wanted_action;

/* A page_reader: prints a page of that action, and no other. */
static void print_action(void *context, const command_page *page) {
  wanted_action *action = context;
  const argument *first = &page->table[0];
  action->found = strcmp(first->name, "action") == 0 && strcmp(first->value, action->name) == 0 &&
                  !strchr(action->name, '|');
  if (action->found) {
    help_print(NULL, page);
  }
}

static int help_of(const command *c, const char *action) {
  wanted_action wanted = {action, false};
  command_visit_one(c, action, action ? print_action : help_print, &wanted);
  usage_of("");
  return !action || wanted.found
             ? finish_stdout()
             : wrong_usage("%s has no action called \"%.40s\"", c->name, action);
}

int help_command(const command *commands, int argc, char **argv) {
  bool man = argc > 0 && strcmp(argv[0], "--man") == 0;
  bool table = argc > 0 && strcmp(argv[0], "--table") == 0;
  argc -= man || table;
  argv += man || table;
  if (argc == 1 && !man && !table && explain_own(argv[0])) {
    return finish_stdout();
  }
  const command *c = argc > 0 ? command_named(commands, argv[0]) : NULL;
  if (argc > 0 && !c) {
    return wrong_usage("no command is called \"%.40s\"", argv[0]);
  }
  int most = man || table ? 1 : 2;
  if (argc > most) {
    return wrong_usage("\"%.40s\" is one word too many", argv[most]);
  }
  for (const command *t = commands; table && t->name; t++) {
    if (!c || t == c) {
      command_visit(t, print_table, NULL);
    }
  }
  if (man) {
    manual_print(commands, c);
  } else if (c && !table) {
    return help_of(c, argc > 1 ? argv[1] : NULL);
  } else if (!table) {
    help_overview(commands);
  }
  return finish_stdout();
}
