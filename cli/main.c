/* dperm COMMAND [options]: finds the command and runs it. */
#include <dperm.h>
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "session.h"

const command commands[] = {
    {"train", "fit one model to a file of records", run_train, true},
    {"tune", "choose among candidates, privately, and fit", run_tune, true},
    {"plan", "what a fit will do, from public numbers only", run_plan, false},
    {"predict", "apply a model to records", run_predict, false},
    {"score", "count a model's errors: on public records, or privately", run_score, false},
    {"verify", "derive a model's privacy claim again, line by line", run_verify, false},
    {"sweep", "experiments on public records: errors over grids of settings", run_sweep, true},
    {"audit", "attack this build: a lower bound on the epsilon it really has", run_audit, false},
    {"statement", "a page for the person who must defend a release", run_statement, false},
    {"encode", "records as a binary file that is mapped, not read", run_encode, false},
    {"ledger", "the record of what was spent, and what is left", run_ledger, false},
    {"schema", "check a schema, or draft one from public records", run_schema, false},
    {"demo", "the whole way on built-in synthetic census records", run_demo, false},
};
const size_t command_count = sizeof commands / sizeof *commands;

static const command *find_command(const char *name) {
  for (size_t i = 0; i < command_count; i++) {
    if (strcmp(commands[i].name, name) == 0) {
      return &commands[i];
    }
  }
  return NULL;
}

static int print_overview(void) {
  printf("dperm %s: classifiers that do not betray the people in the training data\n\n"
         "usage: dperm COMMAND [options]\n\n",
         dperm_version());
  for (size_t i = 0; i < command_count; i++) {
    printf("  %-10s %s\n", commands[i].name, commands[i].summary);
  }
  printf("\n'dperm help COMMAND' explains one; start with 'dperm demo'.\n");
  return session_finish_stdout();
}

static int unknown_command(const char *name) {
  return wrong_usage("", "no command is called \"%.40s\"", name);
}

int main(int argc, char **argv) {
  session_keep_streams();
  if (argc < 2) {
    fprintf(stderr, "dperm: a command is missing; see 'dperm help'\n");
    return EXIT_WRONG_USAGE;
  }
  const char *name = argv[1];
  bool help = strcmp(name, "help") == 0;
  if ((strcmp(name, "--version") == 0 && argc > 2) || (help && argc > 3)) {
    return wrong_usage("", "\"%.40s\" is one word too many", argv[help ? 3 : 2]);
  }
  if (strcmp(name, "--version") == 0) {
    printf("dperm %s\n", dperm_version());
    return session_finish_stdout();
  }
  if ((help && argc == 2) || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
    return print_overview();
  }
  const command *found = find_command(help ? argv[2] : name);
  if (!found) {
    return unknown_command(help ? argv[2] : name);
  }
  session_catch_signals();
  static char help_flag[] = "--help";
  char *only_help[] = {help_flag, NULL};
  int exit_status = 0;
  if (session_join(found->name, found->many, &exit_status)) {
    exit_status = help ? found->run(1, only_help) : found->run(argc - 2, argv + 2);
  }
  session_quiet();
  exit_status = session_leave(exit_status);
  return exit_status ? exit_status : session_finish_stdout();
}
