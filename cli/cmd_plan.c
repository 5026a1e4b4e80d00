/* dperm plan: what a fit will do, from public numbers only. Looks at no record. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "calibrate_setting.h"
#include "dperm/multiclass.h"
#include "dperm/plan.h"
#include "fit_settings.h"
#include "handles.h"
#include "json_print.h"
#include "plan_advice.h"
#include "session.h"

/* A number of rows, or null where there is none. */
static void print_json_rows(const char *key, size_t rows) {
  printf(rows ? "  \"%s\": %zu,\n" : "  \"%s\": null,\n", key, rows);
}

static void print_json(const dperm_plan *p, const dperm_plan *kinds, size_t count,
                       const plan_advice *advice, const dperm_schema *schema) {
  bool adding = p->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  printf(adding ? "{\n  \"rows\": null,\n  \"rows_about\": %zu,\n" : "{\n  \"rows\": %zu,\n",
         p->rows);
  printf("  \"dims\": %zu,\n", p->dims);
  print_json_number("norm", p->norm, ",");
  print_json_number("norm1", p->norm1, ",");
  printf("  \"mechanism\": \"%s\",\n", dperm_mechanism_name(p->mechanism));
  printf(p->mechanism == DPERM_MECHANISM_OBJECTIVE ? "  \"analysis\": \"%s\",\n"
                                                   : "  \"analysis\": null,\n",
         dperm_analysis_name(p->analysis));
  print_json_number("epsilon", p->epsilon, ",");
  print_json_number("epsilon_refined", p->noise ? p->epsilon_schema : (double)NAN, ",");
  print_json_text("refined_by", p->schema_cost, ",");
  print_json_number("epsilon_calibrated", p->noise ? p->epsilon_calibrated : (double)NAN, ",");
  printf("  \"rows_per_person\": %zu,\n", p->rows_per_person);
  print_json_text("neighbours", dperm_neighbours_name(p->neighbours), ",");
  print_json_number("epsilon_row", p->epsilon_row, ",");
  printf("  \"classes\": %zu,\n", p->classes);
  printf(
      p->classes > 2 ? "  \"multiclass\": \"%s\",\n" : "  \"multiclass\": null,\n",
      dperm_multiclass_name(p->fits == 1 ? DPERM_MULTICLASS_JOINT : DPERM_MULTICLASS_ONE_VS_REST));
  print_json_number("epsilon_class", p->epsilon_class, ",");
  print_json_number("delta", p->delta, ",");
  print_json_number("delta_given", p->delta_given, ",");
  print_json_number("delta_numerics", p->noise ? p->delta_numerics : (double)NAN, ",");
  print_json_number("delta_core", p->noise ? p->delta_core : (double)NAN, ",");
  print_json_number("lambda", p->lambda, ",");
  print_json_number("delta_reg", p->delta_reg, ",");
  printf(p->noise ? "  \"noise\": \"%s\",\n" : "  \"noise\": null,\n", p->noise);
  print_json_number("beta", p->beta, ",");
  print_json_number("expected_noise_norm", p->expected_noise_norm, ",");
  print_json_number("rms_noise_norm", p->rms_noise_norm, ",");
  print_json_number("noise_norm_q50", p->noise_norm_q50, ",");
  print_json_number("noise_norm_q95", p->noise_norm_q95, ",");
  print_json_number("shift_rms", p->shift_rms, ",");
  print_json_number("epsilon_core", p->epsilon_core, ",");
  print_json_number("solution_error", p->solution_error, ",");
  print_json_number("lattice_noise_rms", p->lattice_noise_rms, ",");
  print_json_number("solution_norm_bound", p->solution_norm_bound, ",");
  print_json_number("excess_objective_q50", p->excess_objective_q50, ",");
  print_json_number("excess_objective_q95", p->excess_objective_q95, ",");
  print_json_number("noise_to_signal", p->noise_to_signal, ",");
  print_json_number("coin_loss", p->coin_loss, ",");
  print_json_number("excess_loss_q95", p->excess_loss_q95, ",");
  print_json_number("epsilon_better_than_coin", p->epsilon_better_than_coin, ",");
  print_json_rows("rows_better_than_coin", p->rows_better_than_coin);
  print_json_rows("rows_to_halve_noise", p->rows_to_halve_noise);
  if (schema) {
    plan_advice_print_json(advice, schema);
  }
  printf("  \"noise_kinds\": [");
  for (size_t i = 0; i < count; i++) {
    const dperm_plan *k = &kinds[i];
    printf("%s\n  {\n  \"noise\": \"%s\",\n", i ? "," : "", k->noise);
    print_json_number("beta", k->beta, ",");
    print_json_number("expected_noise_norm", k->expected_noise_norm, ",");
    print_json_number("rms_noise_norm", k->rms_noise_norm, ",");
    print_json_number("noise_norm_q95", k->noise_norm_q95, "");
    printf("  }");
  }
  printf("]\n}\n");
}

