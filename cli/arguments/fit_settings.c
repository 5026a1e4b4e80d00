/* See fit_settings.h. */
#include "arguments/fit_settings.h"

#include <math.h>

#include "arguments/value_list.h"
#include "output/handles.h"

/* ---- shares of epsilon */

/* In 95 of 100 runs the temperature is as good as one chosen with 2·Δ·log(32/0.05)/epsilon records
 * more or less, Δ = 1 or 2 (docs/proofs/calibration.md); that may be a tenth of all. */
static void warn_of_calibration(const dperm_options *options, size_t rows) {
  bool adding = options->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  double epsilon = options->calibrate * options->epsilon / (double)options->rows_per_person;
  double needed = 10 * (adding ? 2 : 4) * log(32 / 0.05) / epsilon;
  const double most = 1e15; /* more rows than anybody has: such a share is refused by itself */
  bool logistic = !options->loss.name || strcmp(options->loss.name, "logistic") == 0;
  if (logistic && (double)rows < needed && needed < most) {
    note("warning: calibration has an epsilon of %.2g, and %zu rows are too few for it: the "
         "probabilities may become worse; give --calibrate a larger share (%.0f rows would be "
         "enough), or leave it out",
         epsilon, rows, needed);
  }
}

const share_words share_arguments[SHARE_ARGUMENTS] = {
    {.name = "--calibrate",
     .option_at = offsetof(dperm_options, calibrate),
     .help = "share of epsilon for calibrating the probabilities of a logistic model; auto takes "
             "0.05 where that pays; predictions do not change (default: none)",
     .figure = "epsilon_calibrated",
     .value = "inverse_temperature",
     .says = "was spent on calibrating probabilities: scores times ",
     .plan_label = "epsilon to calibrate",
     .plan = "for calibrating probabilities",
     .warn = warn_of_calibration},
    {.name = "--pairs",
     .option_at = offsetof(dperm_options, pairs),
     .help = "share of epsilon for what two columns say only together, in models of two classes: "
             "they are chosen after the fit; auto spends an epsilon of 1800/rows where that is a "
             "small part (default: auto)",
     .figure = "epsilon_pairs",
     .value = "pair",
     .says = "was spent on what two columns say only together: ",
     .many_help = "what two columns say only together, chosen after each fit for a usual share; "
                  "not in rounds of random stopping (default: auto)",
     .plan_label = "epsilon for pairs",
     .plan = "for what two columns say only together"},
    {.name = "--intervals",
     .option_at = offsetof(dperm_options, intervals),
     .help =
         "share of epsilon for confidence intervals of the slopes, which 'dperm explain' shows, "
         "in logistic models of two classes and log-cosh regressions; auto takes 0.31; rows are "
         "then divided alike, without bins and pairs (default: none)",
     .figure = "epsilon_intervals",
     .says = "was spent on intervals of the slopes: see 'dperm explain'",
     .plan_label = "epsilon for intervals",
     .plan = "for intervals of the slopes"},
};

/* ---- the table */

