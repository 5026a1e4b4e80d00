/* Refinement: what it costs, that every model says so, and what is refused. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "dperm/tune.h"
#include "dperm/verify.h"
#include "ledgers.h"
#include "model/model.h"
#include "wide_records.h"

static dperm_options fit_of(double epsilon) {
  dperm_options o;
  dperm_options_init(&o);
  o.epsilon = epsilon;
  o.lambda = 0.01;
  o.threads = 1;
  return o;
}

static dperm_model *trained(const wide_home *s, const dperm_schema *schema, dperm_options o) {
  dperm_data *data = people_encoded(&s->p, schema);
  dperm_model *model = NULL;
  assert_ok(dperm_train(data, &o, &model, err));
  dperm_data_free(data);
  return model;
}

/* Whether the model's file verifies; `line` is the line of a check that failed. */
static bool verifies(const wide_home *s, const dperm_model *model) {
  char path[1100];
  bool holds = false;
  (void)snprintf(path, sizeof path, "%s/model.json", s->home->folder);
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(dperm_model_verify(path, NULL, NULL, &holds, err));
  (void)unlink(path);
  return holds;
}

/* ---- the cost */

static void a_model_states_the_sum_and_its_entry_charges_the_fit(void **state) {
  wide_home *s = *state;
  dperm_ledger *ledger = opened(s->home);
  dperm_charge charge;
  dperm_guarantee g;
  dperm_refine_options first = refine_options_of(0.08);
  dperm_options fit = fit_of(0.32);
  first.account = fit.account =
      (dperm_account){.ledger = ledger, .dataset = "people", .charge = &charge};
  dperm_schema *made = people_refined(s, first);
  assert_string_equal(charge.epsilon, "0.08");
  assert_string_equal(charge.delta, "0");
  assert_int_equal(made->refined.entry, charge.entry);
  assert_string_equal(made->refined.receipt, charge.digest);
  dperm_model *model = trained(s, made, fit);
  dperm_model_guarantee(model, &g);
  assert_true(g.is_private && g.epsilon == 0.4);
  assert_true(model->claim.epsilon_refined == 0.08 && model->claim.epsilon_charged == 0.32);
  assert_string_equal(charge.epsilon, "0.32");
  assert_string_equal(charge.epsilon_left, "0.6");
  assert_true(verifies(s, model));
  dperm_model_free(model);
  dperm_schema_free(made);
  dperm_ledger_free(ledger);
}

static void one_run_is_one_charge_and_states_all_of_it(void **state) {
  wide_home *s = *state;
  dperm_ledger *ledger = opened(s->home);
  dperm_charge charge;
  dperm_guarantee g;
  dperm_model *model = NULL, *next = NULL;
  dperm_options fit = fit_of(0.75);
  fit.account = (dperm_account){.ledger = ledger, .dataset = "people", .charge = &charge};
  assert_ok(dperm_train_refined(s->wide, people_read, &s->p, &fit, (double)NAN, 0, &model, err));
  dperm_model_guarantee(model, &g);
  assert_true(g.is_private && g.epsilon == 0.75);
  assert_string_equal(charge.epsilon, "0.75");
  assert_true(model->claim.epsilon_refined == 0.06 && model->claim.epsilon_charged == 0.75);
  assert_int_equal(model->ledger_entry, charge.entry);
  assert_int_equal(model->schema->refined.entry, charge.entry);
  assert_true(verifies(s, model));
  /* Its schema can be used again: what it cost is in the ledger, and is counted again. */
  fit.epsilon = 0.04;
  next = trained(s, model->schema, fit);
  dperm_model_guarantee(next, &g);
  assert_true(g.is_private && g.epsilon == 0.1);
  assert_string_equal(charge.epsilon_left, "0.21");
  dperm_model_free(next);
  dperm_model_free(model);
  dperm_ledger_free(ledger);
}

static void a_choice_counts_the_refinement_too(void **state) {
  wide_home *s = *state;
  dperm_schema *made = people_refined(s, refine_options_of(0.08));
  dperm_data *data = people_encoded(&s->p, made);
  dperm_options candidates[2] = {fit_of(0.92), fit_of(0.92)};
  dperm_tune_options how;
  dperm_tune_options_init(&how);
  candidates[1].lambda = 0.1;
  for (int method = DPERM_TUNE_SPLIT; method <= DPERM_TUNE_STOPPING; method++) {
    dperm_model *model = NULL;
    dperm_guarantee g;
    how.method = (dperm_tune_method)method;
    assert_ok(dperm_tune(data, candidates, 2, &how, &model, err));
    dperm_model_guarantee(model, &g);
    assert_true(g.is_private && g.epsilon == 1);
    assert_true(verifies(s, model));
    dperm_model_free(model);
  }
  dperm_data_free(data);
  dperm_schema_free(made);
}

