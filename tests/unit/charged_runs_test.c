/* Runs that are charged: once, before anything is released, whatever becomes of them; for the right
 * data; and never where nobody is protected. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "dperm/plan.h"
#include "dperm/random.h"
#include "dperm/tune.h"
#include "dperm/verify.h"
#include "ledgers.h"
#include "model/model.h"

/* ---- what a ledger shows */

typedef struct shown {
  size_t entries, committed;
  dperm_ledger_entry last;
  char text[6][DPERM_AMOUNT_SIZE]; /* of the last: command, mechanism, epsilon, delta, digest,
                                      artifact */
  char left[DPERM_AMOUNT_SIZE];
} shown;

static void see_entry(void *context, const dperm_ledger_entry *e) {
  shown *s = context;
  s->entries++;
  s->committed += e->commit != 0;
  s->last = *e;
  const char *const texts[] = {e->command, e->mechanism, e->epsilon,
                               e->delta,   e->digest,    e->artifact};
  for (int i = 0; i < 6; i++) {
    (void)snprintf(s->text[i], DPERM_AMOUNT_SIZE, "%s", texts[i]);
  }
}

static void see_dataset(void *context, const dperm_ledger_dataset *d) {
  shown *s = context;
  if (strcmp(d->name, "people") == 0) {
    (void)snprintf(s->left, sizeof s->left, "%s", d->epsilon_left);
  }
}

static shown look(const ledger_home *home) {
  shown s = {0};
  dperm_ledger *ledger = opened(home);
  assert_ok(dperm_ledger_entries(ledger, "people", see_entry, &s, err));
  assert_ok(dperm_ledger_datasets(ledger, see_dataset, &s, err));
  dperm_ledger_free(ledger);
  assert_string_equal(verdict_of(home->path, NULL).first, "");
  return s;
}

static dperm_options asking(dperm_ledger *ledger, double epsilon) {
  dperm_options options = options_for(epsilon);
  options.threads = 1;
  options.account = (dperm_account){.ledger = ledger, .dataset = "people"};
  return options;
}

/* ---- training */

LEDGER_TEST(a_fit_is_charged_and_its_model_names_the_entry) {
  auto_ledger *ledger = opened(home);
  dperm_options options = asking(ledger, 0.1);
  dperm_charge charge;
  auto_model *model = NULL;
  char digest[DPERM_DIGEST_SIZE];
  options.account.charge = &charge;
  assert_ok(dperm_train(home->data, &options, &model, err));
  shown s = look(home);
  assert_true(s.entries == 1 && s.committed == 1 && s.last.entry == 2 && charge.entry == 2);
  assert_string_equal(s.text[0], "train");
  assert_string_equal(s.text[1], "objective");
  assert_string_equal(s.text[2], "0.1");
  assert_string_equal(s.left, "0.9");
  assert_string_equal(charge.epsilon_left, "0.9");
  assert_true(model->ledger_entry == 2);
  assert_string_equal(model->ledger_digest, s.text[4]);
  assert_ok(model_content_digest(model, digest, err));
  assert_string_equal(digest, s.text[5]);
}

