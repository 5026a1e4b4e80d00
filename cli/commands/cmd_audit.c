/* dperm audit: attacks this very build, or somebody else's trainer, and says what epsilon it has at
 * least. JSON on stdout, a table for people on stderr. */
#include <dperm/audit.h>
#include <math.h>

#include "commands/commands.h"
#include "commands/external_trainer.h"

static const char closing[] =
    "Fits this build's own models to two data sets that differ in one record, the worst known "
    "pair, and guesses from each model which data set it came from. If the claim holds, right "
    "guesses are at most e^epsilon times as frequent as wrong ones, so their counts give a lower "
    "bound on epsilon. The exit status is 1 if that exceeds the claim.\n"
    "Mechanisms: output, objective (default), jacobian, weights, add-output, add-objective, "
    "add-jacobian, gaussian-output, gaussian-objective, add-gaussian-output and "
    "add-gaussian-objective, each for every loss; joint and add-joint (variants objective, output "
    "and jacobian), gaussian-joint and add-gaussian-joint (output and descent), gaussian-jacobian, "
    "elliptic, shape, intercept, selector, split, stopping, refine, add-refine, bins, columns, "
    "scale, add-scale, width, add-width, calibration, add-calibration, intervals, pairs, "
    "add-pairs, persons, "
    "add-persons, "
    "held-out, add-held-out, score, add-score, noise (every kind), lattice and rows; --all runs "
    "them all. Gaussian audits use a delta large enough for its effect to be measured, or "
    "--delta.\n"
    "--command audits another trainer, run as 'CMD FILE N': it prints N lines, each the weights of "
    "a new model as a JSON array. docs/audit.md explains.";

typedef struct audit_settings {
  dperm_audit_options options;
  const char *loss, *command, *first, *second;
  uint64_t seed;
  bool all, json;
} audit_settings;

/* ---- what is printed */

static const char *verdict(const dperm_audit_result *r) {
  return r->holds ? "not refuted" : "refuted";
}

static json_t *result_json(const dperm_audit_result *r, double delta) {
  bool distance = isfinite(r->distance);
  return json_pack("{s:s, s:s, s:o, s:o, s:o, s:f, s:I, s:o*, s:o*, s:s}", "mechanism",
                   r->mechanism, "variant", r->variant, "epsilon_claimed",
                   report_figure(r->epsilon_claimed), "delta_claimed", report_figure(delta),
                   "epsilon_lower_bound", report_figure(r->epsilon_lower_bound), "confidence",
                   r->confidence, "draws", (json_int_t)r->draws, "distance",
                   distance ? report_figure(r->distance) : NULL, "limit",
                   distance ? report_figure(r->limit) : NULL, "verdict", verdict(r));
}

static void print_heading(void) {
  note("%-22s %-18s %8s %8s %9s %12s", "mechanism", "variant", "epsilon", "delta", "at least",
       "draws a side");
}

static void print_row(const dperm_audit_result *r, double delta) {
  progress_bar_wipe();
  if (isfinite(r->distance)) {
    note("%-22s %-18s %8s %8s %9s %12zu  %s (off by %.4g, limit %.4g)", r->mechanism, r->variant,
         "", "", "", r->draws, verdict(r), r->distance, r->limit);
  } else {
    note("%-22s %-18s %8g %8.3g %9.4f %12zu  %s", r->mechanism, r->variant, r->epsilon_claimed,
         delta, r->epsilon_lower_bound, r->draws, verdict(r));
  }
}

/* ---- this build */

/* Every audit, or every one of a mechanism. */
static dperm_status run_several(const audit_settings *s, const char *mechanism, bool *holds,
                                dperm_error *err) {
  dperm_audit_options o = s->options;
  json_t *results = json_array();
  double delta = 0;
  o.delta_claimed = &delta;
  print_heading();
  for (size_t i = 0; dperm_audit_case(i, &o.mechanism, &o.variant); i++) {
    dperm_audit_result result;
    if (mechanism && strcmp(mechanism, o.mechanism) != 0) {
      continue;
    }
    dperm_status status = dperm_audit_run(&o, &result, err);
    if (status != DPERM_OK) {
      json_decref(results);
      return status;
    }
    (void)json_array_append_new(results, result_json(&result, delta));
    print_row(&result, delta);
    *holds = *holds && result.holds;
  }
  report_print(results);
  return DPERM_OK;
}

static void finish(const dperm_audit_result *r, double delta, bool *holds) {
  print_heading();
  print_row(r, delta);
  report_print(result_json(r, delta));
  *holds = r->holds;
}

