/* dperm tune: like train, with lists; one model leaves, and its epsilon covers the choice. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "choices.h"
#include "fit_command.h"
#include "handles.h"

static const char closing[] =
    "Lists go with --loss, --h, --lambda, --gamma and --features: --lambda 1e-3,3e-3,1e-2. Often "
    "'--lambda auto' with train is better than any.\n"
    "split\tgives each candidate its own portion of the rows\n"
    "stopping\ttries random candidates on nearly all rows for a random number of rounds, which "
    "stays secret\n"
    "public\tchooses on --public-data that are nobody's secret";

typedef struct tune_settings {
  fit_command command;
  const char *method, *selector, *rounds, *public_data;
  double rounds_mean, holdout;
} tune_settings;

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
  enum { OWN = 6 };
  const argument lines[OWN] = {
      {"--method", ARGUMENT_TEXT, &s.method, false, choices(tune_method_name, 0),
       "how to choose (split)"},
      {"--selector", ARGUMENT_TEXT, &s.selector, false, choices(selector_name, 0),
       "split: the mechanism (permute-and-flip)"},
      {"--rounds", ARGUMENT_TEXT, &s.rounds, false, choices(rounds_name, 0),
       "stopping: the law of their number (logarithmic)"},
      {"--rounds-mean", ARGUMENT_POSITIVE, &s.rounds_mean, false, "M",
       "stopping: mean number of rounds (3 per candidate)"},
      {"--holdout", ARGUMENT_NUMBER, &s.holdout, false, "H",
       "stopping, public: share of rows to choose by (0.1)"},
      {"--public-data", ARGUMENT_INPUT, &s.public_data, false, "FILE",
       "public: records that are nobody's secret"},
  };
  argument table[FIT_COMMAND_ARGUMENTS + OWN] = {{0}};
  fit_command_init(&s.command, table, OWN);
  memcpy(table + FIT_COMMAND_FIRST, lines, sizeof lines);
  OWNED_MEMORY dperm_options *candidates = NULL;
  fit_choice choice;
  size_t count = 0;
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing) ||
      !choose_method(&s, &choice.how)) {
    return refused();
  }
  choice.method = s.method;
  choice.public_data = s.public_data;
  const char *wrong = check_method(&s, argument_given(&s.selector),
                                   argument_given(&s.rounds) || argument_given(&s.rounds_mean),
                                   argument_given(&s.holdout), &choice.how);
  if (wrong) {
    return wrong_usage("%s", wrong);
  }
  if (!fit_command_check(&s.command)) {
    return refused();
  }
  if (strcmp(s.command.fit.mechanism, "none") == 0) {
    return wrong_usage("--mechanism none has nothing to choose privately; use train");
  }
  if (!fit_settings_grid(&s.command.fit, &candidates, &count)) {
    return refused();
  }
  return fit_command_run(&s.command, candidates, count, &choice, !argument_given(&s.command.seed));
}