LEDGER_TEST(a_models_entry_is_found_by_its_file) {
  auto_ledger *ledger = opened(home);
  dperm_options options = asking(ledger, 0.1);
  auto_model *model = NULL, *back = NULL, *other = NULL;
  shown s = {0};
  auto_file *path = file_with("", 0);
  assert_ok(dperm_train(home->data, &options, &other, err));
  assert_ok(dperm_train(home->data, &options, &model, err));
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(dperm_model_read(path, &back, err));
  assert_ok(dperm_ledger_find_model(ledger, back, see_entry, &s, err));
  assert_true(s.entries == 1 && s.last.entry == 4);
  back->digest[0] = back->digest[0] == '0' ? '1' : '0'; /* another one, whatever it was */
  assert_fails(dperm_ledger_find_model(ledger, back, see_entry, &s, err), DPERM_INVALID_LEDGER,
               "entry 4 was committed for another model");
  back->claim.epsilon_charged = 0.05;
  assert_fails(dperm_ledger_find_model(ledger, back, see_entry, &s, err), DPERM_INVALID_LEDGER,
               "entry 4 was charged another epsilon");
  back->ledger_entry = 2;
  assert_fails(dperm_ledger_find_model(ledger, back, see_entry, &s, err), DPERM_INVALID_LEDGER,
               "entry 2 is not the one that the model was charged as");
  back->ledger_entry = 77;
  assert_fails(dperm_ledger_find_model(ledger, back, see_entry, &s, err), DPERM_INVALID_LEDGER,
               "entry 77 is not the one");
  back->ledger_entry = 0;
  assert_fails(dperm_ledger_find_model(ledger, back, see_entry, &s, err), DPERM_INVALID_LEDGER,
               "not charged to any ledger");
}

LEDGER_TEST(a_dry_run_says_what_it_would_cost) {
  auto_ledger *ledger = opened(home);
  dperm_options options = asking(ledger, 0.4);
  dperm_charge charge;
  dperm_model *model = (dperm_model *)home;
  options.account.dry_run = true;
  options.account.charge = &charge;
  assert_ok(dperm_train(home->data, &options, &model, err));
  assert_null(model);
  assert_string_equal(charge.epsilon, "0.4");
  assert_string_equal(charge.epsilon_left, "0.6");
  assert_true(charge.entry == 0 && strtod(charge.delta, NULL) < 1e-42);
  assert_int_equal(look(home).entries, 0);
  options.account.ledger = NULL;
  options.account.dataset = NULL;
  assert_ok(dperm_train(home->data, &options, &model, err));
  assert_string_equal(charge.epsilon, "0.4");
  assert_string_equal(charge.epsilon_left, "");
}

static bool stop(void *context, const char *stage, uint64_t done, uint64_t total) {
  return true;
}

LEDGER_TEST(a_run_that_fails_stays_spent) {
  auto_ledger *ledger = opened(home);
  dperm_options options = asking(ledger, 0.3);
  dperm_model *model = NULL;
  options.progress.tick = stop;
  assert_fails(dperm_train(home->data, &options, &model, err), DPERM_CANCELLED,
               "the charge (entry 2 of the ledger) stays spent");
  shown s = look(home);
  assert_true(s.entries == 1 && s.committed == 0);
  assert_string_equal(s.left, "0.7");
}

LEDGER_TEST(what_cannot_be_planned_costs_nothing) {
  auto_ledger *ledger = opened(home);
  dperm_options options = asking(ledger, 0.3);
  dperm_model *model = NULL;
  options.lambda = -1;
  assert_fails(dperm_train(home->data, &options, &model, err), DPERM_INVALID_ARGUMENT, "lambda");
  options = asking(ledger, (double)NAN);
  assert_fails(dperm_train(home->data, &options, &model, err), DPERM_INVALID_ARGUMENT, "epsilon");
  options = asking(ledger, 0.3);
  options.kernel = (dperm_kernel){.kind = DPERM_KERNEL_GAUSSIAN, .gamma = 1, .features = 7};
  assert_fails(dperm_train(home->data, &options, &model, err), DPERM_INVALID_ARGUMENT, "");
  assert_int_equal(look(home).entries, 0);
}

/* What the processor does is public: it is asked before the charge, not only behind it. */
LEDGER_TEST(a_machine_that_rounds_otherwise_costs_nothing) {
  auto_ledger *ledger = opened(home);
  dperm_options options[2] = {asking(ledger, 0.1), asking(ledger, 0.1)};
  dperm_tune_options how = USUAL(dperm_tune_options);
  dperm_model *model = NULL;
  assert_int_equal(fesetround(FE_UPWARD), 0);
  dperm_status trained = dperm_train(home->data, options, &model, NULL);
  dperm_status tuned = dperm_tune(home->data, options, 2, &how, &model, NULL);
  assert_int_equal(fesetround(FE_TONEAREST), 0);
  assert_true(trained == DPERM_NUMERIC_ERROR && tuned == DPERM_NUMERIC_ERROR);
  assert_int_equal(look(home).entries, 0);
}