static void persons_with_several_rows(void **state) {
  wide_home *s = *state;
  dperm_refine_options o = refine_options_of(0.8);
  dperm_guarantee g;
  o.rows_per_person = 4;
  dperm_schema *made = people_refined(s, o);
  dperm_options fit = fit_of(2);
  dperm_data *data = people_encoded(&s->p, made);
  dperm_model *model = NULL;
  assert_fails(dperm_train(data, &fit, &model, err), DPERM_INVALID_ARGUMENT,
               "refined for persons with at most 4 rows");
  fit.rows_per_person = 4;
  assert_ok(dperm_train(data, &fit, &model, err));
  dperm_model_guarantee(model, &g);
  assert_true(g.is_private && g.epsilon == 2.8 && g.rows_per_person == 4);
  assert_true(verifies(s, model));
  dperm_model_free(model);
  dperm_data_free(data);
  dperm_schema_free(made);
}

/* ---- what is not private */

static void after_a_seed_nothing_is_private(void **state) {
  wide_home *s = *state;
  dperm_random *random = NULL;
  dperm_guarantee g;
  dperm_refine_options o = refine_options_of(0.08);
  assert_ok(dperm_random_seeded(5, &random, err));
  o.random = random;
  dperm_schema *made = people_refined(s, o);
  assert_false(made->refined.is_private);
  dperm_model *model = trained(s, made, fit_of(1));
  dperm_model_guarantee(model, &g);
  assert_false(g.is_private);
  assert_non_null(strstr(g.reason, "refined from records in a way that is not private"));
  assert_false(verifies(s, model));
  dperm_model_free(model);
  dperm_ledger *ledger = opened(s->home);
  dperm_data *data = people_encoded(&s->p, made);
  dperm_options fit = fit_of(0.5);
  fit.account = (dperm_account){.ledger = ledger, .dataset = "people"};
  assert_fails(dperm_train(data, &fit, &model, err), DPERM_OVER_BUDGET, "not private");
  o.account = fit.account;
  dperm_schema *none = NULL;
  assert_fails(dperm_refine(s->wide, s->counted, &o, &none, err), DPERM_OVER_BUDGET, "a seed");
  assert_null(none);
  dperm_data_free(data);
  dperm_ledger_free(ledger);
  dperm_schema_free(made);
  dperm_random_free(random);
}

static void what_was_taken_from_the_records_stays_so(void **state) {
  wide_home *s = *state;
  dperm_model *model = NULL;
  dperm_guarantee g;
  const dperm_options fit = fit_of(1);
  assert_ok(dperm_train_refined_table(s->wide, PEOPLE, s->p.columns, &s->p.labels,
                                      DPERM_TAKEN_RANGES, &fit, 0.1, 0, &model, err));
  dperm_model_guarantee(model, &g);
  assert_false(g.is_private || model->schema->refined.is_private);
  assert_non_null(strstr(g.reason, "ranges of columns were taken"));
  dperm_model_free(model);
}

/* ---- what is refused */

static void ledgers_that_do_not_know_the_refinement_refuse_the_fit(void **state) {
  wide_home *s = *state;
  char other[1100];
  dperm_ledger *ledger = opened(s->home), *elsewhere = NULL;
  dperm_model *model = NULL;
  dperm_schema *unpaid = people_refined(s, refine_options_of(0.08));
  dperm_data *data = people_encoded(&s->p, unpaid);
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
  dperm_data_free(data);
  dperm_schema_free(unpaid);
  dperm_ledger_free(ledger);
}

