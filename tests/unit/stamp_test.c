/* The stamp as a table: every way to a model or a score in C, times every reason not to be private.
 * Whatever the way and the reason, the model, its file, verification, the statement and the ledger
 * must say the same; without a reason all of them must say the same pair (epsilon, delta). A new
 * way or reason is one line in one of the two tables. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "data/dataset.h"
#include "dperm/score.h"
#include "dperm/tune.h"
#include "dperm/verify.h"
#include "ledgers.h"
#include "model/model.h"
#include "privacy/guarantee.h"
#include "wide_records.h"

enum { CANDIDATES = 2 };

/* ---- ways to a model */

typedef enum way_kind { TRAIN, REFINED, TUNE, SCORE } way_kind;
typedef struct way {
  const char *name;
  way_kind kind;
  dperm_mechanism mechanism;
  dperm_tune_method method;
  dperm_rounds rounds;
  size_t rows_per_person;
  bool public_model;
  bool weighted; /* classes have weights, known in public: no reason for anything */
} way;

static const way ways[] = {
    {"train, objective", TRAIN, DPERM_MECHANISM_OBJECTIVE, 0, 0, 1, 0, false},
    {"train, output", TRAIN, DPERM_MECHANISM_OUTPUT, 0, 0, 1, 0, false},
    {"train, persons", TRAIN, DPERM_MECHANISM_OBJECTIVE, 0, 0, 3, 0, false},
    {"tune, split", TUNE, DPERM_MECHANISM_OBJECTIVE, DPERM_TUNE_SPLIT, 0, 1, 0, false},
    {"tune, stopping", TUNE, DPERM_MECHANISM_OBJECTIVE, DPERM_TUNE_STOPPING,
     DPERM_ROUNDS_LOGARITHMIC, 1, 0, false},
    {"tune, geometric, persons", TUNE, DPERM_MECHANISM_OUTPUT, DPERM_TUNE_STOPPING,
     DPERM_ROUNDS_GEOMETRIC, 2, 0, false},
    {"tune, public", TUNE, DPERM_MECHANISM_OBJECTIVE, DPERM_TUNE_PUBLIC, 0, 1, 0, false},
    {"score", SCORE, DPERM_MECHANISM_OBJECTIVE, 0, 0, 1, 1, false},
    {"train, weights", TRAIN, DPERM_MECHANISM_OBJECTIVE, 0, 0, 1, 0, true},
    {"train, refined", REFINED, DPERM_MECHANISM_OBJECTIVE, 0, 0, 1, 0, false},
    {"tune, weights", TUNE, DPERM_MECHANISM_OUTPUT, DPERM_TUNE_SPLIT, 0, 1, 0, true},
};

/* ---- reasons */

/* The library's ridge as a caller would write it. */
static void ridge_eval(void *context, size_t j, double f, double *value, double *slope,
                       double *curvature) {
  *value = 0.5 * f * f;
  *slope = f;
  *curvature = 1;
}

static void no_mechanism(dperm_options *options) {
  options->mechanism = DPERM_MECHANISM_NONE;
}

static void a_seed(dperm_options *options) {
  assert_ok(dperm_random_seeded(5, &options->random, err));
}

static void undeclared_loss(dperm_options *options) {
  options->loss.name = "mine";
  options->loss.slope_error = 0;
}

static void undeclared_penalty(dperm_options *options) {
  options->regularizer.eval = ridge_eval;
}

typedef struct reason {
  const char *words;                      /* of it in the model's reason; NULL for none */
  void (*change)(dperm_options *options); /* or NULL: it is one of the data, */
  unsigned taken;                         /* what was taken from the records */
  bool of_candidate;                      /* one candidate may have it and another not */
  bool of_fit;                            /* it is no reason for a score */
} reason;

static const reason reasons[] = {
    {NULL, NULL, 0, false, false},
    {"without a privacy mechanism", no_mechanism, 0, false, true},
    {"from a seed", a_seed, 0, false, false},
    {"does not declare how precisely", undeclared_loss, 0, true, true},
    {"does not declare how precisely", undeclared_penalty, 0, true, true},
    {"the classes were taken from the records", NULL, DPERM_TAKEN_CLASSES, false, false},
    {"norm of rows was taken from the records", NULL, DPERM_TAKEN_NORM, false, false},
    {"ranges of columns were taken", NULL, DPERM_TAKEN_RANGES, false, false},
    {"categories were taken", NULL, DPERM_TAKEN_CATEGORIES, false, false},
    {"columns or their order were taken", NULL, DPERM_TAKEN_COLUMNS, false, false},
    {"scaled or chosen by the records", NULL, DPERM_TAKEN_SCALES, false, false},
    {"weights of classes were taken", NULL, DPERM_TAKEN_WEIGHTS, false, false},
};