/* ---- tuning */

LEDGER_TEST(tuning_is_charged_once) {
  auto_ledger *ledger = opened(home);
  dperm_options options[3];
  dperm_tune_options how = USUAL(dperm_tune_options);
  how.holdout = 0.3;
  for (int i = 0; i < 3; i++) {
    options[i] = asking(ledger, 0.2);
    options[i].lambda = 0.1 * (i + 1);
  }
  static const char *const names[] = {"objective, split", "objective, stopping",
                                      "objective, public"};
  for (int method = DPERM_TUNE_SPLIT; method <= DPERM_TUNE_PUBLIC; method++) {
    auto_model *model = NULL;
    how.method = (dperm_tune_method)method;
    how.public_data = method == DPERM_TUNE_PUBLIC ? home->others : NULL;
    assert_ok(dperm_tune(home->data, options, 3, &how, &model, err));
    shown s = look(home);
    assert_true(s.entries == (size_t)method + 1 && s.committed == s.entries);
    assert_string_equal(s.text[0], "tune");
    assert_string_equal(s.text[1], names[method]);
    assert_string_equal(s.text[2], "0.2");
    assert_true(strtod(s.text[3], NULL) == model->claim.delta);
    assert_true(model->ledger_entry == s.last.entry);
  }
  assert_string_equal(look(home).left, "0.4");
}

/* Whatever the data set that pays, and also if none is named: a budget says that records are
 * somebody's. */
LEDGER_TEST(data_that_the_ledger_knows_are_not_public) {
  auto_ledger *ledger = opened(home);
  dperm_options options = asking(ledger, 0.2);
  dperm_tune_options how = USUAL(dperm_tune_options);
  dperm_model *model = NULL;
  assert_ok(dperm_train(home->others, &options, &model, err));
  dperm_model_free(model);
  model = NULL;
  assert_ok(ledger_create(home->path, "mine", "1", NULL, 1, err));
  how.method = DPERM_TUNE_PUBLIC;
  how.holdout = 0.3;
  how.public_data = home->others;
  static const char *const payers[] = {"mine", "people", NULL};
  for (size_t i = 0; i < 6; i++) {
    options.account.dataset = payers[i % 3];
    options.account.dry_run = i >= 3;
    assert_fails(dperm_tune(home->data, &options, 1, &how, &model, err), DPERM_OVER_BUDGET,
                 "these data are data set \"people\", and a choice made on them");
    assert_null(model);
  }
  assert_int_equal(look(home).entries, 1);
  options.account = (dperm_account){.ledger = ledger, .dataset = "mine"};
  how.public_data = home->data;   /* known to nobody yet, but the private ones themselves */
  options.account.dry_run = true; /* looks at no record */
  assert_ok(dperm_tune(home->data, &options, 1, &how, &model, err));
  options.account.dry_run = false;
  assert_int_equal(look(home).entries, 1);
  assert_fails(
      dperm_tune(home->data, &options, 1, &how, &model, err), DPERM_INVALID_DATA,
      "or by the method split or stopping; the charge (entry 5 of the ledger) stays spent");
  assert_null(model);
  shown s = {0}; /* the answer is paid for before it is sought */
  assert_ok(dperm_ledger_entries(ledger, "mine", see_entry, &s, err));
  assert_true(s.entries == 1 && s.committed == 0);
  assert_string_equal(s.text[2], "0.2");
}

/* ---- whose data */