static void requests_that_make_no_sense_are_refused(void **state) {
  wide_home *s = *state;
  dperm_schema *made = NULL, *again = NULL, *drops = NULL;
  dperm_model *model = NULL;
  dperm_data *plain = people_encoded(&s->p, s->wide);
  dperm_refine_options o = refine_options_of((double)NAN);
  assert_fails(dperm_refine(s->wide, s->counted, &o, &made, err), DPERM_INVALID_ARGUMENT,
               "epsilon");
  o.epsilon = 0.1;
  o.fit_epsilon = -1;
  assert_fails(dperm_refine(s->wide, s->counted, &o, &made, err), DPERM_INVALID_ARGUMENT,
               "the fit's epsilon");
  o.fit_epsilon = 1;
  o.rows_per_person = 0;
  assert_fails(dperm_refine(s->wide, s->counted, &o, &made, err), DPERM_INVALID_ARGUMENT,
               "rows per person");
  o.rows_per_person = 1;
  assert_fails(dperm_refine(s->wide, plain, &o, &made, err), DPERM_INVALID_ARGUMENT,
               "not encoded under the schema of cells");
  made = people_refined(s, o);
  assert_fails(dperm_refine_cells(made, &again, err), DPERM_INVALID_SCHEMA, "refined already");
  drops =
      schema_parsed("{\"label\": {\"column\": \"y\", \"classes\": [\"0\", \"1\"]}, \"on_missing\": "
                    "\"drop\", \"columns\": [{\"name\": \"x\", \"type\": \"numeric\", \"min\": 0, "
                    "\"max\": 1}]}");
  assert_fails(dperm_refine_cells(drops, &again, err), DPERM_INVALID_SCHEMA, "drops rows");
  dperm_options fit = fit_of(1);
  assert_fails(dperm_train_refined(s->wide, people_read, &s->p, &fit, 1, 0, &model, err),
               DPERM_INVALID_ARGUMENT, "a share of 1");
  fit.mechanism = DPERM_MECHANISM_NONE;
  assert_fails(dperm_train_refined(s->wide, people_read, &s->p, &fit, 0.1, 0, &model, err),
               DPERM_INVALID_ARGUMENT, "private mechanism");
  const double weights[100] = {1};
  fit = fit_of(1);
  fit.regularizer.weights = weights;
  assert_fails(dperm_train_refined(s->wide, people_read, &s->p, &fit, 0.1, 0, &model, err),
               DPERM_INVALID_ARGUMENT, "weights and priors");
  dperm_schema_free(drops);
  dperm_schema_free(made);
  dperm_data_free(plain);
}

/* Whatever of it is changed, and whatever is left out. */
static void an_object_that_was_edited_is_refused(void **state) {
  wide_home *s = *state;
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
  json_t *text = json_pack("{s:s}", "refined", "yes");
  json_t *edited = json_deep_copy(made->json);
  assert_int_equal(json_object_update(edited, text), 0);
  assert_fails(schema_from_json(edited, "schema", &read, err), DPERM_INVALID_SCHEMA, "refined");
  json_decref(edited);
  json_decref(text);
  dperm_schema_free(made);
}

/* A reader that gives other records the second time. */
static dperm_status read_changed(void *context, const dperm_schema *schema, dperm_data **out,
                                 dperm_error *err) {
  people *p = context;
  dperm_status status = people_read(p, schema, out, err);
  p->age[0]++;
  return status;
}

static void records_that_change_between_the_passes_are_refused(void **state) {
  wide_home *s = *state;
  dperm_model *model = NULL;
  const dperm_options fit = fit_of(1);
  assert_fails(dperm_train_refined(s->wide, read_changed, &s->p, &fit, 0.1, 0, &model, err),
               DPERM_INVALID_DATA, "changed between counting and fitting");
  assert_null(model);
}

/* A reader that from some read on has a schema of its own, or says more about the records. */
typedef struct own_reader {
  people *p;
  const dperm_schema *own; /* or NULL */
  unsigned taken;
  size_t from, reads;
} own_reader;

static dperm_status read_own_way(void *context, const dperm_schema *schema, dperm_data **out,
                                 dperm_error *err) {
  own_reader *r = context;
  bool own = ++r->reads >= r->from;
  dperm_status status = people_read(r->p, own && r->own ? r->own : schema, out, err);
  return status == DPERM_OK && own ? dperm_data_taken(*out, r->taken, err) : status;
}

/* Counts read twice, a choice between lines and bins three times; each read is looked at, and
 * but for the last one before the charge. */
