/* Words are split here; whether a combination makes sense, fit_settings says, as for train. */
#include "commands/sweep_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/choices.h"
#include "arguments/word_list.h"
#include "output/handles.h"

enum { CELLS_MOST = 20000 };
enum { LOSS, MECHANISM, NOISE, LAMBDA, EPSILON };
static const char *const options[LISTS] = {"--loss", "--mechanism", "--noise", "--lambda",
                                           "--epsilon"};

/* What concerns the lists as a whole; each cell is checked by itself later. */
static bool check_together(const fit_settings *fit, const word_list lists[LISTS], bool epsilons) {
  const word_list *mechanisms = &lists[MECHANISM], *noises = &lists[NOISE];
  bool objective = word_list_has(mechanisms, "objective"),
       output = word_list_has(mechanisms, "output"), noisy = objective || output;
  size_t known = (size_t)objective + output + word_list_has(mechanisms, "none");
  bool shaped =
      !isnan(fit->delta_reg) || !isnan(fit->norm_guess) || strcmp(fit->analysis, "tight") != 0;
  const usage_rule rules[] = {
      {mechanisms->count > known, "--mechanism must be a list of objective, output and none"},
      {!epsilons && noisy, "--epsilon is missing: give one or several"},
      {epsilons && !noisy, "--epsilon does not go with --mechanism none"},
      {fit->rows_per_person > 1 && !noisy, "--rows-per-person does not go with --mechanism none"},
      {fit->h && lists[LOSS].count == 1 && !loss_has_h(lists[LOSS].words[0]),
       "--h does not go with this --loss, which has no smooth piece"},
      {shaped && !objective,
       "--delta-reg, --norm-guess and --analysis are for --mechanism objective"},
      {fit->delta != 0 && !noisy, "--delta does not go with --mechanism none"},
      {output && !word_list_has(noises, "auto") && !word_list_has(noises, "l2") &&
           !word_list_has(noises, "gaussian"),
       "--mechanism output has l2 or gaussian noise only; add l2 to --noise, or leave output out"},
  };
  return usage_rules_hold(rules, sizeof rules / sizeof *rules);
}

/* Whether these words make a cell of their own. */
static bool counts(const word_list lists[LISTS], const char *const words[LISTS]) {
  if (strcmp(words[MECHANISM], "none") == 0) {
    return words[NOISE] == lists[NOISE].words[0] && words[EPSILON] == lists[EPSILON].words[0];
  }
  const char *only = word_list_has(&lists[NOISE], "l2") ? "l2" : "auto";
  return strcmp(words[MECHANISM], "output") != 0 || strcmp(words[NOISE], only) == 0 ||
         strcmp(words[NOISE], "gaussian") == 0;
}

static bool add_cell(const fit_settings *fit, const char *const words[LISTS], sweep_table *out) {
  bool none = strcmp(words[MECHANISM], "none") == 0,
       objective = strcmp(words[MECHANISM], "objective") == 0;
  sweep_line *line = &out->lines[out->count];
  fit_settings one = *fit;
  one.loss = words[LOSS];
  one.mechanism = words[MECHANISM];
  one.noise = none ? "auto" : words[NOISE];
  one.lambda = words[LAMBDA];
  one.h = loss_has_h(one.loss) ? fit->h : NULL; /* it is for the others of the list */
  one.epsilon = (double)NAN;
  one.delta = none ? 0 : fit->delta;
  one.rows_per_person = none ? 1 : fit->rows_per_person;
  one.neighbours = none ? "replace" : fit->neighbours;
  one.rows_about = none ? NULL : fit->rows_about;
  if (!none && !(read_number(words[EPSILON], &one.epsilon) && one.epsilon > 0)) {
    return refuse(wrong_usage("--epsilon must be positive, not \"%.40s\"", words[EPSILON]));
  }
  if (!objective) {
    one.delta_reg = one.norm_guess = (double)NAN;
    one.analysis = "tight";
  }
  if (!fit_settings_one(&one, &out->options[out->count])) {
    return false;
  }
  (void)snprintf(line->loss, sizeof line->loss, "%s", one.loss);
  (void)snprintf(line->mechanism, sizeof line->mechanism, "%s", one.mechanism);
  bool pure = !objective && one.delta == 0; /* output perturbation then has one kind */
  (void)snprintf(line->noise, sizeof line->noise, "%s", none ? "" : pure ? "l2" : one.noise);
  (void)snprintf(line->lambda_given, sizeof line->lambda_given, "%s", one.lambda);
  (void)snprintf(line->epsilon_given, sizeof line->epsilon_given, "%s", none ? "" : words[EPSILON]);
  line->automatic = strcmp(one.lambda, "auto") == 0;
  line->epsilon = one.epsilon;
  out->count++;
  return true;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The numbers of a list into an array that the caller frees; NULL without memory. */
static double *numbers_of(const word_list *list, size_t *count) {
  double *numbers = calloc(list->count, sizeof *numbers);
  *count = 0;
  for (size_t i = 0; numbers && i < list->count; i++) {
    *count += read_number(list->words[i], &numbers[*count]);
  }
  if (numbers) {
    qsort(numbers, *count, sizeof *numbers, ascending);
  }
  return numbers;
}

bool sweep_grid_build(const fit_settings *fit, const char *epsilons, sweep_table *out) {
  const char *const texts[LISTS] = {fit->loss, fit->mechanism, fit->noise, fit->lambda, epsilons};
  OWNED_MEMORY word_list *lists = calloc(LISTS, sizeof *lists);
  if (!lists) {
    return refuse(complain_of_memory());
  }
  if (!word_lists_split(options, texts, true, "", lists) ||
      !check_together(fit, lists, epsilons != NULL)) {
    return false;
  }
  size_t all = word_lists_combinations(lists);
  if (all > CELLS_MOST) {
    return refuse(wrong_usage("%zu cells are too many", all));
  }
  out->lines = calloc(all, sizeof *out->lines);
  out->options = calloc(all, sizeof *out->options);
  out->epsilons = numbers_of(&lists[EPSILON], &out->epsilon_count);
  out->lambdas = numbers_of(&lists[LAMBDA], &out->lambda_count);
  if (!out->lines || !out->options || !out->epsilons || !out->lambdas) {
    return refuse(complain_of_memory());
  }
  for (size_t i = 0; i < all; i++) {
    const char *words[LISTS];
    word_lists_combination(lists, i, words);
    if (counts(lists, words) && !add_cell(fit, words, out)) {
      return false;
    }
  }
  return true;
}