void fit_settings_init(fit_settings *s, fit_kind kind, argument *table) {
  const bool many = kind != FIT_ONE;
  *s = (fit_settings){.loss = kind == FIT_SWEEP ? "logistic" : "auto",
                      .quantile = (double)NAN,
                      .lambda = "auto",
                      .features_kind = -1,
                      .kind = kind};
  dperm_options *o = &s->options;
  dperm_options_init(o);
  const argument lines[FIT_ARGUMENTS - SHARE_ARGUMENTS] = {
      {"--epsilon", ARGUMENT_POSITIVE, &o->epsilon, false, "E",
       "privacy budget; required unless --mechanism none"},
      {"--lambda", ARGUMENT_TEXT, &s->lambda, false, "X|auto",
       "regularization strength; auto chooses it from public numbers (default: auto)"},
      {"--loss", ARGUMENT_TEXT, &s->loss, false, NULL,
       "loss function; the last four are for numeric labels (default: logistic, or log-cosh of a "
       "number)",
       GROUP_USUAL, loss_name},
      {"--delta", ARGUMENT_NUMBER, &o->delta, false, "D",
       "delta for Gaussian noise; choose far less than 1/rows (default: 0, pure noise)",
       GROUP_PRIVACY},
      {"--evaluate", ARGUMENT_POSITIVE, &o->evaluate, false, "SHARE",
       kind == FIT_SWEEP ? NULL
                         : "share of the records that secret coins keep from the fit, for one "
                           "private evaluation: the run costs epsilon all the same, since a record "
                           "is in one part (default: none)"},
      shared_argument("--rows-per-person", &o->rows_per_person),
      shared_argument("--neighbours", &o->neighbours),
      shared_argument("--rows-about", &o->rows_about),
      {"--mechanism", ARGUMENT_CHOICE, &o->mechanism, false, NULL,
       "what the noise is added to: the objective, or each step of a descent (its form for several "
       "classes with a delta), or the finished weights (default: objective)",
       GROUP_PRIVACY, mechanism_name},
      {"--analysis", ARGUMENT_CHOICE, &o->analysis, false, NULL,
       "how epsilon determines the noise; paper is for comparison (default: tight)", GROUP_PRIVACY,
       analysis_name},
      {"--noise", ARGUMENT_CHOICE, &o->noise, false, NULL,
       "noise distribution; auto picks the least noise, gaussian needs --delta (default: auto)",
       GROUP_PRIVACY, noise_name},
      {"--h", ARGUMENT_TEXT, &s->h, false, "H",
       "half-width of the smooth part of huber and smooth-hinge (default: 0.5); of a numeric "
       "label's losses in halves of its range (default: 0.1)",
       GROUP_MODEL},
      {"--quantile", ARGUMENT_POSITIVE, &s->quantile, false, "T",
       "which quantile the loss quantile predicts, in thousandths (default: 0.5)", GROUP_MODEL},
      {"--delta-reg", ARGUMENT_NUMBER, &o->delta_reg, false, "X|auto",
       "extra regularization for objective perturbation (default: auto)", GROUP_MODEL},
      {"--norm-guess", ARGUMENT_POSITIVE, &o->norm_guess, false, "F",
       "public guess at the norm of the weights, to choose lambda and delta-reg (default: none)",
       GROUP_MODEL},
      {"--kernel", ARGUMENT_CHOICE, &o->kernel.kind, false, NULL,
       "kernel, approximated by random features (default: none, a linear model)", GROUP_MODEL,
       kernel_name, DPERM_KERNEL_GAUSSIAN},
      {"--gamma", ARGUMENT_TEXT, &s->gamma, false, "G", "inverse width of the kernel", GROUP_MODEL},
      {"--features", ARGUMENT_TEXT, &s->features, false, "D", "number of random features (even)",
       GROUP_MODEL},
      {"--features-kind", ARGUMENT_CHOICE, &s->features_kind, false, NULL,
       "directions of a Gaussian kernel's features (default: orthogonal)", GROUP_MODEL,
       direction_name},
      {"--class-weights", ARGUMENT_TEXT, &s->class_weights, false, "NAME=W,...",
       "public class weights; only their ratios matter (default: 1 each)", GROUP_MODEL},
      {"--multiclass", ARGUMENT_CHOICE, &o->multiclass, false, NULL,
       "for more than two classes: one joint fit, or one fit per class against the rest (default: "
       "joint for logistic loss, else one-vs-rest)",
       GROUP_MODEL, multiclass_name, DPERM_MULTICLASS_JOINT},
      {"--bins", ARGUMENT_CHOICE, &o->bins, false, NULL,
       "bins for numeric columns that have none in the schema: none, or as many as the rows "
       "support (default: the records decide, privately)",
       GROUP_MODEL, bins_name, DPERM_BINS_NONE},
      {"--refine", ARGUMENT_TEXT, &s->refine, false, "SHARE|auto|ask|none",
       many ? NULL /* takes none, and in a choice ask: only train refines */
            : "share of epsilon for deriving bins and groups of categories from noisy counts; ask "
              "spends a few percent on how numbers are best used (default: ask with a schema and "
              "without --bins and --kernel, else none)",
       GROUP_MODEL},
  };
  memcpy(table, lines, sizeof lines);
  for (size_t i = 0; i < SHARE_ARGUMENTS; i++) {
    const share_words *share = &share_arguments[i];
    table[FIT_ARGUMENTS - SHARE_ARGUMENTS + i] = (argument){share->name,
                                                            ARGUMENT_TEXT,
                                                            &s->shares[i],
                                                            false,
                                                            many ? "auto|none" : "SHARE|auto|none",
                                                            many ? share->many_help : share->help,
                                                            GROUP_MODEL};
  }
}

