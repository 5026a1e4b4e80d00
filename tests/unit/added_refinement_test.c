/* Schemas made of the records where these are added and removed (docs/proofs/neighbours.md 6): a
 * public figure decides what is counted, how finely and whether at all, or whether the records are
 * asked for bins; how many there are shows nowhere but in noisy counts and a noisy answer; ledgers
 * count it by its neighbours. (neighbours_test.c has fits.) */

#include "dperm/verify.h"
#include "privacy/guarantee.h"
#include "schema/schema.h"
#include "wide_records.h"

enum { ABOUT = 2500 };

static dperm_refine_options adding(double epsilon) {
  dperm_refine_options o = refine_options_of(epsilon);
  o.neighbours = DPERM_NEIGHBOURS_ADD_REMOVE;
  o.rows_about = ABOUT;
  return o;
}

/* The first so many of the people. */
static dperm_data *first_people(const wide_home *s, size_t count) {
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_table(s->wide, count, s->p.columns, &s->p.labels, &data, err));
  return data;
}

static dperm_schema *refined_of(const wide_home *s, size_t count, dperm_refine_options o) {
  dperm_schema *made = NULL;
  auto_data *data = first_people(s, count);
  assert_ok(dperm_random_seeded(5, &o.random, err));
  assert_ok(dperm_refine(data, &o, &made, err));
  dperm_random_free(o.random);
  return made;
}

/* The schema without the bins and groups of its columns, which follow from noisy counts. */
static json_t *public_part(const dperm_schema *schema) {
  json_t *object = json_deep_copy(schema->json), *columns = json_object_get(object, "columns");
  for (size_t i = 0; i < json_array_size(columns); i++) {
    json_t *column = json_array_get(columns, i);
    (void)json_object_del(column, "bins");
    (void)json_object_del(column, "groups");
    (void)json_object_del(column, "values");
  }
  return object;
}

WIDE_TEST(nothing_but_bins_depends_on_the_number_of_records) {
  static const size_t counts[] = {0, 1, 2, ABOUT - 1, ABOUT, ABOUT + 1, PEOPLE};
  json_auto_t *first = NULL;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    auto_schema *made = refined_of(s, counts[i], adding(0.08));
    assert_true(made->refined.epsilon == 0.08);
    assert_int_equal(made->refined.neighbours, DPERM_NEIGHBOURS_ADD_REMOVE);
    json_auto_t *seen = public_part(made);
    first = first ? first : json_incref(seen);
    assert_true(json_equal(first, seen));
  }
}

/* A few records are refined where the figure can pay for it, and many are not where it cannot. */
WIDE_TEST(the_figure_decides_whether_it_pays) {
  dperm_charge charge = {.entry = 7};
  dperm_refine_options o = adding(0.08);
  o.rows_about = 10;
  o.account.charge = &charge;
  auto_schema *made = refined_of(s, PEOPLE, o);
  assert_true(made->refined.epsilon == 0 && json_equal(made->json, s->wide->json));
  assert_true(charge.entry == 0 && strcmp(charge.epsilon, "0") == 0);
  dperm_schema_free(made);
  o.rows_about = PEOPLE;
  made = refined_of(s, 0, o);
  assert_true(made->refined.epsilon == 0.08);
}

/* An added record moves one count of a column, a replaced one two: at half of the epsilon, with a
 * figure that is right and the same epsilon in all, noise and rule are the same to the bit. */
WIDE_TEST(half_the_epsilon_is_as_good) {
  dperm_refine_options replaced = refine_options_of(0.16), added = adding(0.08);
  replaced.fit_epsilon = 0.84;
  added.fit_epsilon = 0.92;
  added.rows_about = PEOPLE;
  dperm_schema *a = refined_of(s, PEOPLE, replaced), *b = refined_of(s, PEOPLE, added);
  assert_true(a->refined.epsilon == 0.16 && b->refined.epsilon == 0.08);
  assert_true(json_equal(json_object_get(a->json, "columns"), json_object_get(b->json, "columns")));
  dperm_schema_free(a);
  dperm_schema_free(b);
  const guarantee one = guarantee_of_histograms(0.3, 4, 5, DPERM_NEIGHBOURS_ADD_REMOVE);
  assert_true(one.epsilon_class * 20 <= 0.3 && one.epsilon_class * 20 > 0.3 * (1 - 1e-12));
}

/* ---- asking for bins */

/* The model without its weights; whether the answer was bins. */
static json_t *asked_of(const wide_home *s, size_t count, uint64_t seed, double *weight) {
  dperm_data *data = first_people(s, count);
  auto_model *model = NULL;
  char *text = NULL;
  size_t length = 0;
  dperm_options o = options_for(1.5);
  o.threads = 1;
  o.neighbours = DPERM_NEIGHBOURS_ADD_REMOVE;
  o.rows_about = ABOUT;
  assert_ok(dperm_random_seeded(seed, &o.random, err));
  assert_ok(dperm_train(data, &o, &model, err));
  dperm_random_free(o.random);
  dperm_data_free(data);
  assert_ok(dperm_model_to_text(model, &text, &length, err));
  json_t *object = json_loadb(text, length, 0, NULL);
  const json_t *schema = json_object_get(object, "schema"),
               *refined = json_object_get(schema, "refined"),
               *amount = json_array_get(json_object_get(schema, "columns"), 0);
  assert_string_equal(json_string_value(json_object_get(refined, "neighbours")), "add-remove");
  assert_true(json_is_null(json_object_get(object, "rows")));
  const bool counted = json_number_value(json_object_get(refined, "epsilon")) > 0.1;
  *weight = counted ? -1 : json_number_value(json_object_get(amount, "weight"));
  assert_int_equal(json_object_del(object, "weights"), 0);
  assert_int_equal(json_object_del(object, "digest"), 0);
  dperm_text_free(text);
  return object;
}