static void give(const reason *why, dperm_options *options, dperm_data *data) {
  if (why->change) {
    why->change(options);
  }
  if (why->taken) {
    assert_ok(dperm_data_taken(data, why->taken, err));
  }
}

/* ---- running */

static const double MINE = 0, OTHERS = 0.05; /* what is added to the second column */

typedef struct outcome {
  dperm_status status;
  dperm_model *model; /* NULL for a score */
  int is_private;
  dperm_charge charge;
} outcome;

static dperm_data *sixty_rows(double added) {
  double x[60 * 2], y[60];
  dperm_data *data = NULL;
  for (int i = 0; i < 60; i++) {
    x[2 * i] = i % 2 ? 0.5 : -0.5;
    x[2 * i + 1] = (i % 7) / 10.0 + added;
    y[i] = i % 2 ? 1 : -1;
  }
  assert_ok(dperm_data_from_dense(60, 2, x, y, 1, &data, err));
  return data;
}

static dperm_status run_score(const way *w, const reason *why, dperm_data *data,
                              const dperm_account *account, outcome *out) {
  auto_model *model = model_without_noise(data, NULL);
  dperm_score_options how = USUAL(dperm_score_options);
  dperm_private_score score = {0};
  dperm_options unused = USUAL(dperm_options);
  give(why, &unused, data);
  how.epsilon = 0.25;
  how.rows_per_person = w->rows_per_person;
  how.random = unused.random;
  how.account = *account;
  how.public_model = w->public_model;
  dperm_status status = dperm_model_score_private(model, data, &how, &score, NULL);
  out->is_private = score.is_private;
  dperm_random_free(unused.random);
  return status;
}

/* `where`: which candidate has the reason. */
static dperm_status run_fit(const way *w, const reason *why, size_t where, dperm_data *data,
                            const dperm_account *account, outcome *out) {
  dperm_options all[CANDIDATES];
  dperm_tune_options how;
  auto_data *open = sixty_rows(OTHERS);
  static const dperm_class_weight class_weights[] = {{"-1", 1}, {"+1", 10}};
  dperm_status status = DPERM_OK;
  for (size_t i = 0; i < CANDIDATES; i++) {
    dperm_options_init(&all[i]);
    all[i].mechanism = w->mechanism;
    all[i].epsilon = 0.25;
    all[i].rows_per_person = w->rows_per_person;
    all[i].lambda = 0.1 + 0.1 * (double)i;
    all[i].threads = 1;
    all[i].account = *account;
    all[i].class_weights = w->weighted ? class_weights : NULL;
    all[i].class_weight_count = w->weighted ? 2 : 0;
  }
  give(why, &all[where], data);
  auto_random *random = all[where].random;
  if (w->kind != TUNE) {
    status = w->kind == TRAIN ? dperm_train(data, &all[where], &out->model, NULL)
                              : wide_train_refined(&all[where], data->taken, &out->model, NULL);
  } else {
    dperm_tune_options_init(&how);
    how.method = w->method;
    how.rounds = w->rounds;
    how.holdout = 0.3;
    how.public_data = w->method == DPERM_TUNE_PUBLIC ? open : NULL;
    all[0].random = random;
    status = dperm_tune(data, all, CANDIDATES, &how, &out->model, NULL);
  }
  out->is_private = out->model ? dperm_model_is_private(out->model) : 0;
  return status;
}

static outcome run(const way *w, const reason *why, size_t where, dperm_ledger *ledger,
                   const char *dataset) {
  outcome out = {0};
  auto_data *data = sixty_rows(MINE);
  const dperm_account account = {.ledger = ledger, .dataset = dataset, .charge = &out.charge};
  out.status = w->kind == SCORE ? run_score(w, why, data, &account, &out)
                                : run_fit(w, why, where, data, &account, &out);
  return out;
}

/* ---- what everybody says */

static void see_line(void *context, dperm_finding finding, const char *line) {
  char *failures = context;
  if (finding == DPERM_FINDING_FAILS && strlen(failures) + strlen(line) < 4000) {
    (void)strcat(strcat(failures, line), "\n");
  }
}

