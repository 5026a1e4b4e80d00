/* dperm tune: like train, with lists; one model leaves, and its epsilon covers the choice. */
#include <stdio.h>
#include <string.h>

#include "arguments/arguments.h"
#include "arguments/choices.h"
#include "arguments/share_settings.h"
#include "commands/commands.h"
#include "commands/fit_command.h"
#include "output/handles.h"

static const char closing[] =
    "Lists go with --loss, --h, --lambda, --gamma and --features: --lambda 1e-3,3e-3,1e-2. Often "
    "'--lambda auto' with train is better than any.\n"
    "split\tgives each candidate its own portion of the rows\n"
    "stopping\ttries random candidates on nearly all rows for a random number of rounds, which "
    "stays secret\n"
    "public\tchooses on --public-data that are nobody's secret; if they turn out to be the private "
    "records, or mostly, the run ends without a model, and its charge stays spent";

typedef struct tune_settings {
  fit_command command;
  fit_choice choice;
  const char *selector, *rounds;
} tune_settings;

static bool choose_method(tune_settings *s) {
  dperm_tune_options *how = &s->choice.how;
  int method = 0, selector = 0, rounds = 0;
  if (!choose("--method", s->choice.method, tune_method_name, 0, &method) ||
      !choose("--selector", s->selector, selector_name, 0, &selector) ||
      !choose("--rounds", s->rounds, rounds_name, 0, &rounds)) {
    return false;
  }
  how->method = (dperm_tune_method)method;
  how->selector = (dperm_selector)selector;
  how->rounds = (dperm_rounds)rounds;
  bool split = how->method == DPERM_TUNE_SPLIT;
  bool rounds_given = argument_given(&s->rounds) || argument_given(&how->rounds_mean);
  const usage_rule rules[] = {
      {argument_given(&s->selector) && !split, "--selector is for --method split"},
      {rounds_given && how->method != DPERM_TUNE_STOPPING,
       "--rounds and --rounds-mean are for --method stopping"},
      {argument_given(&how->holdout) && split, "--holdout is for --method stopping and public"},
      {!split && !(how->holdout > 0 && how->holdout < 1), "--holdout must be between 0 and 1"},
      {(how->method == DPERM_TUNE_PUBLIC) != (s->choice.public_data != NULL),
       "--public-data goes with --method public, and --method public needs it"},
  };
  return usage_rules_hold(rules, sizeof rules / sizeof *rules);
}

int run_tune(int argc, char **argv) {
  tune_settings s = {
      .choice = {.method = "split"}, .selector = "permute-and-flip", .rounds = "logarithmic"};
  dperm_tune_options_init(&s.choice.how);
  share_settings shares;
  enum { OWN = 7 };
  argument table[FIT_COMMAND_ARGUMENTS + OWN + SHARE_ARGUMENTS] = {{0}};
  fit_command_init(&s.command, table, OWN + SHARE_ARGUMENTS);
  share_settings_init(&shares, true, table + FIT_COMMAND_FIRST + OWN);
  const argument lines[OWN] = {
      {"--method", ARGUMENT_TEXT, &s.choice.method, false, choices(tune_method_name, 0),
       "how to choose (split)"},
      {"--selector", ARGUMENT_TEXT, &s.selector, false, choices(selector_name, 0),
       "split: the mechanism (permute-and-flip)"},
      {"--rounds", ARGUMENT_TEXT, &s.rounds, false, choices(rounds_name, 0),
       "stopping: the law of their number (logarithmic)"},
      {"--rounds-mean", ARGUMENT_POSITIVE, &s.choice.how.rounds_mean, false, "M",
       "stopping: mean number of rounds (3 per candidate)"},
      {"--holdout", ARGUMENT_NUMBER, &s.choice.how.holdout, false, "H",
       "stopping, public: share of rows to choose by (0.1)"},
      {"--public-data", ARGUMENT_INPUT, &s.choice.public_data, false, "FILE",
       "public: records that are nobody's secret"},
      refine_elsewhere_argument(&s.command.fit.bins.refine),
  };
  memcpy(table + FIT_COMMAND_FIRST, lines, sizeof lines);
  OWNED_MEMORY dperm_options *candidates = NULL;
  size_t count = 0;
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing) ||
      !refine_elsewhere(s.command.fit.bins.refine) || !share_settings_elsewhere(&shares) ||
      !choose_method(&s) || !fit_command_check(&s.command)) {
    return refused();
  }
  if (strcmp(s.command.fit.mechanism, "none") == 0) {
    return wrong_usage("--mechanism none has nothing to choose privately; use train");
  }
  if (!fit_settings_grid(&s.command.fit, &candidates, &count)) {
    return refused();
  }
  return fit_command_run(&s.command, candidates, count, &s.choice,
                         !argument_given(&s.command.seed));
}