static dperm_status positive(const char *name, const char *word, const char *or_, double *out,
                             dperm_error *err) {
  if (read_number(word, out) && *out > 0) {
    return DPERM_OK;
  }
  return wrong_usage(err, "%s must be a positive number%s, not \"%.40s\"%s", name, or_, word,
                     number_trouble());
}

static bool given(const char *word) {
  return word && strcmp(word, "none") != 0;
}

/* ---- what goes together */

dperm_status neighbours_agree(dperm_neighbours neighbours, size_t rows_about, dperm_error *err) {
  bool adding = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  const usage_rule rules[] = {
      {adding && !rows_about, "--neighbours add-remove needs --rows-about: the number of records "
                              "is then private, and a public estimate takes its place"},
      {!adding && rows_about, "--rows-about is for --neighbours add-remove; otherwise the rows are "
                              "counted, and their number is public"},
  };
  return usage_rules_hold(rules, sizeof rules / sizeof *rules, err);
}

static dperm_status check_together(const fit_settings *s, dperm_error *err) {
  const dperm_options *o = &s->options;
  bool noisy = o->mechanism != DPERM_MECHANISM_NONE;
  bool objective = o->mechanism == DPERM_MECHANISM_OBJECTIVE;
  bool kernel = o->kernel.kind != DPERM_KERNEL_NONE;
  bool adding = o->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  bool gaussian = o->noise == DPERM_NOISE_GAUSSIAN;
  bool shaped = !isnan(o->delta_reg) || !isnan(o->norm_guess) || o->analysis != 0;
  bool refined = given(s->refine);
  const usage_rule rules[] = {
      {noisy && isnan(o->epsilon), "--epsilon is missing: it has no default, the choice is yours"},
      {!noisy && !isnan(o->epsilon), "--epsilon does not go with --mechanism none"},
      {!noisy && o->delta != 0, "--delta does not go with --mechanism none"},
      {noisy && gaussian && o->delta == 0,
       "--noise gaussian needs --delta, which has no default: choose one far below 1/rows"},
      {gaussian && o->analysis != 0, "--analysis paper has no gaussian noise"},
      {!noisy && o->rows_per_person > 1, "--rows-per-person does not go with --mechanism none"},
      {!noisy && adding, "--neighbours add-remove does not go with --mechanism none"},
      {adding && o->analysis == DPERM_ANALYSIS_PAPER,
       "--analysis paper is about replaced records; --neighbours add-remove needs tight"},
      {shaped && !objective,
       "--delta-reg, --norm-guess and --analysis are for --mechanism objective"},
      {!noisy && o->noise > DPERM_NOISE_L2,
       "--noise does not go with --mechanism none, which adds no noise"},
      {!objective && o->noise > DPERM_NOISE_L2 && !gaussian,
       "kinds of --noise other than l2 and gaussian are for --mechanism objective"},
      {!isnan(s->quantile) && !strstr(s->loss, "quantile"), "--quantile is for --loss quantile"},
      {kernel && (!s->gamma || !s->features), "--kernel needs --gamma and --features"},
      {!kernel && (s->gamma || s->features || s->features_kind >= 0),
       "--gamma, --features and --features-kind are for --kernel"},
      {s->features_kind >= 0 && o->kernel.kind != DPERM_KERNEL_GAUSSIAN,
       "--features-kind is for --kernel gaussian"},
      {o->evaluate != 0 && s->kind == FIT_SWEEP,
       "--evaluate is for train and tune; a sweep has records to test on"},
      {!(o->evaluate >= 0 && o->evaluate < 1), "--evaluate must be a share above 0 and below 1"},
      {!noisy && o->evaluate != 0,
       "--evaluate does not go with --mechanism none: its counts spend epsilon"},
      {refined && s->kind != FIT_ONE && strcmp(s->refine, "ask") != 0,
       "--refine is for train; here --bins auto chooses bins from public numbers, or give a schema "
       "made by 'dperm refine', whose epsilon is counted"},
      {refined && !noisy,
       "--refine does not go with --mechanism none: it spends a share of epsilon"},
      {refined && o->bins == DPERM_BINS_NONE,
       "--bins none keeps numeric columns linear, and --refine makes bins; give one of the two"},
      {refined && strcmp(s->refine, "ask") == 0 && o->bins != DPERM_BINS_ASK,
       "--bins decides about bins, and --refine ask asks the records; give one of the two"},
  };
  return usage_rules_hold(rules, sizeof rules / sizeof *rules, err);
}