/* The kinds side by side; their norms are all Euclidean, so they compare. */
static void print_kinds(const dperm_plan *p, const dperm_plan *kinds, size_t count) {
  printf("\nnoise      beta         mean norm    rms norm     in 95 percent below\n");
  for (size_t i = 0; i < count; i++) {
    const dperm_plan *k = &kinds[i];
    printf("%-10s %-12.4g %-12.4g %-12.4g %-12.4g%s\n", k->noise, k->beta, k->expected_noise_norm,
           k->rms_noise_norm, k->noise_norm_q95, strcmp(k->noise, p->noise) == 0 ? " <-" : "");
  }
}

static const char *noise_in_words(double noise_to_signal) {
  return noise_to_signal < 0.1   ? "far below what the data can say"
         : noise_to_signal < 0.5 ? "below what the data can say"
         : noise_to_signal < 2   ? "comparable to what the data can say"
                                 : "above what the data can say: expect a model of noise";
}

static void print_rows(const char *name, size_t rows, const char *words) {
  if (rows) {
    printf("%s%-12zu %s\n", name, rows, words);
  } else {
    printf("%snone         %s\n", name, words);
  }
}

/* What to expect: what a plan says in words. */
static void print_outlook(const dperm_plan *p) {
  const char *blank = "                                  ";
  printf("\nnoise to signal      %-12.4g the noise is %s\n", p->noise_to_signal,
         noise_in_words(p->noise_to_signal));
  printf("loss                 %-12.4g above that of any model of typical length, at most, in 95\n"
         "%spercent of all runs; a coin's loss is %.4g\n",
         p->excess_loss_q95, blank, p->coin_loss);
  if (isnan(p->epsilon_better_than_coin)) {
    printf("better than a coin   never        with these settings no epsilon promises it\n");
  } else {
    printf("better than a coin   %-12.4g is the least epsilon that can promise it: %s\n"
           "%s(if the data allow: docs/guide.md 7)\n",
           p->epsilon_better_than_coin,
           p->excess_loss_q95 < p->coin_loss ? "yours is enough" : "yours is too small", blank);
  }
  print_rows("rows for that        ", p->rows_better_than_coin, "at your epsilon");
  print_rows("rows for half noise  ", p->rows_to_halve_noise,
             "to halve noise to signal at your epsilon");
}

