/* dperm train: options in, model file out. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "session.h"

static const char closing[] =
    "Data are CSV with a schema (.gz is read as it is, - is standard input), or svmlight with\n"
    "--dims. A model trained with --mechanism none protects nobody and says so.";

typedef struct train_settings {
  const char *data, *schema, *out, *format, *loss, *mechanism;
  double epsilon, h, lambda;
  size_t dims, threads;
  bool unsafe_diagnostics;
} train_settings;

static bool choose_mechanism(const char *text, dperm_mechanism *out) {
  static const char *const names[] = {"objective", "output", "none"};
  for (size_t i = 0; i < 3; i++) {
    if (strcmp(names[i], text) == 0) {
      *out = (dperm_mechanism)i;
      return true;
    }
  }
  return false;
}

static void print_unsafe(const dperm_unsafe_diagnostics *d) {
  fprintf(stderr,
          "warning: what follows depends on the records and is not private\n"
          "training error  %.6f\niterations      %zu\nobjective       %.12g\n"
          "gradient norm   %.3g\nsolve time      %.4f s\n",
          d->training_error, d->iterations, d->objective, d->gradient_norm, d->solve_seconds);
}

static int train(const train_settings *s, const dperm_options *given, dperm_format format) {
  dperm_error err;
  dperm_schema *schema = NULL;
  dperm_data *data = NULL;
  dperm_model *model = NULL;
  dperm_unsafe_diagnostics diagnostics;
  dperm_options options = *given;
  options.unsafe_diagnostics = s->unsafe_diagnostics ? &diagnostics : NULL;
  options.progress = *session_progress();
  dperm_status status = s->schema ? dperm_schema_read(s->schema, &schema, &err) : DPERM_OK;
  const dperm_source source = {s->data, format, schema, s->dims};
  if (status == DPERM_OK) {
    status = dperm_data_read(&source, session_progress(), &data, &err);
  }
  if (status == DPERM_OK) {
    status = dperm_train(data, &options, &model, &err);
  }
  if (status == DPERM_OK) {
    status = dperm_model_write(model, s->out, &err);
  }
  int exit_status = 0;
  if (status != DPERM_OK) {
    exit_status = report_error(&err);
  } else {
    session_quiet();
    fprintf(stderr, "%s: %zu weights from %zu rows; not private (--mechanism none)\n",
            strcmp(s->out, "-") == 0 ? "model" : s->out, dperm_model_dims(model),
            dperm_data_rows(data));
    if (s->unsafe_diagnostics) {
      print_unsafe(&diagnostics);
    }
  }
  dperm_model_free(model);
  dperm_data_free(data);
  dperm_schema_free(schema);
  return exit_status;
}

int run_train(int argc, char **argv) {
  train_settings s = {.loss = "logistic",
                      .mechanism = "objective",
                      .epsilon = (double)NAN,
                      .h = 0.5,
                      .lambda = (double)NAN};
  argument table[] = {
      {"--data", ARGUMENT_TEXT, &s.data, true, "FILE", "the records", NULL, false},
      {"--schema", ARGUMENT_TEXT, &s.schema, false, "FILE", "what is public about them (JSON)",
       NULL, false},
      {"--out", ARGUMENT_TEXT, &s.out, true, "FILE", "where the model goes", NULL, false},
      {"--epsilon", ARGUMENT_POSITIVE, &s.epsilon, false, "E",
       "the privacy budget; required unless --mechanism none", NULL, false},
      {"--mechanism", ARGUMENT_TEXT, &s.mechanism, false, "M",
       "objective (default), output or none", NULL, false},
      {"--loss", ARGUMENT_TEXT, &s.loss, false, "L", "logistic (default), huber or smooth-hinge",
       NULL, false},
      {"--h", ARGUMENT_POSITIVE, &s.h, false, "H", "half-width of a hinge's smooth piece (0.5)",
       NULL, false},
      {"--lambda", ARGUMENT_POSITIVE, &s.lambda, false, "X|auto",
       "regularization; auto (default) is 1/rows without privacy", "auto", false},
      {"--format", ARGUMENT_TEXT, &s.format, false, "csv|svmlight",
       "when the file's name does not tell", NULL, false},
      {"--dims", ARGUMENT_COUNT, &s.dims, false, "D", "columns of svmlight data", NULL, false},
      {"--threads", ARGUMENT_COUNT, &s.threads, false, "N",
       "default: all cores; the model does not depend on it", NULL, false},
      {"--unsafe-diagnostics", ARGUMENT_FLAG, &s.unsafe_diagnostics, false, NULL,
       "print training error and the like to stderr: not private", NULL, false},
  };
  int exit_status = 0;
  dperm_format format = DPERM_FORMAT_AUTO;
  dperm_options options;
  dperm_options_init(&options);
  if (!arguments_parse("train", table, sizeof table / sizeof *table, argc, argv, closing,
                       &exit_status) ||
      !parse_format("train", s.format, &format, &exit_status)) {
    return exit_status;
  }
  if (!choose_mechanism(s.mechanism, &options.mechanism)) {
    return wrong_usage("train", "--mechanism must be objective, output or none");
  }
  if (options.mechanism != DPERM_MECHANISM_NONE && isnan(s.epsilon)) {
    return wrong_usage("train", "--epsilon is missing: it has no default, the choice is yours");
  }
  if (options.mechanism == DPERM_MECHANISM_NONE && !isnan(s.epsilon)) {
    return wrong_usage("train", "--epsilon does not go with --mechanism none");
  }
  if (s.threads > 4096) {
    return wrong_usage("train", "--threads must be at most 4096");
  }
  dperm_error err;
  if (dperm_loss_by_name(s.loss, s.h, &options.loss, &err) != DPERM_OK) {
    return report_error(&err);
  }
  options.epsilon = s.epsilon;
  options.lambda = s.lambda;
  options.threads = (int)s.threads;
  if (options.mechanism != DPERM_MECHANISM_NONE) {
    fprintf(stderr, "dperm: private training is not there yet; use --mechanism none on data that "
                    "are public\n");
    return EXIT_WORK_FAILED;
  }
  return train(&s, &options, format);
}
