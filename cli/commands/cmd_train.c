/* dperm train: options in, model file out. */
#include <stdio.h>
#include <string.h>

#include "arguments/arguments.h"
#include "arguments/share_settings.h"
#include "commands/commands.h"
#include "commands/fit_command.h"
#include <dperm/unsafe.h>

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

int run_train(int argc, char **argv) {
  fit_command c = {0};
  bool unsafe = false;
  share_settings shares;
  enum { OWN = 2 + SHARE_ARGUMENTS };
  argument table[FIT_COMMAND_ARGUMENTS + OWN] = {{0}};
  fit_command_init(&c, table, OWN);
  table[FIT_COMMAND_FIRST] = (argument){"--unsafe-diagnostics",
                                        ARGUMENT_FLAG,
                                        &unsafe,
                                        false,
                                        NULL,
                                        "print training error and the like to stderr: not private"};
  table[FIT_COMMAND_FIRST + 1] = refine_argument(&c.fit.bins.refine);
  share_settings_init(&shares, false, table + FIT_COMMAND_FIRST + 2);
  dperm_options options;
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing) ||
      !fit_settings_one(&c.fit, &options) || !share_settings_choose(&shares, &options) ||
      !fit_command_check(&c) || !refine_has_schema(&c.fit.bins, c.schema)) {
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
