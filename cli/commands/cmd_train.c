/* dperm train: options in, model file out. */
#include <dperm/unsafe.h>

#include "commands/commands.h"
#include "commands/fit_command.h"

static const char closing[] =
    "Data are CSV with a schema, or svmlight with --dims; .gz files are decompressed, - is "
    "standard input. A model trained with --mechanism none or --seed protects nobody, and says so. "
    "'dperm plan' shows beforehand what a fit will do.";

static void print_unsafe(const dperm_unsafe_diagnostics *d) {
  fprintf(stderr,
          "warning: what follows depends on the records and is not private\n"
          "training error  %.6f\niterations      %zu\nobjective       %.12g\n"
          "gradient norm   %.3g\nsolve time      %.4f s\n",
          d->training_error, d->iterations, d->objective, d->gradient_norm, d->solve_seconds);
}

dperm_status run_train(int argc, char **argv, dperm_error *err) {
  fit_command c = {0};
  bool unsafe = false;
  argument table[FIT_COMMAND_ARGUMENTS + 1] = {{0}};
  fit_command_init(&c, false, table);
  table[FIT_COMMAND_ARGUMENTS] =
      (argument){"--unsafe-diagnostics",
                 ARGUMENT_FLAG,
                 &unsafe,
                 false,
                 NULL,
                 "print training error and the like to stderr, which is not private",
                 GROUP_OUTPUT};
  dperm_options options;
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing, err));
  TRY(fit_settings_one(&c.fit, &options, err));
  TRY(refine_has_schema(&c.fit, c.schema || !c.dims, err));
  dperm_unsafe_diagnostics diagnostics = {0};
  options.unsafe_diagnostics = unsafe ? &diagnostics : NULL;
  TRY(fit_command_run(&c, &options, 1, NULL, err));
  if (unsafe && !c.ledger.dry_run) {
    print_unsafe(&diagnostics);
  }
  return DPERM_OK;
}