/* The file says what the model says, and so do verification and the page. */
static void check_file(const char *folder, const dperm_model *model, const char *words) {
  char path[1100], failures[5000] = "", *text = NULL;
  bool holds = false;
  dperm_guarantee g;
  (void)snprintf(path, sizeof path, "%s/model.json", folder);
  dperm_model_guarantee(model, &g);
  assert_ok(dperm_model_write(model, path, err));
  json_t *file = json_load_file(path, 0, NULL), *privacy = json_object_get(file, "privacy");
  assert_true(json_is_true(json_object_get(file, "private")) == !words);
  assert_ok(dperm_model_verify(path, NULL, 0, NULL, see_line, failures, &holds, err));
  assert_ok(dperm_statement(path, NULL, 0, NULL, 0, &text, err));
  if (words) {
    assert_non_null(strstr(json_string_value(json_object_get(file, "reason")), words));
    assert_non_null(strstr(g.reason, words));
    assert_false(holds);
    assert_non_null(strstr(failures, words));
    assert_non_null(strstr(text, "# No privacy"));
    assert_non_null(strstr(text, words));
    assert_null(strstr(text, "ε ="));
  } else {
    char pair[80];
    assert_true(json_is_null(json_object_get(file, "reason")) && !g.reason);
    assert_string_equal(failures, "");
    assert_true(holds);
    assert_true(json_number_value(json_object_get(privacy, "epsilon")) == g.epsilon);
    assert_true(json_number_value(json_object_get(privacy, "delta")) == g.delta);
    assert_string_equal(json_string_value(json_object_get(privacy, "definition")),
                        "(epsilon, delta)-differential privacy");
    (void)snprintf(pair, sizeof pair, "(ε, δ) = (%g, %.2g), for every ", g.epsilon, g.delta);
    assert_non_null(strstr(text, pair));
  }
  dperm_text_free(text);
  json_decref(file);
}

/* A model that was read says what it said. */
static void check_loaded(const char *folder, const char *words) {
  char path[1100];
  auto_model *back = NULL;
  dperm_guarantee g;
  (void)snprintf(path, sizeof path, "%s/model.json", folder);
  assert_ok(dperm_model_read(path, &back, err));
  dperm_model_guarantee(back, &g);
  assert_true(g.is_private == !words && dperm_model_is_private(back) == !words);
  assert_true(words ? strstr(g.reason, words) != NULL : g.reason == NULL);
  check_file(folder, back, words); /* and says it again when written */
}

/* Not private: refused by name, and wherever the ledger knows the data. Private: the same pair. */
static void check_ledger(const ledger_home *home, const way *w, const reason *why, size_t where) {
  const char *dataset = w->rows_per_person > 1 ? "persons" : "people";
  if (w->rows_per_person > 1) {
    assert_ok(ledger_create(home->path, dataset, "1", NULL, w->rows_per_person, err));
  }
  auto_ledger *ledger = opened(home);
  outcome named = run(w, why, where, ledger, dataset);
  bool private = !why->words || (w->kind == SCORE && why->of_fit);
  assert_int_equal(named.status, private ? DPERM_OK : DPERM_OVER_BUDGET);
  if (private) {
    assert_string_equal(named.charge.epsilon, "0.25");
    dperm_guarantee g = {.delta = 0};
    if (named.model) {
      dperm_model_guarantee(named.model, &g);
    }
    assert_true(strtod(named.charge.delta, NULL) == g.delta);
    assert_true((w->kind == SCORE) == (g.delta == 0));
  } else {
    assert_null(named.model);
    outcome known = run(w, &reasons[0], 0, ledger, dataset); /* from now on it knows the data */
    assert_int_equal(known.status, DPERM_OK);
    dperm_model_free(known.model);
    outcome unnamed = run(w, why, where, ledger, NULL);
    assert_int_equal(unnamed.status, DPERM_OVER_BUDGET);
    assert_null(unnamed.model);
  }
  dperm_model_free(named.model);
}

static bool makes_sense(const way *w, const reason *why) {
  return (w->kind != TUNE && w->kind != REFINED) || why->change != no_mechanism;
}

static void everybody_says_the_same(const way *w, const reason *why, size_t where) {
  void *state = NULL;
  assert_int_equal(ledger_home_begin(&state), 0);
  ledger_home *home = state;
  const char *words = w->kind == SCORE && why->of_fit ? NULL : why->words;
  outcome out = run(w, why, where, NULL, NULL);
  assert_int_equal(out.status, DPERM_OK);
  assert_int_equal(out.is_private, words == NULL);
  assert_true((out.charge.epsilon[0] != '\0') == (words == NULL)); /* what it would cost */
  if (out.model) {
    check_file(home->folder, out.model, words);
    check_loaded(home->folder, words);
  }
  dperm_model_free(out.model);
  check_ledger(home, w, why, where);
  char path[1100];
  (void)snprintf(path, sizeof path, "%s/model.json", home->folder);
  (void)unlink(path);
  assert_int_equal(ledger_home_end(&state), 0);
}

TEST(every_way_gives_every_reason) {
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    for (size_t r = 0; r < sizeof reasons / sizeof *reasons; r++) {
      bool spread = ways[w].kind == TUNE && reasons[r].of_candidate;
      for (size_t where = 0; makes_sense(&ways[w], &reasons[r]) && where < (spread ? 2 : 1);
           where++) {
        print_message("# %s: %s\n", ways[w].name, reasons[r].words ? reasons[r].words : "private");
        everybody_says_the_same(&ways[w], &reasons[r], where);
      }
    }
  }
}