/* Noisy answers leave: of two models of lines of the same weight nothing tells how many records
 * each had. */
WIDE_TEST(an_answer_tells_no_number_of_records) {
  enum { WEIGHTS = 4 }; /* of those that come out often: 1 (which is not written), 2, 4 and 8 */
  static const size_t counts[] = {0, 1, 2, 400, 401};
  json_t *first[WEIGHTS] = {NULL};
  size_t answers[WEIGHTS] = {0}, different = 0;
  for (uint64_t seed = 0; seed < 12; seed++) {
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
      double weight = 0;
      json_auto_t *seen = asked_of(s, counts[i], seed, &weight);
      for (size_t w = 0; w < WEIGHTS; w++) {
        if (weight == (w ? 1 << w : 0)) {
          first[w] = first[w] ? first[w] : json_incref(seen);
          assert_true(json_equal(first[w], seen));
          answers[w]++;
        }
      }
    }
  }
  for (size_t w = 0; w < WEIGHTS; w++) {
    different += answers[w] > 2; /* so few records: it is the noise's */
    json_decref(first[w]);
  }
  assert_true(different > 2);
}

/* ---- ledgers, and the fit after it */

static dperm_options fit_of(dperm_neighbours neighbours, const dperm_account *account) {
  dperm_options o = options_for(0.2);
  o.account = *account;
  o.neighbours = neighbours;
  o.rows_about = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? ABOUT : 0;
  return o;
}

static void fits_after_it_add_up(const wide_home *s, const dperm_schema *made,
                                 const dperm_account *account) {
  auto_data *data = people_encoded(&s->p, made);
  auto_model *model = NULL;
  dperm_guarantee g;
  bool holds = false;
  dperm_options fit = fit_of(DPERM_NEIGHBOURS_REPLACE, account);
  assert_fails(dperm_train(data, &fit, &model, err), DPERM_INVALID_ARGUMENT,
               "was refined for neighbours add-remove");
  fit = fit_of(DPERM_NEIGHBOURS_ADD_REMOVE, account);
  assert_ok(dperm_train(data, &fit, &model, err));
  dperm_model_guarantee(model, &g);
  assert_true(g.is_private && g.epsilon == 0.28 && g.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE);
  auto_file *path = file_with_text("");
  assert_ok(dperm_model_write(model, path, err));
  assert_ok(dperm_model_verify(path, NULL, 0, NULL, NULL, NULL, &holds, err));
  assert_int_equal(holds, 1);
}

WIDE_TEST(ledgers_count_it_by_their_own_neighbours) {
  for (int whose = 0; whose < 2; whose++) {
    auto_ledger *ledger = ledger_for(s->home, (dperm_neighbours)whose);
    dperm_charge charge = {.entry = 0};
    dperm_refine_options o = adding(0.08);
    dperm_schema *none = NULL;
    o.account = (dperm_account){.ledger = ledger, .dataset = "people", .charge = &charge};
    dperm_schema *made = people_refined(s, o);
    assert_string_equal(charge.epsilon, whose == DPERM_NEIGHBOURS_REPLACE ? "0.16" : "0.08");
    assert_string_equal(charge.delta, "0");
    fits_after_it_add_up(s, made, &o.account);
    /* The entry says for which neighbours it was, whatever a schema says. */
    schema_refined other = made->refined;
    other.neighbours = DPERM_NEIGHBOURS_REPLACE;
    assert_ok(charge_check_refined(ledger, &made->refined, NULL, NULL, err));
    assert_fails(charge_check_refined(ledger, &other, NULL, NULL, err), DPERM_OVER_BUDGET,
                 "is not the one");
    dperm_schema_free(made);
    o.neighbours = DPERM_NEIGHBOURS_REPLACE;
    o.rows_about = 0;
    if (whose == DPERM_NEIGHBOURS_ADD_REMOVE) {
      assert_fails(dperm_refine(s->data, &o, &none, err), DPERM_OVER_BUDGET,
                   "for records added and removed");
    } else {
      made = people_refined(s, o);
      other = made->refined;
      other.neighbours = DPERM_NEIGHBOURS_ADD_REMOVE;
      assert_fails(charge_check_refined(ledger, &other, NULL, NULL, err), DPERM_OVER_BUDGET,
                   "is not the one");
      dperm_schema_free(made);
    }
  }
}

WIDE_TEST(figures_that_do_not_fit_are_refused) {
  dperm_schema *made = NULL;
  dperm_refine_options o = adding(0.08);
  o.rows_about = 0;
  assert_fails(dperm_refine(s->data, &o, &made, err), DPERM_INVALID_ARGUMENT,
               "the number of rows is private");
  o = refine_options_of(0.08);
  o.rows_about = ABOUT;
  assert_fails(dperm_refine(s->data, &o, &made, err), DPERM_INVALID_ARGUMENT, "counted");
  o.neighbours = (dperm_neighbours)2;
  assert_fails(dperm_refine(s->data, &o, &made, err), DPERM_INVALID_ARGUMENT,
               "no neighbours number 2");
  assert_null(made);
}
