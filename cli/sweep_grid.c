/* Words are split here; whether a combination makes sense, fit_settings says, as for train. */
#include "sweep_grid.h"
#include "arguments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "word_list.h"

enum { CELLS_MOST = 20000 };

typedef struct lists {
  word_list loss, mechanism, noise, lambda, epsilon;
} lists;

static bool split(const char *option, const char *text, word_list *out) {
  return word_list_split(option, text, true, "", out);
}

/* What concerns the lists as a whole; each cell is checked by itself later. */
static const char *wrong_together(const fit_settings *fit, const lists *l, bool epsilons) {
  bool objective = word_list_has(&l->mechanism, "objective"),
       output = word_list_has(&l->mechanism, "output");
  bool known =
      l->mechanism.count <= (size_t)objective + output + word_list_has(&l->mechanism, "none");
  bool shaped =
      !isnan(fit->delta_reg) || !isnan(fit->norm_guess) || strcmp(fit->analysis, "tight") != 0;
  if (!known) {
    return "--mechanism must be a list of objective, output and none";
  }
  if (!epsilons && (objective || output)) {
    return "--epsilon is missing: give one or several";
  }
  if (epsilons && !objective && !output) {
    return "--epsilon does not go with --mechanism none";
  }
  if (fit->rows_per_person > 1 && !objective && !output) {
    return "--rows-per-person does not go with --mechanism none";
  }
  if (fit->h && l->loss.count == 1 && !loss_has_h(l->loss.words[0])) {
    return "--h does not go with this --loss, which has no smooth piece";
  }
  if (shaped && !objective) {
    return "--delta-reg, --norm-guess and --analysis are for --mechanism objective";
  }
  if (output && !word_list_has(&l->noise, "auto") && !word_list_has(&l->noise, "l2")) {
    return "--mechanism output has l2 noise only; add l2 to --noise, or leave output out";
  }
  return NULL;
}

/* Whether this noise and epsilon (by their places in the lists) make a cell of their own. */
static bool counts(const lists *l, const char *mechanism, size_t noise, size_t epsilon) {
  if (strcmp(mechanism, "none") == 0) {
    return noise == 0 && epsilon == 0;
  }
  if (strcmp(mechanism, "output") == 0) {
    const char *only = word_list_has(&l->noise, "l2") ? "l2" : "auto";
    return strcmp(l->noise.words[noise], only) == 0;
  }
  return true;
}

static void copy_word(char *to, size_t size, const char *from) {
  (void)snprintf(to, size, "%s", from);
}

static bool add_cell(const fit_settings *fit, const char *loss, const char *mechanism,
                     const char *noise, const char *lambda, const char *epsilon, sweep_grid *out) {
  bool none = strcmp(mechanism, "none") == 0, objective = strcmp(mechanism, "objective") == 0;
  sweep_words *words = &out->words[out->count];
  fit_settings one = *fit;
  one.loss = loss;
  one.mechanism = mechanism;
  one.noise = none ? "auto" : noise;
  one.lambda = lambda;
  one.h = loss_has_h(loss) ? fit->h : NULL; /* it is for the others of the list */
  one.epsilon = (double)NAN;
  one.rows_per_person = none ? 1 : fit->rows_per_person;
  if (!none && !(read_number(epsilon, &one.epsilon) && one.epsilon > 0)) {
    return refuse(wrong_usage("--epsilon must be positive, not \"%.40s\"", epsilon));
  }
  if (!objective) {
    one.delta_reg = one.norm_guess = (double)NAN;
    one.analysis = "tight";
  }
  if (!fit_settings_one(&one, &out->options[out->count])) {
    return false;
  }
  copy_word(words->loss, sizeof words->loss, loss);
  copy_word(words->mechanism, sizeof words->mechanism, mechanism);
  copy_word(words->noise, sizeof words->noise, none ? "" : objective ? noise : "l2");
  copy_word(words->lambda, sizeof words->lambda, lambda);
  copy_word(words->epsilon, sizeof words->epsilon, none ? "" : epsilon);
  out->count++;
  return true;
}

static bool combine(const fit_settings *fit, const lists *l, sweep_grid *out) {
  const word_list *const axes[LISTS] = {&l->loss, &l->mechanism, &l->noise, &l->lambda,
                                        &l->epsilon};
  size_t all = word_lists_combinations(axes), at[LISTS];
  if (all > CELLS_MOST) {
    return refuse(wrong_usage("%zu cells are too many", all));
  }
  out->words = calloc(all, sizeof *out->words);
  out->options = calloc(all, sizeof *out->options);
  if (!out->words || !out->options) {
    return refuse(complain_of_memory());
  }
  for (size_t i = 0; i < all; i++) {
    word_lists_place(axes, i, at);
    const char *mechanism = l->mechanism.words[at[1]];
    if (counts(l, mechanism, at[2], at[4]) &&
        !add_cell(fit, l->loss.words[at[0]], mechanism, l->noise.words[at[2]],
                  l->lambda.words[at[3]], l->epsilon.words[at[4]], out)) {
      return false;
    }
  }
  return true;
}

bool sweep_grid_build(const fit_settings *fit, const char *epsilons, sweep_grid *out) {
  *out = (sweep_grid){0};
  lists *l = calloc(1, sizeof *l);
  if (!l) {
    return refuse(complain_of_memory());
  }
  bool good =
      split("--loss", fit->loss, &l->loss) && split("--mechanism", fit->mechanism, &l->mechanism) &&
      split("--noise", fit->noise, &l->noise) && split("--lambda", fit->lambda, &l->lambda) &&
      split("--epsilon", epsilons ? epsilons : "-", &l->epsilon);
  const char *wrong = good ? wrong_together(fit, l, epsilons != NULL) : NULL;
  if (wrong) {
    good = refuse(wrong_usage("%s", wrong));
  }
  good = good && combine(fit, l, out);
  free(l);
  if (!good) {
    sweep_grid_free(out);
  }
  return good;
}

void sweep_grid_free(sweep_grid *grid) {
  free(grid->words);
  free(grid->options);
  *grid = (sweep_grid){0};
}
