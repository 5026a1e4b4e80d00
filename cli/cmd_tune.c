/* dperm tune: like train, with lists; one model leaves, and its epsilon covers the choice. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "choices.h"
#include "dperm/random.h"
#include "dperm/tune.h"
#include "fit_report.h"
#include "fit_settings.h"
#include "ledger_settings.h"
#include "session.h"

static const char closing[] =
    "Lists go with --loss, --h, --lambda, --gamma and --features: --lambda 1e-3,3e-3,1e-2. Often "
    "'--lambda auto' with train is better than any.\n"
    "split\tgives each candidate its own portion of the rows\n"
    "stopping\ttries random candidates on nearly all rows for a random number of rounds, which "
    "stays secret\n"
    "public\tchooses on --public-data that are nobody's secret";

typedef struct tune_settings {
  fit_settings fit;
  ledger_settings ledger;
  const char *data, *schema, *out, *format, *method, *selector, *rounds, *public_data;
  size_t dims, threads;
  uint64_t seed;
  double rounds_mean, holdout;
  bool json;
} tune_settings;

static dperm_status tune_to_file(const tune_settings *s, const dperm_options *candidates,
                                 size_t count, dperm_tune_options how, dperm_format format,
                                 dperm_error *err) {
  dperm_schema *schema = NULL;
  dperm_data *data = NULL, *public_data = NULL;
  dperm_model *model = NULL;
  dperm_output *out = NULL;
  dperm_status status = ledger_settings_place(&s->ledger, s->out, s->json, &out, err);
  if (status == DPERM_OK && s->schema) {
    status = dperm_schema_read(s->schema, &schema, err);
  }
  dperm_source source = {.path = s->data,
                         .format = format,
                         .schema = schema,
                         .dims = s->dims,
                         .no_identity = !s->ledger.path};
  if (status == DPERM_OK) {
    status = dperm_data_read_spread(&source, session_ranks(), session_progress(), &data, err);
  }
  source.path = s->public_data;
  if (status == DPERM_OK && s->public_data) {
    status =
        dperm_data_read_spread(&source, session_ranks(), session_progress(), &public_data, err);
    how.public_data = public_data;
  }
  if (status == DPERM_OK) {
    status = ledger_settings_reserve(&s->ledger, out, data, candidates, count, err);
  }
  if (status == DPERM_OK) {
    status = dperm_tune(data, candidates, count, &how, &model, err);
  }
  if (status == DPERM_OK) {
    session_quiet();
    status = model ? dperm_model_write_output(model, out, err) : DPERM_OK;
  }
  if (status == DPERM_OK && !model) {
    ledger_settings_show(&s->ledger, !candidates[0].random, /* nowhere, if another has the model */
                         s->json);
  } else if (status == DPERM_OK) {
    const fit_report report = {s->out, s->fit.mechanism, s->method, count, s->json};
    status = fit_report_print(&report, model, data, &s->ledger, err);
  }
  ledger_settings_leave(out);
  dperm_model_free(model);
  dperm_data_free(public_data);
  dperm_data_free(data);
  dperm_schema_free(schema);
  return status;
}

static int tune(tune_settings *s, dperm_options *candidates, size_t count,
                const dperm_tune_options *how, dperm_format format, bool seeded) {
  dperm_error err;
  dperm_random *random = NULL;
  if (!ledger_settings_open(&s->ledger, !seeded, &candidates[0].account)) {
    return refused();
  }
  dperm_status status = seeded ? dperm_random_seeded(s->seed, &random, &err) : DPERM_OK;
  for (size_t i = 0; i < count; i++) {
    candidates[i].account = candidates[0].account; /* one run, one account */
    candidates[i].random = random;
    candidates[i].progress = *session_progress();
    candidates[i].threads = (int)s->threads;
  }
  if (status == DPERM_OK) {
    status = tune_to_file(s, candidates, count, *how, format, &err);
  }
  dperm_random_free(random);
  ledger_settings_close(&s->ledger);
  return status == DPERM_OK ? 0 : report_error(&err);
}

static bool choose_method(const tune_settings *s, dperm_tune_options *how) {
  int method = 0, selector = 0, rounds = 0;
  bool good = choose("--method", s->method, tune_method_name, 0, &method) &&
              choose("--selector", s->selector, selector_name, 0, &selector) &&
              choose("--rounds", s->rounds, rounds_name, 0, &rounds);
  dperm_tune_options_init(how);
  how->method = (dperm_tune_method)method;
  how->selector = (dperm_selector)selector;
  how->rounds = (dperm_rounds)rounds;
  how->rounds_mean = s->rounds_mean;
  how->holdout = s->holdout;
  return good;
}

