/* See guide.h. */
#include "guide.h"

#include <dperm.h>
#include <stdio.h>
#include <string.h>

#include "command_visit.h"
#include "completion.h"
#include "help.h"
#include "manual.h"
#include "session.h"

const command *command_named(const command *commands, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(commands[i].name, name) == 0) {
      return &commands[i];
    }
  }
  return NULL;
}

static void print_overview(const command *commands, size_t count) {
  printf("dperm %s: classifiers that do not betray the people in the training data\n\n"
         "usage: dperm COMMAND [options]\n\n",
         dperm_version());
  for (size_t i = 0; i < count; i++) {
    printf("  %-10s %s\n", commands[i].name, commands[i].summary);
  }
  putchar('\n');
  help_wrap(
      "'dperm help COMMAND' explains one, 'dperm completion SHELL' completes them in bash, zsh or "
      "fish, 'dperm -V' tells the version; start with 'dperm demo'.",
      0, 0);
}

/* For tests: what is read and what is written, from the very tables. */
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

static int unknown_command(const char *name) {
  return wrong_usage("no command is called \"%.40s\"", name);
}

static int too_many(const char *word) {
  return wrong_usage("\"%.40s\" is one word too many", word);
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

/* help [--man] [COMMAND [ACTION]] */
static int help(const command *commands, size_t count, int argc, char **argv) {
  bool man = argc > 0 && strcmp(argv[0], "--man") == 0;
  bool table = argc > 0 && strcmp(argv[0], "--table") == 0;
  argc -= man || table;
  argv += man || table;
  const command *c = argc > 0 ? command_named(commands, count, argv[0]) : NULL;
  const char *action =
      c && argc > 1 && c->action && strcmp(c->action, argv[1]) == 0 ? argv[1] : NULL;
  if (argc == 1 && !man && !table && explain_own(argv[0])) {
    return session_finish_stdout();
  }
  if (argc > 0 && !c) {
    return unknown_command(argv[0]);
  }
  if (argc > (action ? 2 : 1)) {
    return too_many(argv[action ? 2 : 1]);
  }
  if (!c && !man && !table) {
    print_overview(commands, count);
  } else if (!c && man) {
    manual_overview(commands, count);
  } else if (!c) {
    for (size_t i = 0; i < count; i++) {
      command_visit(&commands[i], print_table, NULL);
    }
  } else if (man) {
    manual_of(c, commands, count);
  } else if (table) {
    command_visit(c, print_table, NULL);
  } else {
    command_visit_one(c, action, help_print, NULL);
  }
  return session_finish_stdout();
}

static int complete(const command *commands, size_t count, int argc, char **argv) {
  if (argc != 1) {
    return argc ? too_many(argv[1]) : wrong_usage("completion: name a shell: bash, zsh or fish");
  }
  if (!completion_print(argv[0], commands, count)) {
    return wrong_usage("completion is for bash, zsh and fish, not \"%.40s\"", argv[0]);
  }
  return session_finish_stdout();
}

bool guide(const command *commands, size_t count, int argc, char **argv, int *exit_status) {
  const char *word = argc > 1 ? argv[1] : "";
  bool version = strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0;
  bool overview = strcmp(word, common_arguments[HELP].name) == 0 ||
                  strcmp(word, common_arguments[HELP].letter) == 0;
  if (argc < 2) {
    *exit_status = wrong_usage("a command is missing");
  } else if (version && argc > 2) {
    *exit_status = too_many(argv[2]);
  } else if (version) {
    printf("dperm %s\n", dperm_version());
    *exit_status = session_finish_stdout();
  } else if (overview) {
    *exit_status = help(commands, count, 0, NULL);
  } else if (strcmp(word, "help") == 0) {
    *exit_status = help(commands, count, argc - 2, argv + 2);
  } else if (strcmp(word, "completion") == 0) {
    *exit_status = complete(commands, count, argc - 2, argv + 2);
  } else if (!command_named(commands, count, word)) {
    *exit_status = unknown_command(word);
  } else {
    return false;
  }
  return true;
}
