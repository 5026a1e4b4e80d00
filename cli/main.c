/* dperm COMMAND [options]: finds the command and runs it. */

#include "arguments/help.h"
#include "commands/commands.h"
#include "output/mpi_job.h"
#include "output/signals.h"

static const command commands[] = {
    {"train", "fit one model to a file of records", run_train, true, NULL},
    {"tune", "choose among candidate settings privately, and fit a model", run_tune, true, NULL},
    {"refine", "refine a schema with private records, at a cost in epsilon", run_refine, true,
     NULL},
    {"plan", "show what a fit will do, from public numbers only", run_plan, false, NULL},
    {"predict", "apply a model to records", run_predict, false, NULL},
    {"score", "count a model's errors, on public records or privately", run_score, false, NULL},
    {"explain", "show what a model says, and what of it is only noise", run_explain, false, NULL},
    {"verify", "recheck a model's privacy claim step by step", run_verify, false, NULL},
    {"sweep", "measure errors on public records over grids of settings", run_sweep, true, NULL},
    {"audit", "attack this build to find an empirical lower bound on epsilon", run_audit, false,
     NULL},
    {"statement", "write a privacy statement for reviewers and lawyers", run_statement, false,
     NULL},
    {"encode", "convert records to a memory-mapped binary file", run_encode, false, NULL},
    {"ledger", "manage a privacy-budget ledger", NULL, false, ledger_actions},
    {"schema", "check a schema, draft one from public records, or import one", NULL, false,
     schema_actions},
    {"completion", "print a shell completion script", run_completion, false, NULL},
    {"demo", "run a demonstration on synthetic census records", run_demo, false, NULL},
    {0},
};

/* The library ignores what is no number of threads; a person should know. */
static dperm_status threads_understood(dperm_error *err) {
  const char *text = getenv("DPERM_THREADS");
  uint64_t threads = 0;
  if (!text || !*text || (read_whole(text, &threads) && threads > 0 && threads <= 4096)) {
    return DPERM_OK;
  }
  return wrong_usage(err, "DPERM_THREADS must be a whole number from 1 to 4096, not \"%.40s\"",
                     text);
}

static dperm_status run_in_job(const command *c, int argc, char **argv, dperm_error *err) {
  TRY(job_join(c->many, err));
  TRY(threads_understood(err));
  return c->run(argc, argv, err);
}

static dperm_status run(const command *c, int argc, char **argv, dperm_error *err) {
  const command *parent = NULL;
  if (c->actions && argc > 0 && argument_is_common(argv[0], HELP)) {
    return help_of(c, NULL, err);
  }
  if (c->actions) {
    parent = c;
    c = command_action(parent, argc > 0 ? argv[0] : "", err);
    argc--;
    argv++;
  }
  if (!c) {
    return err->status;
  }
  signals_catch();
  command_announce(parent, c, help_print, NULL);
  dperm_status status = run_in_job(c, argc, argv, err);
  bool helped = status == DPERM_CANCELLED && !*err->message;
  progress_bar_wipe();
  status = job_leave(helped ? DPERM_OK : status, err);
  dperm_threads_end();
  return status == DPERM_OK ? flush_stdout(err) : status;
}

static dperm_status print_version(int argc, char **argv, dperm_error *err) {
  RETURN_IF(argc > 0, wrong_usage(err, "unexpected argument \"%.40s\"", argv[0]));
  printf("dperm %s\n", dperm_version());
  return flush_stdout(err);
}

static dperm_status dispatch(int argc, char **argv, dperm_error *err) {
  RETURN_IF(argc < 2, wrong_usage(err, "a command is missing"));
  const char *word = argv[1];
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
    return print_version(argc - 2, argv + 2, err);
  }
  if (strcmp(word, "help") == 0 || argument_is_common(word, HELP)) {
    return help_command(commands, *word == '-' ? 0 : argc - 2, argv + 2, err);
  }
  if (strcmp(word, "__complete") == 0) {
    return completion_candidates(commands, argc - 2, argv + 2, err);
  }
  const command *found = command_named(commands, word);
  return found ? run(found, argc - 2, argv + 2, err)
               : wrong_usage(err, "no command is called \"%.40s\"", word);
}

int main(int argc, char **argv) {
  dperm_error err = {0};
  signals_keep_streams();
  return dispatch(argc, argv, &err) == DPERM_OK ? 0 : report_error(&err);
}
