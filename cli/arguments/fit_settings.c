/* See fit_settings.h. */
#include "arguments/fit_settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/choices.h"
#include "arguments/neighbour_settings.h"
#include "arguments/weight_list.h"
#include "arguments/word_list.h"
#include "output/handles.h"
#include "output/message.h"

void fit_settings_init(fit_settings *s, argument *table) {
  *s = (fit_settings){.loss = "logistic",
                      .lambda = "auto",
                      .mechanism = "objective",
                      .analysis = "tight",
                      .noise = "auto",
                      .epsilon = (double)NAN,
                      .delta_reg = (double)NAN,
                      .norm_guess = (double)NAN,
                      .rows_per_person = 1,
                      .bins = {.refine = "none"}};
  const argument lines[FIT_ARGUMENTS] = {
      {"--epsilon", ARGUMENT_POSITIVE, &s->epsilon, false, "E",
       "the privacy budget; required unless --mechanism none"},
      {"--delta", ARGUMENT_NUMBER, &s->delta, false, "D",
       "may be spent on gaussian noise, far below 1/rows (0: pure noise)"},
      {"--rows-per-person", ARGUMENT_COUNT, &s->rows_per_person, false, "K",
       "epsilon is for a person with at most K rows (1)"},
      neighbours_argument(&s->neighbours),
      rows_about_argument(&s->rows_about),
      {"--mechanism", ARGUMENT_TEXT, &s->mechanism, false, choices(mechanism_name, 0),
       "where the noise goes (objective)"},
      {"--loss", ARGUMENT_TEXT, &s->loss, false, choices(loss_name, 0), "of one record (logistic)"},
      {"--h", ARGUMENT_TEXT, &s->h, false, "H", "half-width of a hinge's smooth piece (0.5)"},
      {"--lambda", ARGUMENT_TEXT, &s->lambda, false, "X|auto",
       "regularization; auto (default) chooses from public numbers"},
      {"--delta-reg", ARGUMENT_NUMBER, &s->delta_reg, false, "X|auto",
       "extra regularization of objective perturbation (auto)"},
      {"--norm-guess", ARGUMENT_POSITIVE, &s->norm_guess, false, "F",
       "a public guess of the weights' norm, to choose lambda and delta-reg"},
      {"--analysis", ARGUMENT_TEXT, &s->analysis, false, choices(analysis_name, 0),
       "how epsilon becomes noise (tight); paper is for comparison"},
      {"--noise", ARGUMENT_TEXT, &s->noise, false, choices(noise_name, 0),
       "its shape; auto (default) takes the least; gaussian needs --delta"},
      {"--kernel", ARGUMENT_TEXT, &s->kernel, false, choices(kernel_name, DPERM_KERNEL_GAUSSIAN),
       "by random features"},
      {"--gamma", ARGUMENT_TEXT, &s->gamma, false, "G", "the kernel's inverse width"},
      {"--features", ARGUMENT_TEXT, &s->features, false, "D",
       "the number of random features, even"},
      {"--features-kind", ARGUMENT_TEXT, &s->features_kind, false, choices(direction_name, 0),
       "directions of the gaussian kernel (orthogonal)"},
      {"--class-weights", ARGUMENT_TEXT, &s->class_weights, false, "NAME=W,...",
       "public weights of classes; only ratios count (1 each)"},
      {"--multiclass", ARGUMENT_TEXT, &s->multiclass, false,
       choices(multiclass_name, DPERM_MULTICLASS_JOINT),
       "more than two classes: one fit (for logistic, its default), or one a class"},
      bins_argument(&s->bins.bins),
  };
  memcpy(table, lines, sizeof lines);
}

static bool positive(const char *name, const char *word, const char *or_, double *out) {
  if (read_number(word, out) && *out > 0) {
    return true;
  }
  return refuse(wrong_usage("%s must be a positive number%s, not \"%.40s\"%s", name, or_, word,
                            number_trouble()));
}

