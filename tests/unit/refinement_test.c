/* Refinement: what it costs, that every model says so, and what is refused. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "dperm/tune.h"
#include "dperm/verify.h"
#include "ledgers.h"
#include "model/model.h"
#include "wide_records.h"

static dperm_options fit_of(double epsilon) {
  dperm_options o = options_for(epsilon);
  o.lambda = 0.01;
  o.threads = 1;
  return o;
}

static dperm_model *trained(const wide_home *s, const dperm_schema *schema, dperm_options o) {
  auto_data *data = people_encoded(&s->p, schema);
  dperm_model *model = NULL;
  assert_ok(dperm_train(data, &o, &model, err));
  return model;
}

/* Whether the model's file verifies; `line` is the line of a check that failed. */
static bool verifies(const wide_home *s, const dperm_model *model) {
  char path[1100];
  bool holds = false;
  (void)snprintf(path, sizeof path, "%s/model.json", s->home->folder);
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(dperm_model_verify(path, NULL, 0, NULL, NULL, NULL, &holds, err));
  (void)unlink(path);
  return holds;
}

/* ---- the cost */

WIDE_TEST(a_model_states_the_sum_and_its_entry_charges_the_fit) {
  auto_ledger *ledger = opened(s->home);
  dperm_charge charge;
  dperm_guarantee g;
  dperm_refine_options first = refine_options_of(0.08);
  dperm_options fit = fit_of(0.32);
  first.account = fit.account =
      (dperm_account){.ledger = ledger, .dataset = "people", .charge = &charge};
  auto_schema *made = people_refined(s, first);
  assert_string_equal(charge.epsilon, "0.08");
  assert_string_equal(charge.delta, "0");
  assert_int_equal(made->refined.entry, charge.entry);
  assert_string_equal(made->refined.receipt, charge.digest);
  auto_model *model = trained(s, made, fit);
  dperm_model_guarantee(model, &g);
  assert_true(g.is_private && g.epsilon == 0.4);
  assert_true(model->claim.shares[SHARE_SCHEMA] == 0.08 && model->claim.epsilon_charged == 0.32);
  assert_string_equal(charge.epsilon, "0.32");
  assert_string_equal(charge.epsilon_left, "0.6");
  assert_true(verifies(s, model));
}

WIDE_TEST(one_run_is_one_charge_and_states_all_of_it) {
  auto_ledger *ledger = opened(s->home);
  dperm_charge charge;
  dperm_guarantee g;
  auto_model *model = NULL, *next = NULL;
  dperm_options fit = fit_of(0.75);
  fit.refine = (double)NAN;
  fit.account = (dperm_account){.ledger = ledger, .dataset = "people", .charge = &charge};
  assert_ok(dperm_train(s->data, &fit, &model, err));
  dperm_model_guarantee(model, &g);
  assert_true(g.is_private && g.epsilon == 0.75);
  assert_string_equal(charge.epsilon, "0.75");
  assert_true(model->claim.shares[SHARE_SCHEMA] == 0.06 && model->claim.epsilon_charged == 0.75);
  assert_int_equal(model->ledger_entry, charge.entry);
  assert_int_equal(model->schema->refined.entry, charge.entry);
  assert_true(verifies(s, model));
  /* Its schema can be used again: what it cost is in the ledger, and is counted again. */
  fit.epsilon = 0.04;
  fit.refine = 0;
  next = trained(s, model->schema, fit);
  dperm_model_guarantee(next, &g);
  assert_true(g.is_private && g.epsilon == 0.1);
  assert_string_equal(charge.epsilon_left, "0.21");
}

