/* dperm plan: what a fit will do, from public numbers only. Looks at no record. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/arguments.h"
#include "arguments/fit_settings.h"
#include "arguments/share_settings.h"
#include "commands/commands.h"
#include "output/handles.h"
#include "output/json_report.h"
#include "output/message.h"
#include <dperm/plan.h>

/* Figures of a plan (docs/formats.md). */
static double at(const json_t *plan, const char *key) {
  return report_number(plan, key);
}

/* A bound, infinite where there is none. */
static double unbounded(const json_t *plan, const char *key) {
  double bound = at(plan, key);
  return isnan(bound) ? (double)INFINITY : bound;
}

static bool is(const json_t *plan, const char *key, const char *word) {
  const char *text = report_text(plan, key);
  return text && strcmp(text, word) == 0;
}

/* The kinds side by side; their norms are all Euclidean, so they compare. */
static void print_kinds(const json_t *p) {
  const json_t *kinds = json_object_get(p, "noise_kinds"), *k;
  size_t i;
  if (json_array_size(kinds) < 2) {
    return;
  }
  printf("\nnoise      beta         mean norm    rms norm     in 95 percent below\n");
  json_array_foreach(kinds, i, k) {
    const char *name = report_text(k, "noise");
    printf("%-10s %-12.4g %-12.4g %-12.4g %-12.4g%s\n", name, at(k, "beta"),
           at(k, "expected_noise_norm"), at(k, "rms_noise_norm"), at(k, "noise_norm_q95"),
           is(p, "noise", name) ? " <-" : "");
  }
}

static const char *noise_in_words(double noise_to_signal) {
  return noise_to_signal < 0.1   ? "far below what the data can say"
         : noise_to_signal < 0.5 ? "below what the data can say"
         : noise_to_signal < 2   ? "comparable to what the data can say"
                                 : "above what the data can say: expect a model of noise";
}

static void print_rows(const char *name, double rows, const char *words) {
  if (rows > 0) {
    printf("%s%-12.0f %s\n", name, rows, words);
  } else {
    printf("%snone         %s\n", name, words);
  }
}

/* What to expect: what a plan says in words. */
static void print_outlook(const json_t *p) {
  const char *blank = "                                  ";
  printf("\nnoise to signal      %-12.4g the noise is %s\n", at(p, "noise_to_signal"),
         noise_in_words(at(p, "noise_to_signal")));
  printf("loss                 %-12.4g above that of any model of typical length, at most, in 95\n"
         "%spercent of all runs; a coin's loss is %.4g\n",
         at(p, "excess_loss_q95"), blank, at(p, "coin_loss"));
  if (isnan(at(p, "epsilon_better_than_coin"))) {
    printf("better than a coin   never        with these settings no epsilon promises it\n");
  } else {
    printf("better than a coin   %-12.4g is the least epsilon that can promise it: %s\n"
           "%s(if the data allow: docs/guide.md 7)\n",
           at(p, "epsilon_better_than_coin"),
           at(p, "excess_loss_q95") < at(p, "coin_loss") ? "yours is enough" : "yours is too small",
           blank);
  }
  print_rows("rows for that        ", at(p, "rows_better_than_coin"), "at your epsilon");
  print_rows("rows for half noise  ", at(p, "rows_to_halve_noise"),
             "to halve noise to signal at your epsilon");
}

/* What of epsilon is not the fit's. */
static void print_schema_cost(const json_t *p) {
  const char *blank = "                                  ";
  if (!report_text(p, "refined_by")) {
    return;
  }
  printf("epsilon for schema   %-12.4g of that, ", at(p, "epsilon_refined"));
  if (is(p, "refined_by", "schema")) {
    printf("which its refinement cost: the fit has the rest\n");
  } else if (is(p, "refined_by", "counts")) {
    printf("for counts that train refines the schema by; what\n"
           "%sfollows is for the schema as it is\n",
           blank);
  } else {
    printf("for which train tests the records for binning; what\n"
           "%sfollows is for straight lines (--bins auto: for bins;\n"
           "%s--bins none: no test)\n",
           blank, blank);
  }
}

static void print_epsilon(const json_t *p) {
  const char *change = is(p, "neighbours", "add-remove") ? "adding or removing" : "replacing";
  if (!(at(p, "rows_per_person") > 1)) {
    printf("epsilon              %-12.4g for every record: %s one changes the probability of\n"
           "                                  any outcome by a factor of at most %.4g\n",
           at(p, "epsilon"), change, exp(at(p, "epsilon")));
    print_schema_cost(p);
    (void)share_settings_print_plan(p);
    return;
  }
  printf("epsilon              %-12.4g for every person with at most %.0f rows: %s them all\n"
         "                                  changes the probability of any outcome by a factor of\n"
         "                                  at most %.4g\n",
         at(p, "epsilon"), at(p, "rows_per_person"), change, exp(at(p, "epsilon")));
  print_schema_cost(p);
  bool shared = share_settings_print_plan(p);
  printf("epsilon of a row     %-12.4g what the mechanism runs at: %s/%.0f (group privacy)\n",
         at(p, "epsilon_row"), report_text(p, "refined_by") || shared ? "the rest" : "epsilon",
         at(p, "rows_per_person"));
}