/* A message about what does not fit the method. */
static const char *check_method(const tune_settings *s, bool selector_given, bool rounds_given,
                                bool holdout_given, const dperm_tune_options *how) {
  bool split = how->method == DPERM_TUNE_SPLIT, stopping = how->method == DPERM_TUNE_STOPPING;
  if (selector_given && !split) {
    return "--selector is for --method split";
  }
  if (rounds_given && !stopping) {
    return "--rounds and --rounds-mean are for --method stopping";
  }
  if (holdout_given && split) {
    return "--holdout is for --method stopping and public";
  }
  if (!split && !(s->holdout > 0 && s->holdout < 1)) {
    return "--holdout must be between 0 and 1";
  }
  if ((how->method == DPERM_TUNE_PUBLIC) != (s->public_data != NULL)) {
    return "--public-data goes with --method public, and --method public needs it";
  }
  return NULL;
}

int run_tune(int argc, char **argv) {
  tune_settings s = {.method = "split",
                     .selector = "permute-and-flip",
                     .rounds = "logarithmic",
                     .rounds_mean = (double)NAN,
                     .holdout = 0.1};
  enum { OWN = 14, SELECTOR = 8, ROUNDS, ROUNDS_MEAN, HOLDOUT, SEED = 6 };
  argument table[OWN + FIT_ARGUMENTS + LEDGER_ARGUMENTS] = {
      {"--data", ARGUMENT_INPUT, &s.data, true, "FILE", "the records", NULL, false},
      {"--schema", ARGUMENT_INPUT, &s.schema, false, "FILE", "what is public about them (JSON)",
       NULL, false},
      {"--out", ARGUMENT_OUTPUT, &s.out, true, "FILE", "where the model goes", NULL, false},
      {"--format", ARGUMENT_TEXT, &s.format, false, choices(format_name, DPERM_FORMAT_CSV),
       "when the file's name does not tell", NULL, false},
      {"--dims", ARGUMENT_COUNT, &s.dims, false, "D", "columns of svmlight data", NULL, false},
      {"--threads", ARGUMENT_COUNT, &s.threads, false, "N", "default: $DPERM_THREADS, or all cores",
       NULL, false},
      {"--seed", ARGUMENT_SEED, &s.seed, false, "N",
       "reproducible noise for tests: the model is not private", NULL, false},
      {"--method", ARGUMENT_TEXT, &s.method, false, choices(tune_method_name, 0),
       "how to choose (split)", NULL, false},
      {"--selector", ARGUMENT_TEXT, &s.selector, false, choices(selector_name, 0),
       "split: the mechanism (permute-and-flip)", NULL, false},
      {"--rounds", ARGUMENT_TEXT, &s.rounds, false, choices(rounds_name, 0),
       "stopping: the law of their number (logarithmic)", NULL, false},
      {"--rounds-mean", ARGUMENT_POSITIVE, &s.rounds_mean, false, "M",
       "stopping: mean number of rounds (3 per candidate)", NULL, false},
      {"--holdout", ARGUMENT_NUMBER, &s.holdout, false, "H",
       "stopping, public: share of rows to choose by (0.1)", NULL, false},
      {"--public-data", ARGUMENT_INPUT, &s.public_data, false, "FILE",
       "public: records that are nobody's secret", NULL, false},
      {"--json", ARGUMENT_FLAG, &s.json, false, NULL, "what was done, for programs", NULL, false},
  };
  int exit_status = 0;
  dperm_format format = DPERM_FORMAT_AUTO;
  dperm_options *candidates = NULL;
  dperm_tune_options how;
  size_t count = 0;
  fit_settings_init(&s.fit, table + OWN);
  ledger_settings_init(&s.ledger, table + OWN + FIT_ARGUMENTS);
  if (!arguments_parse("tune", table, sizeof table / sizeof *table, argc, argv, closing) ||
      !parse_format(s.format, &format) || !choose_method(&s, &how)) {
    return refused();
  }
  const char *wrong =
      check_method(&s, table[SELECTOR].given, table[ROUNDS].given || table[ROUNDS_MEAN].given,
                   table[HOLDOUT].given, &how);
  if (wrong || s.threads > 4096) {
    return wrong_usage("%s", wrong ? wrong : "--threads must be at most 4096");
  }
  const fit_report report = {.out = s.out, .json = s.json};
  if (!fit_report_check(&report, s.ledger.dry_run)) {
    return refused();
  }
  if (strcmp(s.fit.mechanism, "none") == 0) {
    return wrong_usage("--mechanism none has nothing to choose privately; use train");
  }
  if (!fit_settings_grid(&s.fit, &candidates, &count)) {
    return refused();
  }
  exit_status = tune(&s, candidates, count, &how, format, table[SEED].given);
  free(candidates);
  return exit_status;
}