LEDGER_TEST(other_rows_and_other_names_are_refused) {
  auto_ledger *ledger = opened(home);
  dperm_options options = asking(ledger, 0.1);
  dperm_model *model = NULL;
  assert_ok(dperm_train(home->data, &options, &model, err));
  dperm_model_free(model);
  model = NULL;
  assert_fails(dperm_train(home->others, &options, &model, err), DPERM_OVER_BUDGET,
               "not the data that \"people\" was charged for");
  assert_ok(ledger_create(home->path, "again", "1", NULL, 1, err));
  options.account.dataset = "again";
  assert_fails(dperm_train(home->data, &options, &model, err), DPERM_OVER_BUDGET,
               "are data set \"people\" already");
  options.account.dataset = NULL;
  assert_fails(dperm_train(home->data, &options, &model, err), DPERM_INVALID_ARGUMENT,
               "no data set; name that too");
  options.account = (dperm_account){.dataset = "people"};
  assert_fails(dperm_train(home->data, &options, &model, err), DPERM_INVALID_ARGUMENT,
               "no ledger; name that too");
}

/* Quicker reading for who has no ledger, never another identity for who has. */
LEDGER_TEST(rows_without_an_identity_are_not_charged) {
  auto_file *path = file_with_text("+1 1:0.5\n-1 2:0.5\n+1 1:0.25\n");
  dperm_source source = {
      .path = path, .format = DPERM_FORMAT_SVMLIGHT, .dims = 2, .no_identity = true};
  auto_ledger *ledger = opened(home);
  dperm_options options = asking(ledger, 0.1);
  auto_data *data = NULL;
  auto_model *model = NULL;
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  assert_fails(dperm_train(data, &options, &model, err), DPERM_INVALID_ARGUMENT,
               "read without their file's identity");
  assert_int_equal(look(home).entries, 0);
  options.account = (dperm_account){0};
  assert_ok(dperm_train(data, &options, &model, err));
  dperm_model_free(model);
  dperm_data_free(data);
  source.no_identity = false;
  assert_ok(dperm_data_read(&source, NULL, &data, err));
  options.account = (dperm_account){.ledger = ledger, .dataset = "people"};
  assert_ok(dperm_train(data, &options, &model, err));
  assert_int_equal(look(home).entries, 1);
}

/* ---- where nobody is protected */

LEDGER_TEST(runs_that_are_not_private_are_refused) {
  auto_ledger *ledger = opened(home);
  dperm_options none = asking(ledger, (double)NAN), seeded = asking(ledger, 0.1);
  dperm_model *model = NULL;
  none.mechanism = DPERM_MECHANISM_NONE;
  assert_ok(dperm_random_seeded(1, &seeded.random, err));
  assert_fails(dperm_train(home->data, &none, &model, err), DPERM_OVER_BUDGET, "not private");
  assert_fails(dperm_train(home->data, &seeded, &model, err), DPERM_OVER_BUDGET, "not private");
  /* Without a data set: free for data that the ledger does not know, and only for these. */
  none.account.dataset = seeded.account.dataset = NULL;
  assert_ok(dperm_train(home->data, &none, &model, err));
  assert_true(model->ledger_entry == 0);
  dperm_model_free(model);
  dperm_options honest = asking(ledger, 0.1);
  assert_ok(dperm_train(home->data, &honest, &model, err));
  dperm_model_free(model);
  assert_fails(dperm_train(home->data, &none, &model, err), DPERM_OVER_BUDGET,
               "these data are data set \"people\", and a run that is not private");
  assert_fails(dperm_train(home->data, &seeded, &model, err), DPERM_OVER_BUDGET, "not private");
  assert_ok(dperm_train(home->others, &none, &model, err));
  dperm_model_free(model);
  assert_int_equal(look(home).entries, 1);
  dperm_random_free(seeded.random);
}

/* ---- persons with several rows */

typedef struct lines {
  char fails[400], claim[400];
} lines;