static void print_delta(const json_t *p) {
  const char *blank = "                                  ";
  bool spent = at(p, "delta_core") > 0;
  printf("delta                %-12.2g and by this much on top, for %s\n", at(p, "delta"),
         spent ? "far gaussian noise" : "noise too long to be certified");
  if (spent) {
    printf("delta of numerics    %-12.2g of it: noise too long to be certified\n",
           at(p, "delta_numerics"));
  } else if (at(p, "delta_given") > 0) {
    printf("delta given          %-12.2g not spent: %s noise needs none, and the claim has the\n"
           "%sdelta above\n",
           at(p, "delta_given"), report_text(p, "noise"), blank);
  }
}

static void print_share(const json_t *p) {
  if (is(p, "multiclass", "joint")) {
    printf("classes              %-12.0f learned jointly, in one fit with noise for each of them;\n"
           "                                  norms are those of all weights together\n",
           at(p, "classes"));
  } else if (is(p, "multiclass", "one-vs-rest")) {
    printf("epsilon of a class   %-12.4g for each of %.0f fits, one for each class against the "
           "rest;\n                                  what follows is about one of them\n",
           at(p, "epsilon_class"), at(p, "classes"));
  }
}

static void print_text(const json_t *p) {
  bool adding = is(p, "neighbours", "add-remove");
  printf("%s%.0f rows of %.0f columns, norm at most %g\n\n", adding ? "about " : "",
         at(p, adding ? "rows_about" : "rows"), at(p, "dims"), at(p, "norm"));
  if (!report_text(p, "noise")) {
    printf("mechanism none: nothing is private\nlambda   %.4g\n", at(p, "lambda"));
    return;
  }
  bool objective = is(p, "mechanism", "objective");
  print_epsilon(p);
  print_delta(p);
  print_share(p);
  if (objective) {
    printf(
        "mechanism            objective    a random linear term in the objective (%s analysis)\n",
        report_text(p, "analysis"));
  } else {
    printf("mechanism            output       noise on the finished weights\n");
  }
  printf("lambda               %-12.4g regularization\n", at(p, "lambda"));
  if (objective) {
    printf("delta_reg            %-12.4g extra regularization for privacy\n", at(p, "delta_reg"));
  }
  printf("beta                 %-12.4g %s noise with density ~ exp(-%s)\n", at(p, "beta"),
         report_text(p, "noise"), at(p, "delta_core") > 0 ? "(beta |b|)^2/2" : "beta |b|");
  printf("noise norm           %-12.4g on average; below %.4g in half of all runs,\n"
         "                                  below %.4g in 95 percent\n",
         at(p, "expected_noise_norm"), at(p, "noise_norm_q50"), at(p, "noise_norm_q95"));
  printf("shift of the weights %-12.4g at most, in rms; without noise they are at most\n"
         "                                  %.4g long\n",
         at(p, "shift_rms"), at(p, "solution_norm_bound"));
  printf("release              %-12.4g rms added to the weights, to hide rounding errors of up to\n"
         "                                  %.2g; this takes %.2g of epsilon\n",
         at(p, "lattice_noise_rms"), at(p, "solution_error"),
         at(p, "epsilon_class") - at(p, "epsilon_core"));
  printf("excess objective     %-12.4g at most, in 95 percent of all runs (%.4g in half)\n",
         unbounded(p, "excess_objective_q95"), unbounded(p, "excess_objective_q50"));
  print_outlook(p);
  print_kinds(p);
}

/* ---- columns */

enum { SHOWN_MOST = 20 };

/* The next column to show: the one with most of the noise behind those that were shown. */
static const json_t *next_column(const json_t *columns, bool *shown) {
  const json_t *c, *best = NULL;
  size_t i, found = 0;
  json_array_foreach(columns, i, c) {
    if (!shown[i] && (!best || at(c, "noise_share") > at(best, "noise_share"))) {
      best = c;
      found = i;
    }
  }
  shown[found] = true;
  return best;
}

/* "-3.1%" */
static void print_change(double relative) {
  if (isnan(relative)) {
    printf(" %11s", "-");
  } else {
    printf(" %+10.1f%%", 100 * (relative - 1));
  }
}

static void print_column(const json_t *c) {
  const char *second = report_text(c, "crossed_with");
  char name[64];
  (void)snprintf(name, sizeof name, "%.30s%s%.30s", visible(report_text(c, "name")).text,
                 second ? "*" : "", second ? visible(second).text : "");
  printf("%-26s %7.0f %8.1f%%", name, at(c, "dims"), 100 * at(c, "noise_share"));
  print_change(at(c, "without"));
  print_change(at(c, "halved"));
  if (at(c, "bins") > 0) {
    printf("  %.0f", at(c, "bins"));
  }
  printf("\n");
}

