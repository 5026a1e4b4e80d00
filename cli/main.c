/* dperm COMMAND [options]: finds the command and runs it. */
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "guide.h"
#include "help.h"
#include "session.h"

static const command commands[] = {
    {"train", "fit one model to a file of records", run_train, true, NULL},
    {"tune", "choose among candidates, privately, and fit", run_tune, true, NULL},
    {"plan", "what a fit will do, from public numbers only", run_plan, false, NULL},
    {"predict", "apply a model to records", run_predict, false, NULL},
    {"score", "count a model's errors: on public records, or privately", run_score, false, NULL},
    {"verify", "derive a model's privacy claim again, line by line", run_verify, false, NULL},
    {"sweep", "experiments on public records: errors over grids of settings", run_sweep, true,
     NULL},
    {"audit", "attack this build: a lower bound on the epsilon it really has", run_audit, false,
     NULL},
    {"statement", "a page for the person who must defend a release", run_statement, false, NULL},
    {"encode", "records as a binary file that is mapped, not read", run_encode, false, NULL},
    {"ledger", "the record of what was spent, and what is left", run_ledger, false, NULL},
    {"schema", "check a schema, or draft one from public records", run_schema, false, "draft"},
    {"demo", "the whole way on built-in synthetic census records", run_demo, false, NULL},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* The library ignores what is no number of threads; a person should know. */
static bool threads_understood(void) {
  const char *text = getenv("DPERM_THREADS");
  uint64_t threads = 0;
  if (!text || !*text || (read_whole(text, &threads) && threads > 0 && threads <= 4096)) {
    return true;
  }
  return refuse(
      wrong_usage("DPERM_THREADS must be a whole number from 1 to 4096, not \"%.40s\"", text));
}

int main(int argc, char **argv) {
  session_keep_streams();
  int exit_status = 0;
  if (guide(commands, COMMANDS, argc, argv, &exit_status)) {
    return exit_status;
  }
  const command *found = command_named(commands, COMMANDS, argv[1]);
  session_catch_signals();
  arguments_announce(found, help_print, NULL);
  exit_status = session_join(found->many) && threads_understood() ? found->run(argc - 2, argv + 2)
                                                                  : refused();
  session_quiet();
  exit_status = session_leave(exit_status);
  return exit_status ? exit_status : session_finish_stdout();
}
