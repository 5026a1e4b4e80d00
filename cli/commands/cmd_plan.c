/* dperm plan: what a fit will do, from public numbers only. Looks at no record. */
#include <dperm/plan.h>
#include <math.h>
#include <stdarg.h>

#include "arguments/fit_settings.h"
#include "arguments/help.h"
#include "commands/commands.h"

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

/* "label  figure  words", the words wrapped in a column of their own; 0 digits are for counts. */
__attribute__((format(printf, 4, 5))) static void print_line(const char *label, double figure,
                                                             int digits, const char *words, ...) {
  enum { WORDS = 34 };
  char number[32], text[512];
  va_list args;
  va_start(args, words);
  (void)vsnprintf(text, sizeof text, words, args);
  va_end(args);
  (void)snprintf(number, sizeof number, digits ? "%.*g" : "%.*f", digits, figure);
  printf("%-20s %-12s ", label, digits || figure > 0 ? number : "none");
  print_wrapped(text, strlen(text), WORDS, WORDS);
}

/* The kinds of noise side by side; all norms are Euclidean, so they compare. */
static void print_kinds(const json_t *p) {
  const json_t *kinds = json_object_get(p, "noise_kinds"), *k;
  size_t i;
  if (json_array_size(kinds) < 2) {
    return;
  }
  printf("\nnoise      beta         mean norm    rms norm     95th percentile\n");
  json_array_foreach(kinds, i, k) {
    const char *name = report_text(k, "noise");
    printf("%-10s %-12.4g %-12.4g %-12.4g %-12.4g%s\n", name, at(k, "beta"),
           at(k, "expected_noise_norm"), at(k, "rms_noise_norm"), at(k, "noise_norm_q95"),
           is(p, "noise", name) ? " <-" : "");
  }
}

static void print_epsilon(const json_t *p) {
  const char *change = is(p, "neighbours", "add-remove") ? "adding or removing" : "replacing";
  const char *refined = report_text(p, "refined_by");
  const double persons_rows = at(p, "rows_per_person");
  const bool persons = persons_rows != 1;
  bool shared = refined != NULL;
  char whom[64] = "record: ";
  if (persons_rows == 0) {
    (void)snprintf(whom, sizeof whom, "person: ");
  } else if (persons) {
    (void)snprintf(whom, sizeof whom, "person with at most %.0f rows: ", persons_rows);
  }
  print_line("epsilon", at(p, "epsilon"), 4,
             "for every %s%s %s changes the probability of any outcome by a factor of at most %.4g",
             whom, change,
             persons_rows == 0 ? "all records of one"
             : persons         ? "them all"
                               : "one",
             exp(at(p, "epsilon")));
  if (refined) {
    print_line("epsilon for schema", at(p, "epsilon_refined"), 4, "of that, %s",
               is(p, "refined_by", "schema") ? "already spent on refining the schema"
               : is(p, "refined_by", "counts")
                   ? "for the counts by which train refines the schema; "
                     "what follows is for the schema as it is"
               : is(p, "refined_by", "labels")
                   ? "for asking the records how far their labels lie apart; what follows is for "
                     "the usual h, 0.1 (--h, or --bins none: no question)"
                   : "for asking the records how to use their numbers; what follows is for "
                     "lines of weight 1 (--bins none: no question). Where train also looks for "
                     "shapes, and finds one, that takes another 5 to 21 percent");
  }
  for (size_t i = 0; i < SHARE_ARGUMENTS; i++) {
    const share_words *share = &share_arguments[i];
    if (at(p, share->figure) > 0) {
      shared = true;
      print_line(share->plan_label, at(p, share->figure), 4,
                 "of that, %s; the fit has the rest, %.4g a row", share->plan,
                 at(p, "epsilon_row"));
    }
  }
  if (persons_rows > 1) {
    print_line("epsilon of a row", at(p, "epsilon_row"), 4,
               "what the mechanism runs at: %s/%.0f (group privacy)",
               shared ? "the rest" : "epsilon", persons_rows);
  }
}

static void print_delta(const json_t *p) {
  bool spent = at(p, "delta_core") > 0;
  print_line("delta", at(p, "delta"), 2, "additive slack, for %s",
             spent ? "the tails of Gaussian noise" : "noise beyond the certified length");
  if (spent) {
    print_line("delta of numerics", at(p, "delta_numerics"), 2,
               "part of delta, for noise beyond the certified length");
  } else if (at(p, "delta_given") > 0) {
    print_line("delta given", at(p, "delta_given"), 2,
               "not spent: %s noise needs none; the claim has the delta above",
               report_text(p, "noise"));
  }
}

