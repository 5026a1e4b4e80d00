/* See share_settings.h. */
#include "arguments/share_settings.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "output/json_report.h"
#include "output/message.h"

/* In 95 of 100 runs the temperature is as good as one chosen with 2·Δ·log(32/0.05)/epsilon records
 * more or less, Δ = 1 or 2 (docs/proofs/calibration.md); that may be a tenth of all. */
static void warn_of_calibration(const dperm_options *options, size_t rows) {
  bool adding = options->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  double epsilon = options->calibrate * options->epsilon / (double)options->rows_per_person;
  double needed = 10 * (adding ? 2 : 4) * log(32 / 0.05) / epsilon;
  const double most = 1e15; /* more rows than anybody has: such a share is refused by itself */
  if ((double)rows < needed && needed < most) {
    note("warning: calibration has an epsilon of %.2g, and %zu rows are too few for it: the "
         "probabilities may become worse; give --calibrate a larger share (%.0f rows would be "
         "enough), or leave it out",
         epsilon, rows, needed);
  }
}

const share_words share_arguments[SHARE_ARGUMENTS] = {
    {.name = "--calibrate",
     .option_at = offsetof(dperm_options, calibrate),
     .help = "share of epsilon for calibrating the probabilities of logistic loss, usually 0.05; "
             "predictions do not change (default: none)",
     .figure = "epsilon_calibrated",
     .value = "inverse_temperature",
     .says = "was spent on calibrating probabilities: scores times ",
     .plan_label = "epsilon to calibrate",
     .plan = "for calibrating probabilities",
     .warn = warn_of_calibration},
};

void share_arguments_init(const char *words[SHARE_ARGUMENTS], bool many, argument *table) {
  for (size_t i = 0; i < SHARE_ARGUMENTS; i++) {
    table[i] = (argument){share_arguments[i].name,
                          ARGUMENT_TEXT,
                          &words[i],
                          false,
                          many ? "none" : "SHARE|none",
                          many ? "other values are for train, which releases a single model"
                               : share_arguments[i].help,
                          GROUP_MODEL};
  }
}

bool read_share(const char *option, const char *or_, const char *word, double *out) {
  return (read_number(word, out) && *out > 0 && *out < 1) ||
         refuse(wrong_usage("%s must be a share above 0 and below 1%s, not \"%.40s\"", option, or_,
                            word));
}

static double *option_of(dperm_options *o, size_t i) {
  return (double *)(void *)((char *)o + share_arguments[i].option_at);
}

bool share_arguments_apply(const char *const words[SHARE_ARGUMENTS], bool many, dperm_options *o) {
  for (size_t i = 0; i < SHARE_ARGUMENTS; i++) {
    const char *name = share_arguments[i].name;
    if (!words[i] || strcmp(words[i], "none") == 0) {
      continue;
    }
    if (many) {
      return refuse(
          wrong_usage("%s is for train, which releases a single model; leave it out", name));
    }
    if (o->mechanism == DPERM_MECHANISM_NONE) {
      return refuse(
          wrong_usage("%s does not go with --mechanism none: it spends a share of epsilon", name));
    }
    if (!read_share(name, ", or none", words[i], option_of(o, i))) {
      return false;
    }
  }
  return true;
}

void share_arguments_warn(const dperm_options *options, size_t rows) {
  dperm_options o = *options;
  for (size_t i = 0; i < SHARE_ARGUMENTS; i++) {
    if (share_arguments[i].warn && *option_of(&o, i) > 0) {
      share_arguments[i].warn(options, rows);
    }
  }
}

void share_arguments_say(const json_t *report, const char *name) {
  for (size_t i = 0; i < SHARE_ARGUMENTS; i++) {
    const share_words *share = &share_arguments[i];
    double epsilon = report_number(report, share->figure);
    char value[32] = "";
    if (share->value) {
      (void)snprintf(value, sizeof value, "%.3g", report_number(report, share->value));
    }
    if (epsilon > 0) {
      note("%s: epsilon %g of that %s%s", name, epsilon, share->says, value);
    }
  }
}