static dperm_status run_one(const audit_settings *s, bool *holds, dperm_error *err) {
  dperm_audit_options o = s->options;
  dperm_audit_result result;
  double delta = 0;
  o.delta_claimed = &delta;
  TRY(dperm_audit_run(&o, &result, err));
  finish(&result, delta, holds);
  return DPERM_OK;
}

/* ---- somebody else's */

static dperm_status run_command(const audit_settings *s, bool *holds, dperm_error *err) {
  OWNED(trainer_outcomes_clear) trainer_outcomes found = {{NULL, NULL}, 0, 0};
  const dperm_audit_options *o = &s->options;
  dperm_audit_result result;
  TRY(trainer_run(s->command, s->first, s->second, o->draws ? o->draws : 20000, &found, err));
  TRY(dperm_audit_outcomes(found.values[0], found.values[1], found.count, found.dims, o->epsilon,
                           o->delta, &result, err));
  finish(&result, o->delta, holds);
  return DPERM_OK;
}

/* ---- the call */

static dperm_status check_together(const audit_settings *s, dperm_error *err) {
  const dperm_audit_options *o = &s->options;
  bool one = argument_given(&o->mechanism) || s->loss || o->variant;
  const usage_rule rules[] = {
      {s->command && (one || s->all || argument_given(&s->seed) || o->threads),
       "--command goes with --epsilon, --delta, --draws, --first and --second only"},
      {!s->command && (s->first || s->second), "--first and --second go with --command"},
      {s->command && !(o->delta >= 0 && o->delta < 1), "--delta must be at least 0 and below 1"},
      {!s->command && argument_given(&o->delta) && !(o->delta > 0 && o->delta < 1),
       "--delta must be above 0 and below 1; leave it out for the usual one"},
      {s->all && argument_given(&o->delta),
       "--delta goes with one audit of gaussian noise, or with --command, not with --all"},
      {!s->first != !s->second, "--first and --second go together"},
      {s->all && one, "--all runs every audit; leave out --mechanism, --loss and --variant"},
      {s->loss && o->variant, "--loss and --variant are the same; give one"},
  };
  return usage_rules_hold(rules, sizeof rules / sizeof *rules, err);
}

dperm_status run_audit(int argc, char **argv, dperm_error *err) {
  audit_settings s = {.loss = NULL};
  dperm_audit_options *o = &s.options;
  dperm_audit_options_init(o);
  argument table[] = {
      {"--mechanism", ARGUMENT_TEXT, &o->mechanism, false, "M",
       "mechanism to attack (default: objective)"},
      {"--loss", ARGUMENT_TEXT, &s.loss, false, NULL, "loss of the models (default: huber)",
       GROUP_USUAL, loss_name},
      {"--variant", ARGUMENT_TEXT, &o->variant, false, "V",
       "variant of a mechanism without a loss, as named by --all"},
      {"--epsilon", ARGUMENT_POSITIVE, &o->epsilon, false, "E", "claim to attack (default: 1)"},
      {"--delta", ARGUMENT_NUMBER, &o->delta, false, "D",
       "delta of the claim; for Gaussian noise, or for --command, where the default is 0"},
      {"--draws", ARGUMENT_COUNT, &o->draws, false, "N",
       "models per data set (default: 400000 for a fit, more for a small E)"},
      {"--all", ARGUMENT_FLAG, &s.all, false, NULL, "run every audit; the result is an array"},
      {"--command", ARGUMENT_TEXT, &s.command, false, "CMD", "audit another trainer instead",
       GROUP_DATA},
      {"--first", ARGUMENT_INPUT, &s.first, false, "FILE",
       "with --command: your own records (default: a built-in pair)", GROUP_DATA},
      {"--second", ARGUMENT_INPUT, &s.second, false, "FILE",
       "with --command: the same records with one replaced", GROUP_DATA},
      shared_argument("--threads", &o->threads),
      {"--seed", ARGUMENT_SEED, &s.seed, false, "N",
       "reproducible draws (default: the secure random source)", GROUP_DATA},
      {"--json", ARGUMENT_FLAG, &s.json, false, NULL,
       "accepted for consistency: output is always JSON, with a table on stderr", GROUP_OUTPUT},
  };
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing, err));
  TRY(check_together(&s, err));
  o->variant = o->variant ? o->variant : s.loss;
  o->seed = argument_given(&s.seed) ? &s.seed : NULL;
  o->progress = *progress_bar();
  bool kinds = strcmp(o->mechanism, "noise") == 0 && !o->variant;
  bool holds = true;
  TRY(s.command ? run_command(&s, &holds, err)
      : s.all   ? run_several(&s, NULL, &holds, err)
      : kinds   ? run_several(&s, o->mechanism, &holds, err)
                : run_one(&s, &holds, err));
  return holds ? DPERM_OK : fail(err, DPERM_INVALID_DATA, "%s", ""); /* the table says it */
}