/* Secure noise chooses, so both candidates come up: in either case the other one's fit was looked
 * at. The odds that one never comes up in 40 choices between equals are below 1e-11. */
TEST(whichever_candidate_is_chosen_one_that_is_not_private_spoils_the_choice) {
  size_t chosen[CANDIDATES] = {0};
  for (int i = 0; i < 40; i++) {
    outcome out = run(&ways[3], &reasons[3], 1, NULL, NULL);
    assert_int_equal(out.status, DPERM_OK);
    assert_false(out.is_private);
    char *path = file_with("", 0);
    assert_ok(dperm_model_write(out.model, path, err));
    json_t *file = json_load_file(path, 0, NULL);
    chosen[json_integer_value(json_object_get(json_object_get(file, "selection"), "chosen"))]++;
    json_decref(file);
    file_remove(path);
    dperm_model_free(out.model);
  }
  assert_true(chosen[0] + chosen[1] == 40);
}

LEDGER_TEST(candidates_with_accounts_of_their_own_are_refused) {
  auto_ledger *ledger = opened(home);
  dperm_options all[2];
  dperm_tune_options how = USUAL(dperm_tune_options);
  dperm_charge charge;
  dperm_model *model = NULL;
  auto_data *data = sixty_rows(MINE);
  const dperm_account accounts[] = {{.ledger = ledger, .dataset = "people"},
                                    {.ledger = NULL, .dataset = "people"},
                                    {.ledger = ledger, .dataset = "other"},
                                    {.dry_run = true},
                                    {.charge = &charge}};
  for (size_t a = 0; a < sizeof accounts / sizeof *accounts; a++) {
    for (size_t i = 0; i < 2; i++) {
      dperm_options_init(&all[0]);
      all[0].epsilon = 0.1;
      all[1] = all[0];
      all[i].account = accounts[a];
      assert_fails(dperm_tune(data, all, 2, &how, &model, err), DPERM_INVALID_ARGUMENT,
                   "of its own");
    }
  }
  assert_null(model);
}

TEST(reasons_add_up_and_copies_keep_them) {
  auto_data *data = sixty_rows(MINE), *part = NULL;
  const size_t rows[] = {3, 1, 2, 5, 4, 8, 9, 7, 10, 11, 12, 13};
  auto_model *model = NULL;
  dperm_guarantee g;
  assert_fails(dperm_data_taken(data, 128, err), DPERM_INVALID_ARGUMENT, "dperm_taken");
  assert_ok(dperm_data_taken(data, DPERM_TAKEN_CLASSES | DPERM_TAKEN_NORM, err));
  assert_ok(dperm_data_taken(data, 0, err));
  assert_ok(dperm_data_select(data, rows, 12, &part, err));
  dperm_options options = options_for(1);
  assert_ok(dperm_random_seeded(1, &options.random, err));
  assert_ok(dperm_train(part, &options, &model, err));
  dperm_model_guarantee(model, &g);
  assert_string_equal(g.reason,
                      "the noise came from a seed, for tests and experiments; the classes "
                      "were taken from the records; the bound on the norm of rows was "
                      "taken from the records");
  dperm_random_free(options.random);
}

LEDGER_TEST(the_score_of_a_model_that_is_not_private_is_not) {
  const way scored = {"score", SCORE, DPERM_MECHANISM_OBJECTIVE, 0, 0, 1, 0, false};
  auto_ledger *ledger = opened(home);
  outcome free_of_charge = run(&scored, &reasons[0], 0, NULL, NULL);
  assert_int_equal(free_of_charge.status, DPERM_OK);
  assert_false(free_of_charge.is_private);
  outcome named = run(&scored, &reasons[0], 0, ledger, "people");
  assert_int_equal(named.status, DPERM_OVER_BUDGET);
}

TEST(a_record_that_is_taken_twice_is_two) {
  auto_data *data = sixty_rows(MINE), *part = NULL, *half = NULL;
  const size_t rows[] = {3, 1, 2, 5, 4, 8, 9, 7, 10, 11, 12, 3},
               first[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  dperm_model *model = NULL;
  dperm_guarantee g;
  dperm_options options = options_for(1);
  assert_ok(dperm_data_select(data, rows, 12, &part, err));
  assert_ok(dperm_data_select(part, first, 10, &half, err)); /* it stays so */
  for (int i = 0; i < 2; i++) {
    assert_ok(dperm_train(i ? half : part, &options, &model, err));
    dperm_model_guarantee(model, &g);
    assert_string_equal(g.reason, "some records were taken several times");
    dperm_model_free(model);
  }
}