static void print_columns(const json_t *p) {
  const json_t *columns = json_object_get(p, "columns");
  size_t count = json_array_size(columns);
  if (count == 0 || isnan(at(json_array_get(columns, 0), "noise_share"))) {
    return;
  }
  bool *shown = calloc(count, sizeof *shown);
  if (!shown) {
    return;
  }
  printf("\ncolumn                     encoded  of noise  without it    halved  bins that pay\n");
  for (size_t i = 0; i < count && i < SHOWN_MOST; i++) {
    print_column(next_column(columns, shown));
  }
  free(shown);
  if (count > SHOWN_MOST) {
    printf("(the %d with most of the noise; --json has all %zu)\n", SHOWN_MOST, count);
  }
  printf(
      "without it, halved: how the noise's rms norm changes if the column is left out, or has "
      "half\n"
      "as many values; a column that says little about the label is worth less than its noise\n");
}

/* ---- the call */

/* With --neighbours add-remove it is --rows-about that must be there, and is asked for. */
static bool rows_given(const size_t *rows, const fit_settings *fit) {
  bool counted = strcmp(fit->neighbours, dperm_neighbours_name(DPERM_NEIGHBOURS_REPLACE)) == 0;
  return argument_given(rows) || fit->rows_about || !counted ||
         refuse(wrong_usage("--rows is missing"));
}

int run_plan(int argc, char **argv) {
  fit_settings fit;
  const char *schema_path = NULL, *classes_text = NULL;
  dperm_plan_rows of = {.norm = 1, .norm1 = (double)INFINITY};
  uint64_t classes = 0;
  bool json = false;
  share_settings shares;
  enum { OWN = 8 + SHARE_ARGUMENTS };
  argument table[OWN + FIT_ARGUMENTS] = {
      {"--rows", ARGUMENT_COUNT, &of.rows, false, "N",
       "the number of records; or --rows-about with --neighbours add-remove"},
      {"--schema", ARGUMENT_INPUT, &schema_path, false, "FILE", "the schema, or else --dims"},
      {"--dims", ARGUMENT_COUNT, &of.dims, false, "D", "the number of encoded columns"},
      {"--norm", ARGUMENT_POSITIVE, &of.norm, false, "R", "with --dims: bound on a row's norm (1)"},
      {"--norm1", ARGUMENT_POSITIVE, &of.norm1, false, "R1",
       "with --dims: bound on the sum of a row's absolute entries (sqrt(D) R)"},
      {"--classes", ARGUMENT_TEXT, &classes_text, false, "K",
       "with --dims: the number of classes (2)"},
      {"--json", ARGUMENT_FLAG, &json, false, NULL, "for programs"},
  };
  dperm_options options;
  fit_settings_init(&fit, table + OWN);
  table[7] = refine_argument(&fit.bins.refine);
  share_settings_init(&shares, false, table + 8);
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv,
                       "A plan looks at no record, so it costs no privacy: plan as often as you "
                       "like. docs/guide.md explains each line.") ||
      !rows_given(&of.rows, &fit) || !fit_settings_one(&fit, &options) ||
      !share_settings_choose(&shares, &options) || !refine_has_schema(&fit.bins, schema_path)) {
    return refused();
  }
  if ((schema_path != NULL) == (of.dims > 0)) {
    return wrong_usage("give either --schema or --dims");
  }
  if (classes_text && (!read_whole(classes_text, &classes) || classes < 2 || classes > SIZE_MAX)) {
    return wrong_usage("--classes must be a whole number from 2, not \"%.40s\"", classes_text);
  }
  if (of.dims > 0 && argument_given(&fit.bins.bins)) {
    return wrong_usage("--bins goes with --schema, which has the columns");
  }
  if (of.dims > 0 && options.class_weight_count > 0) {
    return wrong_usage("--class-weights goes with --schema, which names the classes");
  }
  if (schema_path && (argument_given(&of.norm) || argument_given(&of.norm1) || classes)) {
    return wrong_usage("--classes, --norm and --norm1 go with --dims; a schema has its own");
  }
  options.classes = (size_t)classes;
  dperm_error err;
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  char *text = NULL;
  if (schema_path && dperm_schema_read(schema_path, &schema, &err) != DPERM_OK) {
    return report_error(&err);
  }
  of.schema = schema;
  if (dperm_plan_report(&of, &options, &text, &err) != DPERM_OK) {
    return report_error(&err);
  }
  delta_warn(&options, of.rows); /* of what is not refused */
  share_settings_warn(&options, of.rows);
  json_t *plan = report_of(text);
  if (json) {
    report_print(plan);
    return 0;
  }
  print_text(plan);
  print_columns(plan);
  json_decref(plan);
  if (options.class_weight_count > 0) {
    printf("\nclass weights: the heaviest class counts 1 and the others less, so all bounds above\n"
           "hold; what the data can say is less by as much as they weigh less\n");
  }
  return 0;
}