WIDE_TEST(a_choice_counts_the_refinement_too) {
  auto_schema *made = people_refined(s, refine_options_of(0.08));
  auto_data *data = people_encoded(&s->p, made);
  dperm_options candidates[2] = {fit_of(0.92), fit_of(0.92)};
  dperm_tune_options how = USUAL(dperm_tune_options);
  candidates[1].lambda = 0.1;
  for (int method = DPERM_TUNE_SPLIT; method <= DPERM_TUNE_STOPPING; method++) {
    auto_model *model = NULL;
    dperm_guarantee g;
    how.method = (dperm_tune_method)method;
    assert_ok(dperm_tune(data, candidates, 2, &how, &model, err));
    dperm_model_guarantee(model, &g);
    assert_true(g.is_private && g.epsilon == 1);
    assert_true(verifies(s, model));
  }
}

WIDE_TEST(persons_with_several_rows) {
  dperm_refine_options o = refine_options_of(0.8);
  dperm_guarantee g;
  o.rows_per_person = 4;
  auto_schema *made = people_refined(s, o);
  dperm_options fit = fit_of(2);
  auto_data *data = people_encoded(&s->p, made);
  auto_model *model = NULL;
  assert_fails(dperm_train(data, &fit, &model, err), DPERM_INVALID_ARGUMENT,
               "persons with at most 4 rows");
  fit.rows_per_person = 4;
  assert_ok(dperm_train(data, &fit, &model, err));
  dperm_model_guarantee(model, &g);
  assert_true(g.is_private && g.epsilon == 2.8 && g.rows_per_person == 4);
  assert_true(verifies(s, model));
}

/* ---- what is not private */

WIDE_TEST(after_a_seed_nothing_is_private) {
  auto_random *random = NULL;
  dperm_guarantee g;
  dperm_refine_options o = refine_options_of(0.08);
  assert_ok(dperm_random_seeded(5, &random, err));
  o.random = random;
  auto_schema *made = people_refined(s, o);
  assert_false(made->refined.is_private);
  dperm_model *model = trained(s, made, fit_of(1));
  dperm_model_guarantee(model, &g);
  assert_false(g.is_private);
  assert_non_null(strstr(g.reason, "refined from records in a way that is not private"));
  assert_false(verifies(s, model));
  dperm_model_free(model);
  auto_ledger *ledger = opened(s->home);
  auto_data *data = people_encoded(&s->p, made);
  dperm_options fit = fit_of(0.5);
  fit.account = (dperm_account){.ledger = ledger, .dataset = "people"};
  assert_fails(dperm_train(data, &fit, &model, err), DPERM_OVER_BUDGET, "not private");
  o.account = fit.account;
  dperm_schema *none = NULL;
  assert_fails(dperm_refine(s->data, &o, &none, err), DPERM_OVER_BUDGET, "a seed");
  assert_null(none);
}

WIDE_TEST(what_was_taken_from_the_records_stays_so) {
  auto_model *model = NULL;
  dperm_guarantee g;
  dperm_options fit = fit_of(1);
  fit.refine = 0.1;
  assert_ok(dperm_data_taken(s->data, DPERM_TAKEN_RANGES, err));
  assert_ok(dperm_train(s->data, &fit, &model, err));
  dperm_model_guarantee(model, &g);
  assert_false(g.is_private || model->schema->refined.is_private);
  assert_non_null(strstr(g.reason, "ranges of columns were taken"));
}

/* ---- what is refused */

WIDE_TEST(ledgers_that_do_not_know_the_refinement_refuse_the_fit) {
  char other[1100];
  dperm_ledger *ledger = opened(s->home), *elsewhere = NULL;
  dperm_model *model = NULL;
  auto_schema *unpaid = people_refined(s, refine_options_of(0.08));
  auto_data *data = people_encoded(&s->p, unpaid);
  dperm_options fit = fit_of(0.1);
  fit.account = (dperm_account){.ledger = ledger, .dataset = "people"};
  assert_fails(dperm_train(data, &fit, &model, err), DPERM_OVER_BUDGET, "no ledger was charged");
  (void)snprintf(other, sizeof other, "%s/other.db", s->home->folder);
  assert_ok(ledger_create(other, "people", "1", NULL, 1, err));
  assert_ok(dperm_ledger_open(other, &elsewhere, err));
  dperm_refine_options o = refine_options_of(0.08);
  o.account = (dperm_account){.ledger = elsewhere, .dataset = "people"};
  dperm_schema *paid = people_refined(s, o);
  dperm_data *again = people_encoded(&s->p, paid);
  assert_fails(dperm_train(again, &fit, &model, err), DPERM_OVER_BUDGET, "is not the one");
  fit.account = o.account;
  assert_ok(dperm_train(again, &fit, &model, err));
  dperm_model_free(model);
  dperm_data_free(again);
  dperm_schema_free(paid);
  dperm_ledger_free(elsewhere);
  (void)unlink(other);
  dperm_ledger_free(ledger);
}