static void print_classes(const json_t *p) {
  if (is(p, "multiclass", "joint")) {
    print_line("classes", at(p, "classes"), 0,
               "learned jointly, in one fit with noise for each class; norms are those of all "
               "weights together");
  } else if (is(p, "multiclass", "one-vs-rest")) {
    print_line("epsilon of a class", at(p, "epsilon_class"), 4,
               "for each of %.0f fits, one class against the rest; what follows is about one fit",
               at(p, "classes"));
  }
}

static void print_mechanism(const json_t *p) {
  bool objective = is(p, "mechanism", "objective");
  printf("mechanism            %-12s ", report_text(p, "mechanism"));
  printf(objective                       ? "a random linear term in the objective (%s analysis)\n"
         : is(p, "mechanism", "descent") ? "noise in every step towards the minimum\n"
                                         : "noise on the finished weights\n",
         report_text(p, "analysis"));
  print_line("lambda", at(p, "lambda"), 4, "regularization");
  if (objective) {
    print_line("delta_reg", at(p, "delta_reg"), 4, "extra regularization for privacy");
  }
  print_line("beta", at(p, "beta"), 4, "%s noise with density ~ exp(-%s)", report_text(p, "noise"),
             at(p, "delta_core") > 0 ? "(beta |b|)^2/2" : "beta |b|");
  print_line("noise norm", at(p, "expected_noise_norm"), 4,
             "on average; median %.4g, 95th percentile %.4g", at(p, "noise_norm_q50"),
             at(p, "noise_norm_q95"));
  print_line("shift of the weights", at(p, "shift_rms"), 4,
             "rms, at most; without noise the norm of the weights is at most %.4g",
             at(p, "solution_norm_bound"));
  print_line(
      "release", at(p, "lattice_noise_rms"), 4,
      "rms, added to the weights to hide rounding errors of up to %.2g; costs %.2g of epsilon",
      at(p, "solution_error"), at(p, "epsilon_class") - at(p, "epsilon_core"));
  print_line("excess objective", unbounded(p, "excess_objective_q95"), 4,
             "at most, in 95 percent of runs (%.4g in half of them)",
             unbounded(p, "excess_objective_q50"));
}

/* What to expect of a model. */
static void print_outlook(const json_t *p) {
  double ratio = at(p, "noise_to_signal"), least = at(p, "epsilon_better_than_coin");
  print_line("\nnoise to signal     ", ratio, 4, "the noise is %s",
             ratio < 0.1   ? "far below the signal"
             : ratio < 0.5 ? "below the signal"
             : ratio < 2   ? "comparable to the signal"
                           : "above the signal: expect a model of noise");
  print_line("loss", at(p, "excess_loss_q95"), 4,
             "at most this far above any model of typical norm, in 95 percent of runs; that of "
             "random guessing is %.4g",
             at(p, "coin_loss"));
  if (isnan(least)) {
    print_line("minimum epsilon", 0, 0, "no epsilon promises a loss below random guessing here");
  } else {
    print_line("minimum epsilon", least, 4,
               "for a loss below random guessing, if the data allow (docs/guide.md 7); yours is %s",
               at(p, "excess_loss_q95") < at(p, "coin_loss") ? "sufficient" : "too small");
  }
  print_line("minimum rows", at(p, "rows_better_than_coin"), 0, "for the same at your epsilon");
  print_line("rows to halve noise", at(p, "rows_to_halve_noise"), 0,
             "would halve noise to signal at your epsilon");
}

static void print_text(const json_t *p) {
  bool adding = is(p, "neighbours", "add-remove");
  const double rows = at(p, adding ? "rows_about" : "rows"),
               fitted = at(p, adding ? "rows_about_fitted" : "rows_fitted");
  printf("%s%.0f rows of %.0f columns, norm at most %g\n", adding ? "about " : "", rows,
         at(p, "dims"), at(p, "norm"));
  if (fitted < rows) {
    printf("%s%.0f of them for the fit, %.0f held out for its evaluation\n", adding ? "about " : "",
           fitted, rows - fitted);
  }
  printf("\n");
  if (!report_text(p, "noise")) {
    printf("mechanism none: nothing is private\nlambda   %.4g\n", at(p, "lambda"));
    return;
  }
  print_epsilon(p);
  print_delta(p);
  print_classes(p);
  print_mechanism(p);
  print_outlook(p);
  print_kinds(p);
}

/* ---- columns */

