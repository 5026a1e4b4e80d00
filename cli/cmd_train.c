/* dperm train: options in, model file out. */
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "atomic_file.h"
#include "dperm/unsafe.h"
#include "fit_command.h"
#include "refine_settings.h"

static const char closing[] =
    "Data are CSV with a schema (.gz is read as it is, - is standard input), or svmlight with "
    "--dims. A model trained with --mechanism none or --seed protects nobody and says so. "
    "'dperm plan' tells beforehand what a fit will do.";

static void print_unsafe(const dperm_unsafe_diagnostics *d) {
  fprintf(stderr,
          "warning: what follows depends on the records and is not private\n"
          "training error  %.6f\niterations      %zu\nobjective       %.12g\n"
          "gradient norm   %.3g\nsolve time      %.4f s\n",
          d->training_error, d->iterations, d->objective, d->gradient_norm, d->solve_seconds);
}

/* --refine, and what it goes with. By default the records choose between lines and bins wherever
 * they can be asked. */
static bool take_share(const char *const *word, const dperm_options *options, fit_command *c) {
  if (!refine_share(*word, &c->share)) {
    return false;
  }
  bool none = options->mechanism == DPERM_MECHANISM_NONE, piped = !atomic_file_plain(c->data);
  bool lines = argument_given(&c->fit.bins) && strcmp(c->fit.bins, "none") == 0;
  bool settled = argument_given(&c->fit.bins); /* by public numbers, or none */
  c->unasked = !argument_given(word);
  c->refined = strcmp(*word, "none") != 0;
  if (c->unasked) {
    bool kernel = options->kernel.name != DPERM_KERNEL_NONE;
    c->refined = !none && c->schema && !piped && !settled && !kernel;
  }
  if (c->refined && !(c->share > 0) && !lines) {
    c->fit.bins = "auto"; /* what they are to choose */
  }
  const usage_rule rules[] = {
      {c->refined && none,
       "--refine does not go with --mechanism none: it spends a share of epsilon"},
      {c->refined && !c->schema, "--refine needs --schema: it refines one"},
      {c->refined && piped,
       "--refine reads the records more than once, and a pipe has them once; name a file"},
      {c->refined && !c->unasked && lines,
       "--bins none leaves numbers lines, and --refine makes bins of them; give one of the two"},
  };
  return usage_rules_hold(rules, sizeof rules / sizeof *rules);
}

int run_train(int argc, char **argv) {
  fit_command c = {0};
  bool unsafe = false;
  const char *refine = NULL;
  enum { OWN = 2 };
  argument table[FIT_COMMAND_ARGUMENTS + OWN] = {{0}};
  fit_command_init(&c, table, OWN);
  table[FIT_COMMAND_FIRST] = (argument){"--unsafe-diagnostics",
                                        ARGUMENT_FLAG,
                                        &unsafe,
                                        false,
                                        NULL,
                                        "print training error and the like to stderr: not private"};
  table[FIT_COMMAND_FIRST + 1] = refine_argument(&refine);
  dperm_options options;
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing) ||
      !fit_settings_one(&c.fit, &options) || !fit_command_check(&c) ||
      !take_share(&refine, &options, &c)) {
    return refused();
  }
  dperm_unsafe_diagnostics diagnostics = {0};
  options.unsafe_diagnostics = unsafe ? &diagnostics : NULL;
  bool is_private = options.mechanism != DPERM_MECHANISM_NONE && !argument_given(&c.seed);
  int exit_status = fit_command_run(&c, &options, 1, NULL, is_private);
  if (exit_status == 0 && unsafe && !c.ledger.dry_run) {
    print_unsafe(&diagnostics);
  }
  return exit_status;
}