WIDE_TEST(requests_that_make_no_sense_are_refused) {
  dperm_schema *made = NULL;
  dperm_refine_options o = refine_options_of((double)NAN);
  assert_fails(dperm_refine(s->data, &o, &made, err), DPERM_INVALID_ARGUMENT, "epsilon");
  o.epsilon = 0.1;
  o.fit_epsilon = -1;
  assert_fails(dperm_refine(s->data, &o, &made, err), DPERM_INVALID_ARGUMENT, "the fit's epsilon");
  o.fit_epsilon = 1;
  o.rows_per_person = 0;
  assert_fails(dperm_refine(s->data, &o, &made, err), DPERM_INVALID_ARGUMENT, "rows per person");
  o.rows_per_person = 1;
  assert_fails(dperm_refine(s->home->data, &o, &made, err), DPERM_INVALID_ARGUMENT,
               "these rows have none");
}

/* The number of records would depend on what they say. */
WIDE_TEST(a_schema_that_drops_rows_is_not_refined) {
  static const double x[] = {0, 1};
  static const int32_t y[] = {0, 1};
  static const char *const classes[] = {"0", "1"};
  const dperm_column column = {.numbers = x},
                     label = {.codes = y, .texts = classes, .text_count = 2};
  const dperm_refine_options o = refine_options_of(0.1);
  dperm_options fit = fit_of(1);
  dperm_schema *none = NULL;
  dperm_model *model = NULL;
  auto_data *data = NULL;
  auto_schema *drops =
      schema_parsed("{\"label\": {\"column\": \"y\", \"classes\": [\"0\", \"1\"]}, \"on_missing\": "
                    "\"drop\", \"columns\": [{\"name\": \"x\", \"type\": \"numeric\", \"min\": 0, "
                    "\"max\": 1}]}");
  assert_ok(dperm_data_from_table(drops, 2, &column, &label, &data, err));
  assert_fails(dperm_refine(data, &o, &none, err), DPERM_INVALID_SCHEMA, "drops rows");
  fit.refine = 0.1;
  assert_fails(dperm_train(data, &fit, &model, err), DPERM_INVALID_SCHEMA, "drops rows");
}

WIDE_TEST(fits_that_cannot_refine_are_refused) {
  dperm_model *model = NULL;
  const double weights[100] = {1};
  dperm_options fit = fit_of(1);
  fit.refine = 0.1;
  assert_fails(dperm_train(s->home->data, &fit, &model, err), DPERM_INVALID_ARGUMENT,
               "these rows have none");
  fit.refine = 1;
  assert_fails(dperm_train(s->data, &fit, &model, err), DPERM_INVALID_ARGUMENT, "refine = 1;");
  fit.refine = -0.1;
  assert_fails(dperm_train(s->data, &fit, &model, err), DPERM_INVALID_ARGUMENT, "refine = -0.1;");
  fit.refine = 0.1;
  fit.bins = DPERM_BINS_NONE;
  assert_fails(dperm_train(s->data, &fit, &model, err), DPERM_INVALID_ARGUMENT,
               "bins are to be none, and refine makes some");
  fit.bins = (dperm_bins)3;
  assert_fails(dperm_train(s->data, &fit, &model, err), DPERM_INVALID_ARGUMENT, "bins number 3");
  fit.bins = DPERM_BINS_ASK;
  fit.regularizer.weights = weights;
  assert_fails(dperm_train(s->data, &fit, &model, err), DPERM_INVALID_ARGUMENT,
               "weights and priors");
  fit = fit_of(1);
  fit.refine = 0.1;
  fit.mechanism = DPERM_MECHANISM_NONE;
  assert_fails(dperm_train(s->data, &fit, &model, err), DPERM_INVALID_ARGUMENT,
               "the mechanism none has none");
}