dperm_status refine_has_schema(const fit_settings *s, bool schema, dperm_error *err) {
  return schema || !given(s->refine) ? DPERM_OK
                                     : wrong_usage(err, "--refine needs --schema: it refines one");
}

static dperm_status read_share(const char *option, const char *or_, const char *word, double *out,
                               dperm_error *err) {
  return read_number(word, out) && *out > 0 && *out < 1
             ? DPERM_OK
             : wrong_usage(err, "%s must be a share above 0 and below 1%s, not \"%.40s\"", option,
                           or_, word);
}

static double *option_of(dperm_options *o, size_t i) {
  return (double *)(void *)((char *)o + share_arguments[i].option_at);
}

static dperm_status apply_shares(const fit_settings *s, dperm_options *o, dperm_error *err) {
  for (size_t i = 0; i < SHARE_ARGUMENTS; i++) {
    const char *name = share_arguments[i].name, *word = s->shares[i];
    if (word && !given(word)) {
      *option_of(o, i) = 0;
    }
    if (!given(word)) {
      continue;
    }
    RETURN_IF(s->kind != FIT_ONE && !(share_arguments[i].many_help && strcmp(word, "auto") == 0),
              wrong_usage(err, "%s has a share of its own in train alone; leave it out%s", name,
                          share_arguments[i].many_help ? ", or give auto or none" : ""));
    RETURN_IF(o->mechanism == DPERM_MECHANISM_NONE,
              wrong_usage(err, "%s does not go with --mechanism none: it spends a share of epsilon",
                          name));
    if (strcmp(word, "auto") == 0) {
      *option_of(o, i) = (double)NAN;
    } else {
      TRY(read_share(name, ", auto or none", word, option_of(o, i), err));
    }
  }
  return DPERM_OK;
}

/* All that has one value. */
static dperm_status apply_single(const fit_settings *s, dperm_options *o, dperm_error *err) {
  const char *refine = s->refine ? s->refine : "ask";
  *o = s->options;
  o->kernel.independent = s->features_kind > 0;
  TRY(neighbours_agree(o->neighbours, o->rows_about, err));
  TRY(check_together(s, err));
  if (s->class_weights) {
    TRY(class_weights_parse(s->class_weights, o, err));
  }
  TRY(apply_shares(s, o, err));
  if (strcmp(refine, "none") == 0 && o->bins == DPERM_BINS_ASK) {
    o->bins = DPERM_BINS_NONE;
  }
  if (strcmp(refine, "auto") == 0) {
    o->refine = (double)NAN;
  }
  return strcmp(refine, "none") == 0 || strcmp(refine, "ask") == 0 || strcmp(refine, "auto") == 0
             ? DPERM_OK
             : read_share("--refine", ", auto, ask or none", refine, &o->refine, err);
}

/* ---- the grid */

enum { LOSS, H, LAMBDA, GAMMA, FEATURES };
static const char *const list_options[LISTS] = {"--loss", "--h", "--lambda", "--gamma",
                                                "--features"};