static void readers_that_go_their_own_way_are_refused(void **state) {
  wide_home *s = *state;
  dperm_ledger *ledger = opened(s->home);
  static const struct {
    double share;
    size_t reads;
  } ways[] = {{0.1, 2}, {0, 3}};
  for (size_t w = 0; w < 2; w++) {
    for (size_t from = 1; from <= ways[w].reads; from++) {
      dperm_model *model = NULL;
      dperm_charge charge = {.entry = 0};
      dperm_options fit = fit_of(1);
      own_reader other = {&s->p, w == 1 && from == 1 ? s->cells : s->wide, 0, from, 0};
      own_reader more = {&s->p, NULL, DPERM_TAKEN_RANGES, from, 0};
      assert_fails(
          dperm_train_refined(s->wide, read_own_way, &other, &fit, ways[w].share, 1, &model, err),
          DPERM_INVALID_ARGUMENT, "rows of another schema");
      assert_int_equal(other.reads, from);
      if (from == 1) { /* said from the first on it is counted */
        assert_ok(
            dperm_train_refined(s->wide, read_own_way, &more, &fit, ways[w].share, 1, &model, err));
        assert_false(dperm_model_is_private(model));
        dperm_model_free(model);
        continue;
      }
      if (from < ways[w].reads) { /* before the charge */
        fit.account = (dperm_account){.ledger = ledger, .dataset = "people", .charge = &charge};
      }
      assert_fails(
          dperm_train_refined(s->wide, read_own_way, &more, &fit, ways[w].share, 1, &model, err),
          DPERM_INVALID_DATA, "changed between counting and fitting");
      assert_int_equal(charge.entry, 0);
    }
  }
  dperm_ledger_free(ledger);
}

/* From some read on it forgets what it has read. */
static dperm_status read_nothing(void *context, const dperm_schema *schema, dperm_data **out,
                                 dperm_error *err) {
  own_reader *r = context;
  return ++r->reads >= r->from ? DPERM_OK : people_read(r->p, schema, out, err);
}

static void readers_that_give_no_rows_are_refused(void **state) {
  wide_home *s = *state;
  const dperm_options fit = fit_of(1);
  for (size_t from = 1; from <= 3; from++) { /* a choice between lines and bins reads three times */
    dperm_model *model = NULL;
    own_reader none = {&s->p, NULL, 0, from, 0};
    assert_fails(dperm_train_refined(s->wide, read_nothing, &none, &fit, from == 2 ? 0.1 : 0, 1,
                                     &model, err),
                 DPERM_INVALID_ARGUMENT, "gave no rows");
    assert_int_equal(none.reads, from);
    assert_null(model);
  }
}

/* The records' choice between lines and bins, as one run with a refinement is. */
static void a_choice_of_bins_is_one_charge_and_states_all_of_it(void **state) {
  wide_home *s = *state;
  dperm_ledger *ledger = opened(s->home);
  dperm_charge charge;
  dperm_guarantee g;
  dperm_model *model = NULL;
  dperm_options fit = fit_of(0.9);
  fit.account = (dperm_account){.ledger = ledger, .dataset = "people", .charge = &charge};
  assert_ok(dperm_train_refined(s->wide, people_read, &s->p, &fit, 0, 1, &model, err));
  dperm_model_guarantee(model, &g);
  assert_true(g.is_private && g.epsilon == 0.9);
  assert_string_equal(charge.epsilon, "0.9");
  assert_string_equal(charge.epsilon_left, "0.1");
  assert_true(fabs(model->schema->refined.epsilon - 360.0 / PEOPLE) < 1e-15);
  assert_true(model->claim.epsilon_refined == model->schema->refined.epsilon);
  assert_int_equal(model->schema->refined.entry, charge.entry);
  assert_true(verifies(s, model));
  dperm_model_free(model);
  dperm_ledger_free(ledger);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, wide_home_begin, wide_home_end)
  const struct CMUnitTest tests[] = {
      TEST(a_model_states_the_sum_and_its_entry_charges_the_fit),
      TEST(one_run_is_one_charge_and_states_all_of_it),
      TEST(a_choice_counts_the_refinement_too),
      TEST(persons_with_several_rows),
      TEST(after_a_seed_nothing_is_private),
      TEST(what_was_taken_from_the_records_stays_so),
      TEST(ledgers_that_do_not_know_the_refinement_refuse_the_fit),
      TEST(requests_that_make_no_sense_are_refused),
      TEST(an_object_that_was_edited_is_refused),
      TEST(records_that_change_between_the_passes_are_refused),
      TEST(readers_that_go_their_own_way_are_refused),
      TEST(readers_that_give_no_rows_are_refused),
      TEST(a_choice_of_bins_is_one_charge_and_states_all_of_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
