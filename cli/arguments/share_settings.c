/* See share_settings.h. */
#include "arguments/share_settings.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "output/json_report.h"
#include "output/message.h"

/* In 95 of 100 runs the choice is as good as one by records of which 2·Δ·log(32/0.05)/epsilon more
 * or less are there, Δ = 1 or 2 (docs/proofs/calibration.md); a tenth of all may be. */
static void warn_of_calibration(const dperm_options *options, size_t rows) {
  bool adding = options->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  double epsilon = options->calibrate * options->epsilon / (double)options->rows_per_person;
  double needed = 10 * (adding ? 2 : 4) * log(32 / 0.05) / epsilon;
  const double most = 1e15; /* more rows than anybody has: such a share is refused by itself */
  if ((double)rows < needed && needed < most) {
    note("warning: --calibrate has an epsilon of %.2g, for which %zu rows are few: how sure "
         "probabilities are may have little to do with them; give it a larger share (%.0f rows "
         "would do), "
         "or leave it out",
         epsilon, rows, needed);
  }
}

static const struct share_words {
  const char *name;
  size_t option_at; /* where dperm_options has it */
  const char *help;
  const char *use;          /* what a share of epsilon does there */
  const char *figure;       /* its epsilon in reports, */
  const char *value;        /* and the number that it bought, or NULL */
  const char *says;         /* what is said of a model, with that number behind it */
  const char *plan, *plans; /* the line of a plan */
  void (*warn)(const dperm_options *options, size_t rows); /* or NULL */
} shares[SHARE_ARGUMENTS] = {
    {.name = "--calibrate",
     .option_at = offsetof(dperm_options, calibrate),
     .help = "of epsilon, to choose how sure probabilities are, for logistic loss (0.05 is usual; "
             "default none); predictions stay what they are",
     .use = "chooses how sure the probabilities of one model are",
     .figure = "epsilon_calibrated",
     .value = "inverse_temperature",
     .says = "calibrates probabilities: they are those of scores times ",
     .plan = "epsilon to calibrate",
     .plans = "to choose how sure probabilities are",
     .warn = warn_of_calibration},
};

static double *option_of(dperm_options *options, size_t i) {
  return (double *)(void *)((char *)options + shares[i].option_at);
}

void share_settings_init(share_settings *s, bool elsewhere, argument *table) {
  for (size_t i = 0; i < SHARE_ARGUMENTS; i++) {
    s->words[i] = "none";
    table[i] = (argument){shares[i].name,
                          ARGUMENT_TEXT,
                          &s->words[i],
                          false,
                          elsewhere ? "none" : "SHARE|none",
                          elsewhere ? "other values are for train, whose one model it is about"
                                    : shares[i].help};
  }
}

bool share_settings_choose(const share_settings *s, dperm_options *options) {
  for (size_t i = 0; i < SHARE_ARGUMENTS; i++) {
    double share = 0;
    if (strcmp(s->words[i], "none") == 0) {
      continue;
    }
    if (!read_number(s->words[i], &share) || !(share > 0 && share < 1)) {
      return refuse(wrong_usage("%s must be a share above 0 and below 1, or none, not \"%.40s\"",
                                shares[i].name, s->words[i]));
    }
    if (options->mechanism == DPERM_MECHANISM_NONE) {
      return refuse(wrong_usage(
          "%s does not go with --mechanism none: it spends a share of epsilon", shares[i].name));
    }
    *option_of(options, i) = share;
  }
  return true;
}

bool share_settings_elsewhere(const share_settings *s) {
  for (size_t i = 0; i < SHARE_ARGUMENTS; i++) {
    if (strcmp(s->words[i], "none") != 0) {
      return refuse(wrong_usage("%s is for train, where a share of epsilon %s; leave it out",
                                shares[i].name, shares[i].use));
    }
  }
  return true;
}

void share_settings_warn(const dperm_options *options, size_t rows) {
  dperm_options copy = *options;
  rows = options->rows_about ? options->rows_about : rows; /* the public figure */
  for (size_t i = 0; i < SHARE_ARGUMENTS; i++) {
    if (shares[i].warn && *option_of(&copy, i) > 0) {
      shares[i].warn(options, rows);
    }
  }
}

void share_settings_say(const json_t *report, const char *name) {
  for (size_t i = 0; i < SHARE_ARGUMENTS; i++) {
    double epsilon = report_number(report, shares[i].figure);
    char value[32] = "";
    if (shares[i].value) {
      (void)snprintf(value, sizeof value, "%.3g", report_number(report, shares[i].value));
    }
    if (epsilon > 0) {
      note("%s: epsilon %g of that %s%s", name, epsilon, shares[i].says, value);
    }
  }
}

bool share_settings_print_plan(const json_t *plan) {
  bool any = false;
  for (size_t i = 0; i < SHARE_ARGUMENTS; i++) {
    double epsilon = report_number(plan, shares[i].figure);
    if (epsilon > 0) {
      any = true;
      printf("%-20s %-12.4g of that, %s; the fit has\n"
             "                                  the rest, %.4g a row\n",
             shares[i].plan, epsilon, shares[i].plans, report_number(plan, "epsilon_row"));
    }
  }
  return any;
}