static void print_column(const json_t *c) {
  const char *second = report_text(c, "crossed_with");
  char name[64];
  (void)snprintf(name, sizeof name, "%.30s%s%.30s", visible(report_text(c, "name")).text,
                 second ? "*" : "", second ? visible(second).text : "");
  printf("%-26s %7.0f %8.1f%%", name, at(c, "dims"), 100 * at(c, "noise_share"));
  if (at(c, "bins") > 0) {
    printf("  %.0f", at(c, "bins"));
  }
  printf("\n");
}

static void print_columns(const json_t *p) {
  const json_t *columns = json_object_get(p, "columns"), *column;
  size_t i;
  if (isnan(at(json_array_get(columns, 0), "noise_share"))) {
    return;
  }
  bool bins = false;
  json_array_foreach(columns, i, column) {
    bins = bins || at(column, "bins") > 0;
  }
  printf("\ncolumn                     encoded  of noise%s\n", bins ? "  useful bins" : "");
  json_array_foreach(columns, i, column) {
    print_column(column);
  }
  printf("a column that says little about the label is not worth its noise\n");
}

/* ---- the call */

dperm_status run_plan(int argc, char **argv, dperm_error *err) {
  fit_settings fit;
  const char *schema_path = NULL, *classes_text = NULL;
  dperm_plan_rows of = {.norm = 1, .norm1 = (double)INFINITY};
  bool json = false;
  enum { OWN = 7 };
  argument table[OWN + FIT_ARGUMENTS] = {
      {"--rows", ARGUMENT_COUNT, &of.rows, false, "N",
       "number of records; or --rows-about with --neighbours add-remove"},
      {"--schema", ARGUMENT_INPUT, &schema_path, false, "FILE",
       "the schema; or give --dims instead"},
      {"--dims", ARGUMENT_COUNT, &of.dims, false, "D", "number of encoded columns", GROUP_DATA},
      {"--norm", ARGUMENT_POSITIVE, &of.norm, false, "R",
       "with --dims: bound on the norm of a row (default: 1)", GROUP_DATA},
      {"--norm1", ARGUMENT_POSITIVE, &of.norm1, false, "R1",
       "with --dims: bound on the sum of the absolute entries of a row (default: sqrt(D) R)",
       GROUP_DATA},
      {"--classes", ARGUMENT_TEXT, &classes_text, false, "K",
       "with --dims: number of classes (default: 2)", GROUP_DATA},
      shared_argument("--json", &json),
  };
  dperm_options options;
  fit_settings_init(&fit, FIT_ONE, table + OWN);
  TRY(arguments_parse(table, sizeof table / sizeof *table, argc, argv,
                      "A plan reads no records, so it costs no privacy: plan as often as you like. "
                      "docs/guide.md explains each line.",
                      err));
  RETURN_IF(!of.rows && !fit.options.rows_about &&
                fit.options.neighbours == DPERM_NEIGHBOURS_REPLACE,
            wrong_usage(err, "--rows is missing"));
  TRY(fit_settings_one(&fit, &options, err));
  TRY(refine_has_schema(&fit, schema_path, err));
  uint64_t classes = 0;
  RETURN_IF(
      classes_text && (!read_whole(classes_text, &classes) || classes < 2 || classes > SIZE_MAX),
      wrong_usage(err, "--classes must be a whole number from 2, not \"%.40s\"", classes_text));
  const usage_rule rules[] = {
      {(schema_path != NULL) == (of.dims > 0), "give either --schema or --dims"},
      {of.dims > 0 && argument_given(&fit.options.bins),
       "--bins goes with --schema, which has the columns"},
      {of.dims > 0 && options.class_weight_count > 0,
       "--class-weights goes with --schema, which names the classes"},
      {schema_path && (argument_given(&of.norm) || argument_given(&of.norm1) || classes),
       "--classes, --norm and --norm1 go with --dims; a schema has its own"},
  };
  TRY(usage_rules_hold(rules, sizeof rules / sizeof *rules, err));
  options.classes = (size_t)classes;
  OWNED(dperm_schema_free_at) dperm_schema *schema = NULL;
  char *text = NULL;
  TRY(schema_path ? dperm_schema_read(schema_path, &schema, err) : DPERM_OK);
  of.schema = schema;
  TRY(dperm_plan_report(&of, &options, &text, err));
  fit_warn(&options, of.rows); /* of what is not refused */
  json_t *plan = parsed_report(text);
  report_remarks(plan);
  if (json) {
    report_print(plan);
    return DPERM_OK;
  }
  print_text(plan);
  print_columns(plan);
  json_decref(plan);
  if (options.class_weight_count > 0) {
    printf("\nclass weights: the heaviest class counts 1 and the others less, so all bounds above\n"
           "hold; the signal is weaker to the same degree\n");
  }
  return DPERM_OK;
}
