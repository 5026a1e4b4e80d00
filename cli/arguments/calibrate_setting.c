/* See calibrate_setting.h. */
#include "arguments/calibrate_setting.h"

#include <math.h>
#include <string.h>

#include "output/message.h"

argument calibrate_argument(const char **word) {
  *word = "none";
  return (argument){"--calibrate",
                    ARGUMENT_TEXT,
                    word,
                    false,
                    "SHARE|none",
                    "of epsilon, to choose how sure probabilities are, for logistic loss (0.05 is "
                    "usual; default none); predictions stay what they are"};
}

bool calibrate_choose(const char *word, dperm_options *options) {
  double share = 0;
  if (strcmp(word, "none") == 0) {
    return true;
  }
  if (!read_number(word, &share) || !(share > 0 && share < 1)) {
    return refuse(wrong_usage(
        "--calibrate must be a share above 0 and below 1, or none, not \"%.40s\"", word));
  }
  const usage_rule rules[] = {
      {options->mechanism == DPERM_MECHANISM_NONE,
       "--calibrate does not go with --mechanism none: it spends a share of epsilon"},
  };
  options->calibrate = share;
  return usage_rules_hold(rules, sizeof rules / sizeof *rules);
}

argument calibrate_elsewhere_argument(const char **word) {
  *word = "none";
  return (argument){"--calibrate", ARGUMENT_TEXT,
                    word,          false,
                    "none",        "other values are for train, whose one model it is about"};
}

bool calibrate_elsewhere(const char *word) {
  return strcmp(word, "none") == 0 ||
         refuse(
             wrong_usage("--calibrate is for train, where a share of epsilon chooses how sure the "
                         "probabilities of one model are; leave it out"));
}

/* In 95 of 100 runs the choice is as good as one by records of which 2·Δ·log(32/0.05)/epsilon more
 * or less are there, Δ = 1 or 2 (docs/proofs/calibration.md); a tenth of all may be. */
void calibrate_warn(const dperm_options *options, size_t rows) {
  bool adding = options->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  double epsilon = options->calibrate * options->epsilon / (double)options->rows_per_person;
  double needed = 10 * (adding ? 2 : 4) * log(32 / 0.05) / epsilon;
  rows = options->rows_about ? options->rows_about : rows; /* the public figure */
  const double most = 1e15; /* more rows than anybody has: such a share is refused by itself */
  if (options->calibrate > 0 && (double)rows < needed && needed < most) {
    note("warning: --calibrate has an epsilon of %.2g, for which %zu rows are few: how sure "
         "probabilities are may have little to do with them; give it a larger share (%.0f rows "
         "would do), "
         "or leave it out",
         epsilon, rows, needed);
  }
}
