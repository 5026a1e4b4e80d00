/* dperm audit: attacks this very build, or somebody else's trainer, and says what epsilon it has at
 * least. JSON on stdout, a table for people on stderr. */
#include <dperm/audit.h>
#include <math.h>

#include "commands/commands.h"
#include "commands/external_trainer.h"
#include "output/gnuplot.h"

static const char closing[] =
    "Fits this build's own models to two data sets that differ in one record, the worst pair that "
    "is known, and guesses from each model which one it was. By the claim, right guesses are at "
    "most e^epsilon times as frequent as wrong ones: their counts give a lower bound on epsilon. "
    "Exit status 1 if it exceeds the claim.\n"
    "Mechanisms and their variants are those that --all runs and docs/audit.md explains; variants "
    "are mostly losses. Gaussian noise has a delta so large that what it allows for is seen, or "
    "--delta.\n"
    "--command audits another trainer, run as 'CMD FILE N': it prints N lines, each the weights of "
    "a new model as a JSON array. docs/audit.md explains.";

typedef struct audit_settings {
  dperm_audit_options options;
  const char *loss, *command, *first, *second, *plot;
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

/* ---- the picture: both output distributions as histograms on a logarithmic scale, where "within a
 * factor of e^ε" is a band of constant height. The first data set's line has to stay inside the
 * second one's band */

static void write_outcomes(FILE *script, const char *name, const double *outcome, size_t count) {
  fprintf(script, "$%s << EOD\n", name);
  for (size_t i = 0; i < count; i++) {
    fprintf(script, "%.9g\n", outcome[i]);
  }
  fprintf(script, "EOD\nstats $%s nooutput name '%s'\n", name, name);
}

/* Fewer than 30 outcomes in a bin are mostly chance, and not drawn. */
static void write_script(FILE *script, const char *title, double epsilon, double *const outcome[2],
                         size_t count) {
  static const char *const names[] = {"first", "second"};
  write_outcomes(script, names[0], outcome[0], count);
  write_outcomes(script, names[1], outcome[1], count);
  fprintf(script,
          "reach = 3.5 * (first_stddev > 0 ? first_stddev : 1)\n"
          "low = (first_mean < second_mean ? first_mean : second_mean) - reach\n"
          "high = (first_mean > second_mean ? first_mean : second_mean) + reach\n"
          "density(n) = n < 30 ? NaN : n * 63 / (high - low) / %zu\nset xrange [low:high]\n",
          count);
  for (int side = 0; side < 2; side++) {
    fprintf(script,
            "set table $%s_bins\nplot $%s using 1 bins=64 binrange [low:high] with boxes\n"
            "unset table\n",
            names[side], names[side]);
  }
  fprintf(
      script,
      "set title '%s' noenhanced\nset key above noenhanced\nset xlabel 'released weight'\n"
      "set ylabel 'density'\nset logscale y\nset format y '%%g'\n"
      "plot $second_bins using 1:(density($2)/%.9g):(density($2)*%.9g) with filledcurves fc rgb "
      "'#f3d9c4' title 'e^%g = %.4g times more or less', '' using 1:(density($2)) with histeps "
      "lc rgb '#b3541e' lw 2 title 'second data set, one record replaced', $first_bins using "
      "1:(density($2)) with histeps lc rgb '#1f5fa8' lw 2 title 'first data set'\n",
      title, exp(epsilon), exp(epsilon), epsilon, exp(epsilon));
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

static dperm_status finish(const audit_settings *s, const dperm_audit_result *r, double delta,
                           double *const outcome[2], size_t count, bool *holds, dperm_error *err) {
  print_heading();
  print_row(r, delta);
  report_print(result_json(r, delta));
  *holds = r->holds;
  if (!s->plot || !isfinite(r->epsilon_lower_bound) || !outcome[0]) {
    return DPERM_OK;
  }
  const double rounding = 1e-30; /* what is below is of pure noise */
  char title[160], claim[60];
  (void)snprintf(claim, sizeof claim, delta > rounding ? "(%g, %g)" : "%g", r->epsilon_claimed,
                 delta);
  (void)snprintf(title, sizeof title, "%s%s%s, claimed epsilon %s: at least %.3f", r->mechanism,
                 *r->variant ? ", " : "", r->variant, claim, r->epsilon_lower_bound);
  OWNED_STREAM FILE *script = NULL;
  OWNED_MEMORY char *svg = NULL;
  TRY(gnuplot_begin(820, 470, &script, err));
  write_script(script, title, r->epsilon_claimed, outcome, count);
  TRY(gnuplot_draw(script, &svg, err));
  return write_text(s->plot, svg, strlen(svg), err);
}

static dperm_status run_one(const audit_settings *s, bool *holds, dperm_error *err) {
  enum { PICTURED = 100000 };
  dperm_audit_options o = s->options;
  dperm_audit_result result;
  double delta = 0;
  o.delta_claimed = &delta;
  OWNED_MEMORY double *outcomes = s->plot ? calloc((size_t)2 * PICTURED, sizeof *outcomes) : NULL;
  if (s->plot && !outcomes) {
    return out_of_memory(err);
  }
  if (outcomes) {
    o.outcome[0] = outcomes;
    o.outcome[1] = outcomes + PICTURED;
    o.outcomes = PICTURED;
  }
  TRY(dperm_audit_run(&o, &result, err));
  return finish(s, &result, delta, o.outcome, result.draws < PICTURED ? result.draws : PICTURED,
                holds, err);
}

/* ---- somebody else's */

static dperm_status run_command(const audit_settings *s, bool *holds, dperm_error *err) {
  OWNED(trainer_outcomes_clear) trainer_outcomes found = {{NULL, NULL}, 0, 0};
  const dperm_audit_options *o = &s->options;
  dperm_audit_result result;
  TRY(trainer_run(s->command, s->first, s->second, o->draws ? o->draws : 20000, &found, err));
  TRY(dperm_audit_outcomes(found.values[0], found.values[1], found.count, found.dims, o->epsilon,
                           o->delta, &result, err));
  for (int side = 0; side < 2; side++) { /* a picture has the first number of each outcome */
    for (size_t i = 0; i < found.count; i++) {
      found.values[side][i] = found.values[side][i * found.dims];
    }
  }
  return finish(s, &result, o->delta, found.values, found.count, holds, err);
}

/* ---- the call */

static dperm_status check_together(const audit_settings *s, dperm_error *err) {
  const dperm_audit_options *o = &s->options;
  bool one = argument_given(&o->mechanism) || s->loss || o->variant;
  const usage_rule rules[] = {
      {s->command && (one || s->all || argument_given(&s->seed) || o->threads),
       "--command goes with --epsilon, --delta, --draws, --first, --second and --plot only"},
      {!s->command && (s->first || s->second), "--first and --second go with --command"},
      {s->command && !(o->delta >= 0 && o->delta < 1), "--delta must be at least 0 and below 1"},
      {!s->command && argument_given(&o->delta) && !(o->delta > 0 && o->delta < 1),
       "--delta must be above 0 and below 1; leave it out for the usual one"},
      {s->all && argument_given(&o->delta),
       "--delta goes with one audit of gaussian noise, or with --command, not with --all"},
      {!s->first != !s->second, "--first and --second go together"},
      {s->all && (one || s->plot),
       "--all runs every audit; leave out --mechanism, --loss, --variant and --plot"},
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
       "variant of mechanisms without a loss, as --all names them"},
      {"--epsilon", ARGUMENT_POSITIVE, &o->epsilon, false, "E", "claim to attack (default: 1)"},
      {"--delta", ARGUMENT_NUMBER, &o->delta, false, "D",
       "delta of a claim with gaussian noise, or of --command (default: 0)"},
      {"--draws", ARGUMENT_COUNT, &o->draws, false, "N",
       "models of each data set (default: 400000 for a fit, more for a small E)"},
      {"--all", ARGUMENT_FLAG, &s.all, false, NULL, "run every audit; the result is an array"},
      {"--command", ARGUMENT_TEXT, &s.command, false, "CMD", "audit another trainer instead",
       GROUP_DATA},
      {"--first", ARGUMENT_INPUT, &s.first, false, "FILE",
       "with --command: records of your own (default: a built-in pair)", GROUP_DATA},
      {"--second", ARGUMENT_INPUT, &s.second, false, "FILE",
       "with --command: the same records with one replaced", GROUP_DATA},
      shared_argument("--threads", &o->threads),
      {"--seed", ARGUMENT_SEED, &s.seed, false, "N",
       "reproducible draws (default: the secure source)", GROUP_DATA},
      {"--plot", ARGUMENT_OUTPUT, &s.plot, false, "F.svg",
       "picture of both output distributions (needs gnuplot)", GROUP_OUTPUT},
      {"--json", ARGUMENT_FLAG, &s.json, false, NULL,
       "no effect: standard output is JSON, the table is on stderr", GROUP_OUTPUT},
  };
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv, closing, err));
  TRY(check_together(&s, err));
  o->variant = o->variant ? o->variant : s.loss;
  o->seed = argument_given(&s.seed) ? &s.seed : NULL;
  o->progress = *progress_bar();
  bool kinds = strcmp(o->mechanism, "noise") == 0 && !o->variant;
  TRY(s.plot ? gnuplot_check(s.plot, err) : DPERM_OK); /* before the long work */
  bool holds = true;
  TRY(s.command ? run_command(&s, &holds, err)
      : s.all   ? run_several(&s, NULL, &holds, err)
      : kinds   ? run_several(&s, o->mechanism, &holds, err)
                : run_one(&s, &holds, err));
  return holds ? DPERM_OK : fail(err, DPERM_INVALID_DATA, "%s", ""); /* the table says it */
}