static dperm_status apply_words(const char *const words[LISTS], const double *quantile,
                                dperm_options *o, dperm_error *err) {
  double h = (double)NAN;
  TRY(strcmp(words[H], "auto") == 0 ? DPERM_OK : positive("--h", words[H], "", &h, err));
  if (strcmp(words[LAMBDA], "auto") != 0) {
    TRY(positive("--lambda", words[LAMBDA], " or auto", &o->lambda, err));
  }
  if (strcmp(words[LOSS], "auto") == 0) { /* as the label is */
    o->loss = (dperm_loss){.parameter = h};
  } else if (quantile && strcmp(words[LOSS], "quantile") == 0) {
    TRY(dperm_loss_quantile(*quantile, h, &o->loss, err));
  } else {
    TRY(dperm_loss_by_name(words[LOSS], h, &o->loss, err));
  }
  if (o->kernel.kind == DPERM_KERNEL_NONE) {
    return DPERM_OK;
  }
  uint64_t features = 0;
  RETURN_IF(
      !read_whole(words[FEATURES], &features) || features == 0 || features % 2 != 0 ||
          features > SIZE_MAX / 2,
      wrong_usage(err, "--features must be an even number from 2, not \"%.40s\"", words[FEATURES]));
  o->kernel.features = (size_t)features;
  return positive("--gamma", words[GAMMA], "", &o->kernel.gamma, err);
}

/* All combinations; a loss without h takes part in the first h only. */
dperm_status fit_settings_grid(const fit_settings *s, dperm_options **options, size_t *count,
                               dperm_error *err) {
  const char *const texts[LISTS] = {s->loss, s->h ? s->h : "auto", s->lambda, s->gamma,
                                    s->features};
  dperm_options base;
  TRY(apply_single(s, &base, err));
  OWNED(word_lists_free) word_list lists[LISTS] = {{NULL, 0}};
  TRY(word_lists_split(list_options, texts, "; each candidate costs rows", lists, err));
  RETURN_IF(s->h && lists[LOSS].count == 1 && !loss_has_h(lists[LOSS].words[0]),
            wrong_usage(err, "--h does not go with this --loss, which has no smooth piece"));
  size_t all = word_lists_combinations(lists);
  RETURN_IF(all > 100000, wrong_usage(err, "%zu candidates are too many", all));
  *options = calloc(all, sizeof **options);
  RETURN_IF(!*options, out_of_memory(err));
  *count = 0;
  for (size_t i = 0; i < all; i++) {
    const char *words[LISTS];
    word_lists_combination(lists, i, words);
    dperm_options *next = *options + *count;
    *next = base;
    TRY(apply_words(words, isnan(s->quantile) ? NULL : &s->quantile, next, err));
    *count += !isnan(next->loss.parameter) || words[H] == lists[H].words[0];
  }
  return DPERM_OK;
}

dperm_status fit_settings_one(const fit_settings *s, dperm_options *options, dperm_error *err) {
  const char *const texts[LISTS] = {s->loss, s->h, s->lambda, s->gamma, s->features};
  for (int i = 0; i < LISTS; i++) {
    RETURN_IF(texts[i] && strchr(texts[i], ','),
              wrong_usage(err, "%s takes one value here; lists are for tune", list_options[i]));
  }
  OWNED_MEMORY dperm_options *all = NULL;
  size_t count = 0;
  TRY(fit_settings_grid(s, &all, &count, err));
  *options = all[0];
  return DPERM_OK;
}

void fit_warn(const dperm_options *options, size_t rows) {
  double delta = options->delta;
  rows = options->rows_about ? options->rows_about : rows;   /* the public figure */
  if (rows > 0 && delta > 1.0 / (double)rows && delta < 1) { /* else it is refused */
    warning("delta = %g is above 1/rows = %.2g, which allows publishing somebody's whole record; "
            "choose one far below",
            delta, 1.0 / (double)rows);
  }
  dperm_options own = *options;
  for (size_t i = 0; i < SHARE_ARGUMENTS; i++) {
    if (share_arguments[i].warn && *option_of(&own, i) > 0) {
      share_arguments[i].warn(options, rows);
    }
  }
}