/* Whatever of it is changed, and whatever is left out. */
WIDE_TEST(an_object_that_was_edited_is_refused) {
  static const struct {
    const char *key, *value; /* JSON; NULL takes the key away */
  } edits[] = {{"epsilon", "0.01"},
               {"epsilon", "0"},
               {"epsilon", "-0.08"},
               {"epsilon", "\"0.08\""},
               {"epsilon", "1e300"},
               {"epsilon", NULL},
               {"unit", "\"person\""},
               {"unit", NULL},
               {"rows_per_person", "2"},
               {"rows_per_person", "0"},
               {"rows_per_person", "1.0"},
               {"neighbours", "\"add-remove\""},
               {"neighbours", NULL},
               {"private", "false"},
               {"private", "1"},
               {"private", NULL},
               {"ledger", "{\"id\": 1, \"digest\": \"00\"}"},
               {"ledger", "{}"},
               {"ledger", NULL},
               {"dperm_version", "\"9\""},
               {"digest", "\"\""},
               {"digest", NULL},
               {"more", "1"}};
  dperm_schema *made = people_refined(s, refine_options_of(0.08)), *read = NULL;
  json_t *same = json_deep_copy(made->json);
  assert_ok(schema_from_json(same, "schema", &read, err));
  dperm_schema_free(read);
  json_decref(same);
  for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
    json_t *edited = json_deep_copy(made->json), *object = json_object_get(edited, "refined");
    if (edits[i].value) {
      json_t *value = json_loads(edits[i].value, JSON_DECODE_ANY, NULL);
      assert_int_equal(json_object_set_new(object, edits[i].key, value), 0);
    } else {
      assert_int_equal(json_object_del(object, edits[i].key), 0);
    }
    assert_fails(schema_from_json(edited, "schema", &read, err), DPERM_INVALID_SCHEMA, "refined");
    json_decref(edited);
  }
  json_auto_t *text = json_pack("{s:s}", "refined", "yes");
  json_auto_t *edited = json_deep_copy(made->json);
  assert_int_equal(json_object_update(edited, text), 0);
  assert_fails(schema_from_json(edited, "schema", &read, err), DPERM_INVALID_SCHEMA, "refined");
  dperm_schema_free(made);
}

/* The records' choice between lines and bins, as one run with a refinement is. */
WIDE_TEST(a_choice_of_bins_is_one_charge_and_states_all_of_it) {
  auto_ledger *ledger = opened(s->home);
  dperm_charge charge;
  dperm_guarantee g;
  auto_model *model = NULL;
  dperm_options fit = fit_of(0.9);
  fit.account = (dperm_account){.ledger = ledger, .dataset = "people", .charge = &charge};
  assert_ok(dperm_train(s->data, &fit, &model, err));
  dperm_model_guarantee(model, &g);
  assert_true(g.is_private && g.epsilon == 0.9);
  assert_string_equal(charge.epsilon, "0.9");
  assert_string_equal(charge.epsilon_left, "0.1");
  /* If a shape was found, ranges were asked about; they suffice, without a weight, or are counted.
   */
  double more = model->schema->refined.epsilon - 240.0 / PEOPLE;
  assert_true(fabs(more) < 1e-12 || fabs(more - 0.9 * 0.1) < 1e-12 ||
              fabs(more - 0.9 * 0.05 + 40.0 / PEOPLE) < 1e-12);
  assert_true(model->claim.shares[SHARE_SCHEMA] == model->schema->refined.epsilon);
  assert_int_equal(model->schema->refined.entry, charge.entry);
  assert_true(verifies(s, model));
}