/* ---- what goes together */

static bool check_together(const fit_settings *s, const dperm_options *o) {
  bool noisy = o->mechanism != DPERM_MECHANISM_NONE;
  bool objective = o->mechanism == DPERM_MECHANISM_OBJECTIVE;
  bool kernel = o->kernel.kind != DPERM_KERNEL_NONE;
  bool adding = o->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  bool gaussian = o->noise == DPERM_NOISE_GAUSSIAN;
  bool shaped = !isnan(s->delta_reg) || !isnan(s->norm_guess) || o->analysis != 0;
  const usage_rule rules[] = {
      {noisy && isnan(s->epsilon), "--epsilon is missing: it has no default, the choice is yours"},
      {!noisy && !isnan(s->epsilon), "--epsilon does not go with --mechanism none"},
      {!noisy && s->delta != 0, "--delta does not go with --mechanism none"},
      {noisy && gaussian && s->delta == 0,
       "--noise gaussian needs --delta, which has no default: choose one far below 1/rows"},
      {gaussian && o->analysis != 0, "--analysis paper has no gaussian noise"},
      {!noisy && s->rows_per_person > 1, "--rows-per-person does not go with --mechanism none"},
      {!noisy && adding, "--neighbours add-remove does not go with --mechanism none"},
      {adding && o->analysis == DPERM_ANALYSIS_PAPER,
       "--analysis paper is about replaced records; --neighbours add-remove takes tight"},
      {shaped && !objective,
       "--delta-reg, --norm-guess and --analysis are for --mechanism objective"},
      {!noisy && o->noise > DPERM_NOISE_L2,
       "--noise does not go with --mechanism none, which adds no noise"},
      {!objective && o->noise > DPERM_NOISE_L2 && !gaussian,
       "kinds of --noise other than l2 and gaussian are for --mechanism objective"},
      {kernel && (!s->gamma || !s->features), "--kernel needs --gamma and --features"},
      {!kernel && (s->gamma || s->features || s->features_kind),
       "--gamma, --features and --features-kind are for --kernel"},
      {s->features_kind && o->kernel.kind != DPERM_KERNEL_GAUSSIAN,
       "--features-kind is for --kernel gaussian"},
  };
  return usage_rules_hold(rules, sizeof rules / sizeof *rules);
}

/* All that has one value. */
static bool apply_single(const fit_settings *s, dperm_options *o) {
  int mechanism = 0, analysis = 0, noise = 0, kernel = 0, kind = 0, multiclass = 0;
  dperm_options_init(o);
  if (!choose("--mechanism", s->mechanism, mechanism_name, 0, &mechanism) ||
      !choose("--analysis", s->analysis, analysis_name, 0, &analysis) ||
      !neighbours_choose(s->neighbours, s->rows_about, &o->neighbours, &o->rows_about) ||
      !choose("--noise", s->noise, noise_name, 0, &noise) ||
      (s->kernel && !choose("--kernel", s->kernel, kernel_name, DPERM_KERNEL_GAUSSIAN, &kernel)) ||
      (s->multiclass && !choose("--multiclass", s->multiclass, multiclass_name,
                                DPERM_MULTICLASS_JOINT, &multiclass)) ||
      (s->features_kind &&
       !choose("--features-kind", s->features_kind, direction_name, 0, &kind))) {
    return false;
  }
  o->mechanism = (dperm_mechanism)mechanism;
  o->analysis = (dperm_analysis)analysis;
  o->noise = (dperm_noise)noise;
  o->multiclass = (dperm_multiclass)multiclass;
  o->kernel.kind = (dperm_kernel_kind)kernel;
  o->kernel.independent = kind;
  o->epsilon = s->epsilon;
  o->delta = s->delta;
  o->rows_per_person = s->rows_per_person;
  o->delta_reg = s->delta_reg;
  o->norm_guess = s->norm_guess;
  if (s->class_weights && !weight_list_parse(s->class_weights, o)) {
    return false;
  }
  return check_together(s, o) && bins_choose(&s->bins, o);
}