/* What of epsilon is not the fit's. */
static void print_schema_cost(const dperm_plan *p) {
  const char *blank = "                                  ";
  if (!p->schema_cost) {
    return;
  }
  printf("epsilon for schema   %-12.4g of that, ", p->epsilon_schema);
  if (strcmp(p->schema_cost, "schema") == 0) {
    printf("which its refinement cost: the fit has the rest\n");
  } else if (strcmp(p->schema_cost, "counts") == 0) {
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

static void print_calibration(const dperm_plan *p) {
  if (p->epsilon_calibrated > 0) {
    printf(
        "epsilon to calibrate %-12.4g of that, to choose how sure probabilities are; the fit has\n"
        "                                  the rest, %.4g a row\n",
        p->epsilon_calibrated, p->epsilon_row);
  }
}

static void print_epsilon(const dperm_plan *p) {
  const char *change =
      p->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? "adding or removing" : "replacing";
  if (p->rows_per_person == 1) {
    printf("epsilon              %-12.4g for every record: %s one changes the probability of\n"
           "                                  any outcome by a factor of at most %.4g\n",
           p->epsilon, change, exp(p->epsilon));
    print_schema_cost(p);
    print_calibration(p);
    return;
  }
  printf("epsilon              %-12.4g for every person with at most %zu rows: %s them all\n"
         "                                  changes the probability of any outcome by a factor of\n"
         "                                  at most %.4g\n",
         p->epsilon, p->rows_per_person, change, exp(p->epsilon));
  print_schema_cost(p);
  print_calibration(p);
  printf("epsilon of a row     %-12.4g what the mechanism runs at: %s/%zu (group privacy)\n",
         p->epsilon_row, p->schema_cost || p->epsilon_calibrated > 0 ? "the rest" : "epsilon",
         p->rows_per_person);
}

static void print_delta(const dperm_plan *p) {
  const char *blank = "                                  ";
  bool spent = p->delta_core > 0;
  printf("delta                %-12.2g and by this much on top, for %s\n", p->delta,
         spent ? "far gaussian noise" : "noise too long to be certified");
  if (spent) {
    printf("delta of numerics    %-12.2g of it: noise too long to be certified\n",
           p->delta_numerics);
  } else if (p->delta_given > 0) {
    printf("delta given          %-12.2g not spent: %s noise needs none, and the claim has the\n"
           "%sdelta above\n",
           p->delta_given, p->noise, blank);
  }
}

static void print_share(const dperm_plan *p) {
  if (p->classes > 2 && p->fits == 1) {
    printf("classes              %-12zu learned jointly, in one fit with noise for each of them;\n"
           "                                  norms are those of all weights together\n",
           p->classes);
  } else if (p->classes > 2) {
    printf("epsilon of a class   %-12.4g for each of %zu fits, one for each class against the "
           "rest;\n                                  what follows is about one of them\n",
           p->epsilon_class, p->classes);
  }
}

static void print_text(const dperm_plan *p, const dperm_plan *kinds, size_t count) {
  bool adding = p->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  printf("%s%zu rows of %zu columns, norm at most %g\n\n", adding ? "about " : "", p->rows, p->dims,
         p->norm);
  if (!p->noise) {
    printf("mechanism none: nothing is private\nlambda   %.4g\n", p->lambda);
    return;
  }
  bool objective = p->mechanism == DPERM_MECHANISM_OBJECTIVE;
  print_epsilon(p);
  print_delta(p);
  print_share(p);
  if (objective) {
    printf(
        "mechanism            objective    a random linear term in the objective (%s analysis)\n",
        dperm_analysis_name(p->analysis));
  } else {
    printf("mechanism            output       noise on the finished weights\n");
  }
  printf("lambda               %-12.4g regularization\n", p->lambda);
  if (objective) {
    printf("delta_reg            %-12.4g extra regularization for privacy\n", p->delta_reg);
  }
  printf("beta                 %-12.4g %s noise with density ~ exp(-%s)\n", p->beta, p->noise,
         p->delta_core > 0 ? "(beta |b|)^2/2" : "beta |b|");
  printf("noise norm           %-12.4g on average; below %.4g in half of all runs,\n"
         "                                  below %.4g in 95 percent\n",
         p->expected_noise_norm, p->noise_norm_q50, p->noise_norm_q95);
  printf("shift of the weights %-12.4g at most, in rms; without noise they are at most\n"
         "                                  %.4g long\n",
         p->shift_rms, p->solution_norm_bound);
  printf("release              %-12.4g rms added to the weights, to hide rounding errors of up to\n"
         "                                  %.2g; this takes %.2g of epsilon\n",
         p->lattice_noise_rms, p->solution_error, p->epsilon_class - p->epsilon_core);
  printf("excess objective     %-12.4g at most, in 95 percent of all runs (%.4g in half)\n",
         p->excess_objective_q95, p->excess_objective_q50);
  print_outlook(p);
  if (count > 1) {
    print_kinds(p, kinds, count);
  }
}

/* ---- planning */

/* What is known of the records. */
typedef struct plan_rows {
  size_t rows, dims;
  double norm, norm1;
  const dperm_schema *schema; /* or NULL: dims and norms */
} plan_rows;

static dperm_status make_plan(const plan_rows *of, const dperm_options *options, dperm_plan *out,
                              dperm_error *err) {
  return of->schema
             ? dperm_plan_for_schema(of->rows, of->schema, options, out, err)
             : dperm_plan_for_norms(of->rows, of->dims, of->norm, of->norm1, options, out, err);
}

/* Every kind of noise that the mechanism and the rows allow, at the plan's lambda and delta_reg. */
static size_t plan_kinds(const plan_rows *of, const dperm_options *options, const dperm_plan *plan,
                         dperm_plan **out) {
  dperm_options other = *options;
  dperm_error err;
  size_t count = 0, names = 0;
  while (dperm_noise_name((dperm_noise)names)) {
    names++;
  }
  *out = plan->noise ? calloc(names + 1, sizeof **out) : NULL;
  other.lambda = plan->lambda;
  if (plan->mechanism == DPERM_MECHANISM_OBJECTIVE) {
    other.delta_reg = plan->delta_reg;
  }
  for (size_t i = DPERM_NOISE_L2; *out && i < names; i++) {
    other.noise = (dperm_noise)i;
    count += make_plan(of, &other, *out + count, &err) == DPERM_OK;
  }
  return count;
}

/* With --neighbours add-remove it is --rows-about that must be there, and is asked for. */
static bool rows_given(const size_t *rows, const fit_settings *fit) {
  bool counted = strcmp(fit->neighbours, dperm_neighbours_name(DPERM_NEIGHBOURS_REPLACE)) == 0;
  return argument_given(rows) || fit->rows_about || !counted ||
         refuse(wrong_usage("--rows is missing"));
}

int run_plan(int argc, char **argv) {
  fit_settings fit;
  const char *schema_path = NULL, *classes_text = NULL;
  plan_rows of = {.norm = 1, .norm1 = (double)INFINITY};
  uint64_t classes = 0;
  bool json = false;
  const char *calibrate = NULL;
  enum { OWN = 9 };
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
      {0},
      calibrate_argument(&calibrate),
  };
  dperm_options options;
  fit_settings_init(&fit, table + OWN);
  table[7] = refine_argument(&fit.bins.refine);
  if (!arguments_parse(table, sizeof table / sizeof *table, argc, argv,
                       "A plan looks at no record, so it costs no privacy: plan as often as you "
                       "like. docs/guide.md explains each line.") ||
      !rows_given(&of.rows, &fit) || !fit_settings_one(&fit, &options) ||
      !calibrate_choose(calibrate, &options) || !refine_has_schema(&fit.bins, schema_path)) {
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
  OWNED(plan_advice_close) plan_advice advice = {0};
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  dperm_plan plan, *kinds = NULL;
  if (schema_path && dperm_schema_read(schema_path, &schema, &err) != DPERM_OK) {
    return report_error(&err);
  }
  of.schema = schema;
  if (make_plan(&of, &options, &plan, &err) != DPERM_OK ||
      (schema && plan_advice_make(of.rows, schema, &options, &advice, &err) != DPERM_OK)) {
    return report_error(&err);
  }
  delta_warn(&options, of.rows); /* of what is not refused */
  calibrate_warn(&options, of.rows);
  size_t count = plan_kinds(&of, &options, &plan, &kinds);
  if (json) {
    print_json(&plan, kinds, count, &advice, schema);
  } else {
    print_text(&plan, kinds, count);
  }
  free(kinds);
  if (!json && schema) {
    plan_advice_print(&advice, schema);
  }
  if (!json && options.class_weight_count > 0) {
    printf("\nclass weights: the heaviest class counts 1 and the others less, so all bounds above\n"
           "hold; what the data can say is less by as much as they weigh less\n");
  }
  return 0;
}
