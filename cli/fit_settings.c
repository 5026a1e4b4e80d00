/* See fit_settings.h. */
#include "fit_settings.h"

#include <math.h>
#include <string.h>

#include "session.h"

static const char *const mechanism_names[] = {"objective", "output", "none"};
static const char *const analysis_names[] = {"tight", "paper"};

const char *mechanism_name(dperm_mechanism mechanism) {
  return mechanism_names[mechanism];
}

const char *analysis_name(dperm_analysis analysis) {
  return analysis_names[analysis];
}

void fit_settings_init(fit_settings *s, argument *table) {
  *s = (fit_settings){.loss = "logistic",
                      .mechanism = "objective",
                      .analysis = "tight",
                      .epsilon = (double)NAN,
                      .h = 0.5,
                      .lambda = (double)NAN,
                      .delta_reg = (double)NAN,
                      .norm_guess = (double)NAN};
  const argument lines[FIT_ARGUMENTS] = {
      {"--epsilon", ARGUMENT_POSITIVE, &s->epsilon, false, "E",
       "the privacy budget; required unless --mechanism none", NULL, false},
      {"--mechanism", ARGUMENT_TEXT, &s->mechanism, false, "M",
       "objective (default), output or none", NULL, false},
      {"--loss", ARGUMENT_TEXT, &s->loss, false, "L", "logistic (default), huber or smooth-hinge",
       NULL, false},
      {"--h", ARGUMENT_POSITIVE, &s->h, false, "H", "half-width of a hinge's smooth piece (0.5)",
       NULL, false},
      {"--lambda", ARGUMENT_POSITIVE, &s->lambda, false, "X|auto",
       "regularization; auto (default) chooses from public numbers", "auto", false},
      {"--delta-reg", ARGUMENT_NUMBER, &s->delta_reg, false, "X|auto",
       "extra regularization of objective perturbation (auto)", "auto", false},
      {"--norm-guess", ARGUMENT_POSITIVE, &s->norm_guess, false, "F",
       "a public guess of the weights' norm, to choose --delta-reg", NULL, false},
      {"--analysis", ARGUMENT_TEXT, &s->analysis, false, "tight|paper",
       "how epsilon becomes noise; paper is for comparison", NULL, false},
  };
  memcpy(table, lines, sizeof lines);
}

static bool choose(const char *text, const char *const *names, int count, int *out) {
  for (*out = 0; *out < count; ++*out) {
    if (strcmp(names[*out], text) == 0) {
      return true;
    }
  }
  return false;
}

static bool refuse(int *exit_status, int code) {
  *exit_status = code;
  return false;
}

bool fit_settings_apply(const fit_settings *s, const char *command_name, dperm_options *options,
                        int *exit_status) {
  int mechanism = 0, analysis = 0;
  dperm_error err;
  dperm_options_init(options);
  if (!choose(s->mechanism, mechanism_names, 3, &mechanism)) {
    return refuse(exit_status,
                  wrong_usage(command_name, "--mechanism must be objective, output or none"));
  }
  if (!choose(s->analysis, analysis_names, 2, &analysis)) {
    return refuse(exit_status, wrong_usage(command_name, "--analysis must be tight or paper"));
  }
  bool noisy = mechanism != DPERM_MECHANISM_NONE;
  if (noisy && isnan(s->epsilon)) {
    return refuse(exit_status, wrong_usage(command_name, "--epsilon is missing: it has no default, "
                                                         "the choice is yours"));
  }
  if (!noisy && !isnan(s->epsilon)) {
    return refuse(exit_status,
                  wrong_usage(command_name, "--epsilon does not go with --mechanism none"));
  }
  bool shaped = !isnan(s->delta_reg) || !isnan(s->norm_guess) || analysis != 0;
  if (shaped && mechanism != DPERM_MECHANISM_OBJECTIVE) {
    return refuse(exit_status, wrong_usage(command_name, "--delta-reg, --norm-guess and --analysis "
                                                         "are for --mechanism objective"));
  }
  if (dperm_loss_by_name(s->loss, s->h, &options->loss, &err) != DPERM_OK) {
    return refuse(exit_status, report_error(&err));
  }
  options->mechanism = (dperm_mechanism)mechanism;
  options->analysis = (dperm_analysis)analysis;
  options->epsilon = s->epsilon;
  options->lambda = s->lambda;
  options->delta_reg = s->delta_reg;
  options->norm_guess = s->norm_guess;
  return true;
}