static void see_line(void *context, dperm_finding finding, const char *line) {
  lines *l = context;
  if (finding == DPERM_FINDING_FAILS && !l->fails[0]) {
    (void)snprintf(l->fails, sizeof l->fails, "%s", line);
  }
  if (strncmp(line, "claim:", 6) == 0) {
    (void)snprintf(l->claim, sizeof l->claim, "%s", line);
  }
}

static void check_person_model(const dperm_model *model, double epsilon, size_t rows) {
  auto_file *path = file_with("", 0);
  auto_model *back = NULL;
  lines l = {"", ""};
  bool holds = false;
  assert_true(model->claim.epsilon == epsilon && model->claim.rows_per_person == rows);
  assert_true(model->claim.epsilon_row * (double)rows <= epsilon * (1 + 1e-15));
  assert_true(model->release.epsilon.core < model->claim.epsilon_row);
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(dperm_model_verify(path, NULL, 0, NULL, see_line, &l, &holds, err));
  assert_string_equal(l.fails, "");
  assert_true(holds && strstr(l.claim, "replacing one person's records, at most 5 of 60"));
  assert_ok(dperm_model_read(path, &back, err));
  assert_true(back->claim.rows_per_person == rows &&
              back->claim.epsilon_row == model->claim.epsilon_row &&
              back->claim.epsilon == epsilon);
}

LEDGER_TEST(a_person_with_several_rows_gets_the_whole_promise) {
  auto_ledger *ledger = opened(home);
  assert_ok(ledger_create(home->path, "visits", "10", NULL, 5, err));
  dperm_options options[2] = {asking(ledger, 2), asking(ledger, 2)};
  dperm_tune_options how = USUAL(dperm_tune_options);
  dperm_model *model = NULL;
  how.holdout = 0.3;
  for (int i = 0; i < 2; i++) {
    options[i].rows_per_person = 5;
    options[i].account.dataset = "visits";
    options[i].lambda = 1 + i;
  }
  assert_ok(dperm_train(home->data, options, &model, err));
  check_person_model(model, 2, 5);
  dperm_model_free(model);
  for (int method = DPERM_TUNE_SPLIT; method <= DPERM_TUNE_PUBLIC; method++) {
    how.method = (dperm_tune_method)method;
    how.public_data = method == DPERM_TUNE_PUBLIC ? home->others : NULL;
    assert_ok(dperm_tune(home->data, options, 2, &how, &model, err));
    check_person_model(model, 2, 5);
    dperm_model_free(model);
  }
  options[1].rows_per_person = 4;
  assert_fails(dperm_tune(home->data, options, 2, &how, &model, err), DPERM_INVALID_ARGUMENT,
               "candidate 1 has a unit");
  options[0].rows_per_person = 0;
  assert_fails(dperm_train(home->data, options, &model, err), DPERM_INVALID_ARGUMENT,
               "0 rows per person");
}

/* The noise for a person with k rows is that of a row at epsilon/k. */
LEDGER_TEST(the_mechanism_runs_at_a_share) {
  dperm_options person, row;
  dperm_plan a, b;
  dperm_options_init(&person);
  dperm_options_init(&row);
  person.epsilon = 2;
  person.rows_per_person = 8;
  row.epsilon = 0.25;
  assert_ok(dperm_plan_make(1000, 10, 1, &person, &a, err));
  assert_ok(dperm_plan_make(1000, 10, 1, &row, &b, err));
  assert_true(a.beta == b.beta && a.lambda == b.lambda && a.epsilon_core == b.epsilon_core);
  assert_true(a.epsilon == 2 && a.epsilon_row == 0.25 && a.rows_per_person == 8);
  assert_true(a.delta > b.delta * (exp(2) - 1) / (exp(0.25) - 1));
  assert_true(a.delta < b.delta * (exp(2) - 1) / (exp(0.25) - 1) * 1.001);
}
