/* dperm tune: like train, with lists; one model leaves, and its epsilon covers the choice. */

#include "commands/commands.h"
#include "commands/fit_command.h"

static const char closing[] =
    "--loss, --h, --lambda, --gamma and --features take lists, such as --lambda 1e-3,3e-3,1e-2. "
    "'dperm train' with --lambda auto is often better than any choice.\n"
    "split gives each candidate its own part of the rows.\n"
    "stopping tries random candidates on nearly all rows, for a random number of rounds that stays "
    "secret.\n"
    "public chooses on --public-data; if they largely coincide with the private records, the run "
    "ends without a model and its charge stays spent.";

static dperm_status rules_hold(const fit_choice *choice, dperm_error *err) {
  const dperm_tune_options *how = &choice->how;
  bool split = how->method == DPERM_TUNE_SPLIT;
  bool rounds = argument_given(&how->rounds) || argument_given(&how->rounds_mean);
  const usage_rule rules[] = {
      {argument_given(&how->selector) && !split, "--selector is for --method split"},
      {rounds && how->method != DPERM_TUNE_STOPPING,
       "--rounds and --rounds-mean are for --method stopping"},
      {argument_given(&how->holdout) && split, "--holdout is for --method stopping and public"},
      {!split && !(how->holdout > 0 && how->holdout < 1), "--holdout must be between 0 and 1"},
      {(how->method == DPERM_TUNE_PUBLIC) != (choice->public_data != NULL),
       "--public-data goes with --method public, and --method public needs it"},
  };
  return usage_rules_hold(rules, sizeof rules / sizeof *rules, err);
}

dperm_status run_tune(int argc, char **argv, dperm_error *err) {
  fit_command c = {0};
  fit_choice choice = {0};
  dperm_tune_options *how = &choice.how;
  dperm_tune_options_init(how);
  const argument lines[] = {
      {"--method", ARGUMENT_CHOICE, &how->method, false, NULL,
       "how to choose among the candidates (default: split)", GROUP_MODEL, tune_method_name},
      {"--selector", ARGUMENT_CHOICE, &how->selector, false, NULL,
       "split: selection mechanism (default: permute-and-flip)", GROUP_MODEL, selector_name},
      {"--rounds", ARGUMENT_CHOICE, &how->rounds, false, NULL,
       "stopping: distribution of the number of rounds (default: logarithmic)", GROUP_MODEL,
       rounds_name},
      {"--rounds-mean", ARGUMENT_POSITIVE, &how->rounds_mean, false, "M",
       "stopping: mean number of rounds (default: 3 per candidate)", GROUP_MODEL},
      {"--holdout", ARGUMENT_NUMBER, &how->holdout, false, "H",
       "stopping, public: share of rows held out for choosing (default: 0.1)", GROUP_MODEL},
      {"--public-data", ARGUMENT_INPUT, &choice.public_data, false, "FILE",
       "public: the public records", GROUP_MODEL},
  };
  argument table[FIT_COMMAND_ARGUMENTS + sizeof lines / sizeof *lines] = {{0}};
  fit_command_init(&c, true, table);
  memcpy(table + FIT_COMMAND_ARGUMENTS, lines, sizeof lines);
  OWNED_MEMORY dperm_options *candidates = NULL;
  size_t count = 0;
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing, err));
  TRY(rules_hold(&choice, err));
  RETURN_IF(c.fit.options.mechanism == DPERM_MECHANISM_NONE,
            wrong_usage(err, "--mechanism none leaves nothing to choose privately; use train"));
  TRY(fit_settings_grid(&c.fit, &candidates, &count, err));
  RETURN_IF(count == 1,
            wrong_usage(err, "one candidate leaves nothing to choose, and a choice takes rows from "
                             "its fit; give lists, as --lambda 0.01,0.1, or use train"));
  return fit_command_run(&c, candidates, count, &choice, err);
}
