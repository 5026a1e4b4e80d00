/* dperm train: options in, model file out. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "choices.h"
#include "dperm/random.h"
#include "dperm/unsafe.h"
#include "fit_report.h"
#include "fit_settings.h"
#include "ledger_settings.h"
#include "session.h"

static const char closing[] =
    "Data are CSV with a schema (.gz is read as it is, - is standard input), or svmlight with "
    "--dims. A model trained with --mechanism none or --seed protects nobody and says so. "
    "'dperm plan' tells beforehand what a fit will do.";

typedef struct train_settings {
  fit_settings fit;
  ledger_settings ledger;
  const char *data, *schema, *out, *format;
  size_t dims, threads;
  uint64_t seed;
  bool unsafe_diagnostics;
  fit_report report;
} train_settings;

static void print_unsafe(const dperm_unsafe_diagnostics *d) {
  fprintf(stderr,
          "warning: what follows depends on the records and is not private\n"
          "training error  %.6f\niterations      %zu\nobjective       %.12g\n"
          "gradient norm   %.3g\nsolve time      %.4f s\n",
          d->training_error, d->iterations, d->objective, d->gradient_norm, d->solve_seconds);
}

static dperm_status train_to_file(const train_settings *s, const dperm_options *options,
                                  dperm_format format, dperm_error *err) {
  dperm_schema *schema = NULL;
  dperm_data *data = NULL;
  dperm_model *model = NULL;
  dperm_output *out = NULL;
  dperm_status status = ledger_settings_place(&s->ledger, s->out, s->report.json, &out, err);
  if (status == DPERM_OK && s->schema) {
    status = dperm_schema_read(s->schema, &schema, err);
  }
  const dperm_source source = {.path = s->data,
                               .format = format,
                               .schema = schema,
                               .dims = s->dims,
                               .no_identity = !s->ledger.path};
  if (status == DPERM_OK) {
    status = dperm_data_read_spread(&source, session_ranks(), session_progress(), &data, err);
  }
  if (status == DPERM_OK) {
    status = ledger_settings_reserve(&s->ledger, out, data, options, 1, err);
  }
  if (status == DPERM_OK) {
    status = dperm_train(data, options, &model, err);
  }
  if (status == DPERM_OK) {
    session_quiet();
    status = model ? dperm_model_write_output(model, out, err) : DPERM_OK;
  }
  if (status == DPERM_OK && !model) { /* shown nowhere, if another process has the model */
    ledger_settings_show(&s->ledger, options->mechanism != DPERM_MECHANISM_NONE && !options->random,
                         s->report.json);
  } else if (status == DPERM_OK) {
    status = fit_report_print(&s->report, model, data, &s->ledger, err);
  }
  ledger_settings_leave(out);
  dperm_model_free(model);
  dperm_data_free(data);
  dperm_schema_free(schema);
  return status;
}

static int train(train_settings *s, dperm_options options, dperm_format format, bool seeded) {
  dperm_error err;
  dperm_unsafe_diagnostics diagnostics = {0};
  dperm_status status = DPERM_OK;
  bool is_private = options.mechanism != DPERM_MECHANISM_NONE && !seeded && !s->unsafe_diagnostics;
  if (!ledger_settings_open(&s->ledger, is_private, &options.account)) {
    return refused();
  }
  options.progress = *session_progress();
  options.unsafe_diagnostics = s->unsafe_diagnostics ? &diagnostics : NULL;
  if (seeded) {
    status = dperm_random_seeded(s->seed, &options.random, &err);
  }
  if (status == DPERM_OK) {
    status = train_to_file(s, &options, format, &err);
  }
  dperm_random_free(options.random);
  ledger_settings_close(&s->ledger);
  if (status != DPERM_OK) {
    return report_error(&err);
  }
  if (s->unsafe_diagnostics && !s->ledger.dry_run) {
    print_unsafe(&diagnostics);
  }
  return 0;
}

int run_train(int argc, char **argv) {
  train_settings s = {0};
  enum { OWN = 9 };
  argument table[OWN + FIT_ARGUMENTS + LEDGER_ARGUMENTS] = {
      {"--data", ARGUMENT_INPUT, &s.data, true, "FILE", "the records", NULL, false},
      {"--schema", ARGUMENT_INPUT, &s.schema, false, "FILE", "what is public about them (JSON)",
       NULL, false},
      {"--out", ARGUMENT_OUTPUT, &s.out, true, "FILE", "where the model goes", NULL, false},
      {"--format", ARGUMENT_TEXT, &s.format, false, choices(format_name, DPERM_FORMAT_CSV),
       "when the file's name does not tell", NULL, false},
      {"--dims", ARGUMENT_COUNT, &s.dims, false, "D", "columns of svmlight data", NULL, false},
      {"--threads", ARGUMENT_COUNT, &s.threads, false, "N",
       "default: $DPERM_THREADS, or all cores; the model does not depend on it", NULL, false},
      {"--seed", ARGUMENT_SEED, &s.seed, false, "N",
       "reproducible noise for tests: the model is not private", NULL, false},
      {"--unsafe-diagnostics", ARGUMENT_FLAG, &s.unsafe_diagnostics, false, NULL,
       "print training error and the like to stderr: not private", NULL, false},
      {"--json", ARGUMENT_FLAG, &s.report.json, false, NULL, "what was done, for programs", NULL,
       false},
  };
  const argument *seed = &table[6];
  dperm_format format = DPERM_FORMAT_AUTO;
  dperm_options options;
  fit_settings_init(&s.fit, table + OWN);
  ledger_settings_init(&s.ledger, table + OWN + FIT_ARGUMENTS);
  if (!arguments_parse("train", table, sizeof table / sizeof *table, argc, argv, closing) ||
      !parse_format(s.format, &format) || !fit_settings_one(&s.fit, &options)) {
    return refused();
  }
  s.report.out = s.out;
  s.report.mechanism = s.fit.mechanism;
  if (!fit_report_check(&s.report, s.ledger.dry_run)) {
    return refused();
  }
  if (s.threads > 4096) {
    return wrong_usage("--threads must be at most 4096");
  }
  options.threads = (int)s.threads;
  return train(&s, options, format, seed->given);
}