/* ---- the grid */

enum { LOSS, H, LAMBDA, GAMMA, FEATURES };
static const char *const list_options[LISTS] = {"--loss", "--h", "--lambda", "--gamma",
                                                "--features"};

static bool apply_words(const char *const words[LISTS], dperm_options *o) {
  dperm_error err;
  double h = 0;
  if (!positive("--h", words[H], "", &h)) {
    return false;
  }
  if (strcmp(words[LAMBDA], "auto") != 0 &&
      !positive("--lambda", words[LAMBDA], " or auto", &o->lambda)) {
    return false;
  }
  if (dperm_loss_by_name(words[LOSS], h, &o->loss, &err) != DPERM_OK) {
    return refuse(report_error(&err));
  }
  if (o->kernel.kind == DPERM_KERNEL_NONE) {
    return true;
  }
  uint64_t features = 0;
  if (!read_whole(words[FEATURES], &features) || features == 0 || features % 2 != 0 ||
      features > SIZE_MAX / 2) {
    return refuse(
        wrong_usage("--features must be an even number from 2, not \"%.40s\"", words[FEATURES]));
  }
  o->kernel.features = (size_t)features;
  return positive("--gamma", words[GAMMA], "", &o->kernel.gamma);
}

/* All combinations; a loss without h takes part in the first h only. */
bool fit_settings_grid(const fit_settings *s, dperm_options **options, size_t *count) {
  const char *const texts[LISTS] = {s->loss, s->h ? s->h : "0.5", s->lambda, s->gamma, s->features};
  dperm_options base;
  if (!apply_single(s, &base)) {
    return false;
  }
  OWNED_MEMORY word_list *lists = calloc(LISTS, sizeof *lists);
  if (!lists) {
    return refuse(complain_of_memory());
  }
  if (!word_lists_split(list_options, texts, false, "; each candidate costs rows", lists)) {
    return false;
  }
  if (s->h && lists[LOSS].count == 1 && !loss_has_h(lists[LOSS].words[0])) {
    return refuse(wrong_usage("--h does not go with this --loss, which has no smooth piece"));
  }
  size_t all = word_lists_combinations(lists);
  if (all > 100000) {
    return refuse(wrong_usage("%zu candidates are too many", all));
  }
  *options = calloc(all, sizeof **options);
  if (!*options) {
    return refuse(complain_of_memory());
  }
  *count = 0;
  for (size_t i = 0; i < all; i++) {
    const char *words[LISTS];
    word_lists_combination(lists, i, words);
    dperm_options *next = *options + *count;
    *next = base;
    if (!apply_words(words, next)) {
      return false;
    }
    *count += !isnan(next->loss.parameter) || words[H] == lists[H].words[0];
  }
  return true;
}

void delta_warn(const dperm_options *options, size_t rows) {
  double delta = options->delta;
  rows = options->rows_about ? options->rows_about : rows;   /* the public figure */
  if (rows > 0 && delta > 1.0 / (double)rows && delta < 1) { /* else it is refused */
    note("warning: delta = %g is above 1/rows = %.2g: it would allow to publish a whole record of "
         "somebody; choose one far below",
         delta, 1.0 / (double)rows);
  }
}

bool fit_settings_one(const fit_settings *s, dperm_options *options) {
  const char *const texts[LISTS] = {s->loss, s->h, s->lambda, s->gamma, s->features};
  for (int i = 0; i < LISTS; i++) {
    if (texts[i] && strchr(texts[i], ',')) {
      return refuse(wrong_usage("%s takes one value here; lists are for tune", list_options[i]));
    }
  }
  OWNED_MEMORY dperm_options *all = NULL;
  size_t count = 0;
  if (!fit_settings_grid(s, &all, &count)) {
    return false;
  }
  *options = all[0];
  return true;
}
