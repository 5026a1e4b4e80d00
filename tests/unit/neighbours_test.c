/* Records added and removed (docs/proofs/neighbours.md): how many there are may show nowhere. Fits
 * to n and to n + 1 records with the same coins must agree in everything that leaves but the
 * weights, for every n from none on; the promise of a release must cover every number of records;
 * and what is not proved is refused by name. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "dperm/plan.h"
#include "dperm/tune.h"
#include "dperm/verify.h"
#include "ledgers.h"
#include "model/model.h"
#include "random/random_source.h"
#include "reference.h"
#include "run/fit.h"
#include "run/options.h"
#include "solve/certify.h"

enum { ROWS = 300, DIMS = 5, ABOUT = 250 };

static test_rows *rows_all;

static dperm_options adding(dperm_mechanism mechanism) {
  dperm_options options = options_for(0.5);
  options.mechanism = mechanism;
  options.threads = 1;
  options.neighbours = DPERM_NEIGHBOURS_ADD_REMOVE;
  options.rows_about = ABOUT;
  return options;
}

/* The first `count` of the rows, with labels for so many classes. */
static dperm_data *first_rows(size_t count, size_t classes) {
  static const char *const names[] = {"a", "b", "c"};
  uint32_t codes[ROWS] = {0};
  dperm_data *data = NULL;
  if (classes == 2) {
    assert_ok(dperm_data_from_dense(count, DIMS, rows_all->x, rows_all->labels, 1, &data, err));
    return data;
  }
  assert_ok(dperm_data_from_dense(count, DIMS, rows_all->x, NULL, 1, &data, err));
  for (size_t i = 0; i < count; i++) {
    codes[i] = (uint32_t)(i % classes);
  }
  assert_ok(dperm_data_label(data, codes, classes, names, err));
  return data;
}

static dperm_model *train_seeded(const dperm_data *data, dperm_options options) {
  dperm_model *model = NULL;
  assert_ok(dperm_random_seeded(5, &options.random, err));
  assert_ok(dperm_train(data, &options, &model, err));
  dperm_random_free(options.random);
  return model;
}

/* The file without what the records may decide. */
static json_t *public_part(const dperm_model *model) {
  char *text = NULL;
  size_t length = 0;
  assert_ok(dperm_model_to_text(model, &text, &length, err));
  json_t *object = json_loadb(text, length, 0, NULL);
  assert_non_null(object);
  dperm_text_free(text);
  assert_int_equal(json_object_del(object, "weights"), 0);
  assert_int_equal(json_object_del(object, "digest"), 0);
  return object;
}

static void check_ways_out(dperm_options options, size_t classes) {
  static const size_t counts[] = {0, 1, 2, 3, ABOUT - 1, ABOUT, ABOUT + 1, ROWS};
  json_auto_t *first = NULL;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    auto_data *data = first_rows(counts[i], classes);
    auto_model *model = train_seeded(data, options);
    json_auto_t *seen = public_part(model);
    assert_true(json_is_null(json_object_get(seen, "rows")));
    assert_true(json_is_null(json_object_get(seen, "rows_fitted")));
    assert_int_equal(json_integer_value(json_object_get(seen, "rows_about")), ABOUT);
    assert_int_equal(model->rows, ABOUT);
    first = first ? first : json_incref(seen);
    assert_true(json_equal(first, seen));
  }
}

TEST(nothing_but_weights_depends_on_the_number_of_records) {
  static const dperm_class_weight weights[] = {{"a", 3}, {"b", 1}};
  for (int mechanism = DPERM_MECHANISM_OBJECTIVE; mechanism <= DPERM_MECHANISM_OUTPUT;
       mechanism++) {
    for (int loss = REF_LOGISTIC; loss <= REF_SMOOTH_HINGE; loss++) {
      dperm_options options = adding((dperm_mechanism)mechanism);
      options.loss = library_loss((reference_loss)loss, 0.5);
      check_ways_out(options, 2);
    }
    check_ways_out(adding((dperm_mechanism)mechanism), 3);
    dperm_options gaussian = adding((dperm_mechanism)mechanism);
    gaussian.noise = DPERM_NOISE_GAUSSIAN;
    gaussian.delta = 1e-6;
    check_ways_out(gaussian, 2);
    dperm_options options = adding((dperm_mechanism)mechanism);
    options.rows_per_person = 4;
    options.class_weights = weights;
    options.class_weight_count = 2;
    check_ways_out(options, 3);
    options = adding((dperm_mechanism)mechanism);
    options.lambda = 0.05;
    options.kernel = (dperm_kernel){.kind = DPERM_KERNEL_GAUSSIAN, .gamma = 1, .features = 8};
    check_ways_out(options, 2);
  }
}

TEST(without_records_the_model_is_noise) {
  const size_t starts[1] = {0};
  const uint32_t no_columns[1] = {0};
  const double no_values[1] = {0}, no_labels[1] = {0};
  auto_data *data = NULL;
  assert_ok(dperm_data_from_csr(0, DIMS, starts, no_columns, no_values, no_labels, 1, &data, err));
  dperm_model *model = NULL;
  dperm_options options = adding(DPERM_MECHANISM_OBJECTIVE);
  assert_ok(dperm_train(data, &options, &model, err));
  double length = 0;
  for (size_t j = 0; j < DIMS; j++) {
    length += fabs(model->weights[j]);
  }
  assert_true(dperm_model_is_private(model) && length > 0);
  dperm_guarantee claim;
  dperm_model_guarantee(model, &claim);
  assert_int_equal(claim.neighbours, DPERM_NEIGHBOURS_ADD_REMOVE);
  dperm_model_free(model);
  options.neighbours = DPERM_NEIGHBOURS_REPLACE;
  options.rows_about = 0;
  assert_fails(dperm_train(data, &options, &model, err), DPERM_INVALID_DATA, "no rows");
}

/* ---- sums over a public figure */

/* (1/D)Σℓ + ΛN has the minimum of (1/n)Σℓ + (ΛD/n)N. */
TEST(a_divisor_of_its_own_only_scales_the_problem) {
  static const double divisors[] = {1, 37.5, ROWS, 1e6};
  for (size_t i = 0; i < 4; i++) {
    double f[2][DIMS] = {{0}}, linear[DIMS], scaled[DIMS];
    const dperm_loss loss = library_loss((reference_loss)(i % 3), 0.5);
    const dperm_regularizer ridge = {0};
    const solver_options how = {.tolerance = 1e-12};
    solver_report report[2];
    double share = divisors[i] / ROWS;
    for (size_t j = 0; j < DIMS; j++) {
      linear[j] = 0.01 * (double)(j + 1) / divisors[i] * 100;
      scaled[j] = linear[j] * share;
    }
    problem p = {.x = i % 2 ? rows_all->dense : rows_all->sparse,
                 .labels = rows_all->labels,
                 .divisor = divisors[i],
                 .norm_bound = 1,
                 .loss = &loss,
                 .regularizer = &ridge,
                 .model = {.lambda = 20 / divisors[i], .ridge = 3 / divisors[i], .linear = linear}};
    assert_ok(solve(&p, &how, f[0], &report[0], err));
    assert_true(report[0].converged && report[0].certified < 1e-9 * fmax(1, 1 / share));
    p.divisor = 0;
    p.model = (problem_model){.lambda = 20.0 / ROWS, .ridge = 3.0 / ROWS, .linear = scaled};
    assert_ok(solve(&p, &how, f[1], &report[1], err));
    for (size_t j = 0; j < DIMS; j++) {
      assert_true(fabs(f[0][j] - f[1][j]) < 1e-8);
    }
  }
}

/* Whatever the number of records, a gradient's error is at most an eighth of what is promised. */
TEST(the_promise_covers_every_number_of_records) {
  static const size_t abouts[] = {1, 30, 1000, 1000000, (size_t)1 << 28, (size_t)1 << 38};
  for (size_t i = 0; i < sizeof abouts / sizeof *abouts; i++) {
    dperm_options options = adding(DPERM_MECHANISM_OBJECTIVE);
    options.rows_about = abouts[i];
    const row_bounds bounds = row_bounds_of_norm(DIMS, 1);
    const guarantee claim = {.epsilon_class = 0.5};
    const public_numbers given =
        fit_numbers(&options, &options.loss, &claim, abouts[i], DIMS, &bounds);
    privacy_plan plan;
    release_plan release;
    assert_ok(privacy_plan_make(&given, &plan, err));
    assert_ok(release_plan_make(&given, &plan, &release, err));
    double most = (double)add_remove_rows_most(abouts[i]), n0 = (double)abouts[i];
    assert_true(most >= 0x1p28 && most >= 4 * n0);
    for (double n = most; n >= 1; n = floor(n / 7)) {
      double furthest = (n / n0 + release.promised.noise_norm / n0) / plan.lambda;
      const evaluation e = {.loss = &options.loss,
                            .rows = n,
                            .crowd = n / n0,
                            .entries = DIMS,
                            .norm = 1,
                            .slope = n / n0,
                            .curvature = n / n0 * 0.25,
                            .lambda = plan.lambda,
                            .f = 3 * furthest,
                            .penalty = 3 * furthest,
                            .linear = release.promised.noise_norm / n0};
      assert_true(8 * evaluation_error(&e, IN_DD) <= release.promised.gradient);
    }
    /* and the lattice is not coarser for it than what the noise hides: 1e-6 LR/n with a public n */
    if (abouts[i] <= (size_t)1 << 26) {
      assert_true(release.promised.gradient * n0 < 2e-6);
    }
  }
}

/* Far more records than the figure says, and far fewer: the solver gets there. */
TEST(figures_that_are_far_off_are_fitted) {
  static const size_t abouts[] = {1, 20, 100000, (size_t)1 << 38};
  auto_data *data = first_rows(ROWS, 2);
  for (size_t i = 0; i < 4; i++) {
    for (int mechanism = DPERM_MECHANISM_OBJECTIVE; mechanism <= DPERM_MECHANISM_OUTPUT;
         mechanism++) {
      dperm_options options = adding((dperm_mechanism)mechanism);
      options.rows_about = abouts[i];
      dperm_model_free(train_seeded(data, options));
    }
  }
}

/* ---- claims */

TEST(an_added_record_is_half_a_replaced_one) {
  const private_run run = {.epsilon = 0.3,
                           .neighbours = DPERM_NEIGHBOURS_ADD_REMOVE,
                           .rows_per_person = 1,
                           .classes = 2};
  const guarantee claim = guarantee_of_run(&run), twice = guarantee_replaced(&claim);
  assert_true(claim.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE);
  assert_true(twice.epsilon == 0.6 && twice.neighbours == DPERM_NEIGHBOURS_REPLACE);
  long double exact = (1 + expl(0.3L)) * (long double)claim.delta;
  assert_true(twice.delta >= exact && twice.delta <= exact * (1 + 1e-8L));
  const guarantee again = guarantee_replaced(&twice);
  assert_true(again.epsilon == twice.epsilon && again.delta == twice.delta);
}

TEST(a_plan_takes_the_figure) {
  dperm_options options = adding(DPERM_MECHANISM_OBJECTIVE), replaced;
  options.lambda = 0.05;
  options.delta_reg = 0;
  replaced = options;
  replaced.neighbours = DPERM_NEIGHBOURS_REPLACE;
  replaced.rows_about = 0;
  dperm_plan plan, same, other;
  assert_ok(dperm_plan_make(0, DIMS, 1, &options, &plan, err));
  assert_ok(dperm_plan_make(ABOUT, DIMS, 1, &options, &same, err));
  assert_ok(dperm_plan_make(ABOUT, DIMS, 1, &replaced, &other, err));
  assert_true(plan.rows == ABOUT && plan.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE);
  assert_true(plan.beta == same.beta && other.neighbours == DPERM_NEIGHBOURS_REPLACE);
  /* half of the noise, where the Jacobian takes nothing */
  assert_true(fabs(plan.rms_noise_norm / other.rms_noise_norm - 0.5) < 1e-9);
  assert_fails(dperm_plan_make(ABOUT + 1, DIMS, 1, &options, &plan, err), DPERM_INVALID_ARGUMENT,
               "the number of rows is private");
}

/* ---- choices */

static dperm_data *data_of_others(void) {
  auto_rows *others = test_rows_random(4, 100, DIMS, 1);
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_dense(100, DIMS, others->x, others->labels, 1, &data, err));
  return data;
}

/* Portions and holdouts are drawn record by record: what a model states of them is of the figure.
 */
TEST(choices_do_not_tell_the_number_either) {
  static const size_t counts[] = {0, 1, 60, 61, ROWS};
  for (int method = DPERM_TUNE_SPLIT; method <= DPERM_TUNE_PUBLIC; method++) {
    json_auto_t *first = NULL;
    auto_data *known = data_of_others();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
      dperm_options candidates[2] = {adding(DPERM_MECHANISM_OBJECTIVE),
                                     adding(DPERM_MECHANISM_OBJECTIVE)};
      dperm_tune_options how = USUAL(dperm_tune_options);
      auto_model *model = NULL;
      auto_data *data = first_rows(counts[i], 2);
      how.method = (dperm_tune_method)method;
      how.public_data = method == DPERM_TUNE_PUBLIC ? known : NULL;
      assert_ok(dperm_random_seeded(5, &candidates[0].random, err));
      candidates[1].random = candidates[0].random;
      assert_ok(dperm_tune(data, candidates, 2, &how, &model, err)); /* alike, so any may win */
      json_t *seen = public_part(model), *selection = json_object_get(seen, "selection");
      assert_int_equal(json_object_del(selection, "chosen"), 0);
      first = first ? first : json_incref(seen);
      assert_true(json_equal(first, seen));
      json_decref(seen);
      dperm_random_free(candidates[0].random);
    }
  }
}

/* ---- ledgers */

static void charge_is(const dperm_charge *charge, const char *epsilon, double delta) {
  assert_string_equal(charge->epsilon, epsilon);
  assert_true(fabs(strtod(charge->delta, NULL) / delta - 1) < 1e-6);
}

static void ignore_entry(void *context, const dperm_ledger_entry *entry) {}

/* (2ε, (1 + e^ε)δ) where records are replaced, the first exactly; as it is where they are not; and
 * a release that states their number is no part of a budget that keeps it private. */
LEDGER_TEST(ledgers_count_by_their_own_neighbours) {
  auto_data *data = first_rows(ROWS, 2);
  for (int whose = 0; whose < 2; whose++) {
    auto_ledger *ledger = ledger_for(home, (dperm_neighbours)whose);
    for (int whom = 0; whom < 2; whom++) {
      dperm_charge charge = {.entry = 0};
      auto_model *model = NULL;
      dperm_options options = adding(DPERM_MECHANISM_OBJECTIVE);
      options.epsilon = 0.3;
      options.account = (dperm_account){.ledger = ledger, .dataset = "people", .charge = &charge};
      if (whom == DPERM_NEIGHBOURS_REPLACE) {
        options.neighbours = DPERM_NEIGHBOURS_REPLACE;
        options.rows_about = 0;
      }
      if (whose == DPERM_NEIGHBOURS_ADD_REMOVE && whom == DPERM_NEIGHBOURS_REPLACE) {
        assert_fails(dperm_train(data, &options, &model, err), DPERM_OVER_BUDGET,
                     "for records added and removed");
        continue;
      }
      assert_ok(dperm_train(data, &options, &model, err));
      double delta = (1 + exp(0.3)) * exp(-100);
      bool twice = whom != whose;
      charge_is(&charge, twice ? "0.6" : "0.3", twice ? (1 + exp(0.3)) * delta : delta);
      assert_ok(dperm_ledger_find_model(ledger, model, ignore_entry, NULL, err));
    }
    bool holds = false;
    assert_ok(dperm_ledger_verify(ledger, NULL, NULL, NULL, &holds, err));
    assert_int_equal(holds, 1);
  }
}

/* ---- refusals */

static void refuses(const dperm_data *data, const dperm_options *options, const char *words) {
  dperm_model *model = NULL;
  assert_fails(dperm_train(data, options, &model, err), DPERM_INVALID_ARGUMENT, words);
  assert_null(model);
}

TEST(what_is_not_proved_is_refused_by_name) {
  auto_data *data = first_rows(ROWS, 2);
  dperm_options options = adding(DPERM_MECHANISM_OBJECTIVE);
  options.rows_about = 0;
  refuses(data, &options, "the number of rows is private");
  options.rows_about = ((size_t)1 << 38) + 1;
  refuses(data, &options, "from 1 to 2^38");
  options = adding(DPERM_MECHANISM_NONE);
  refuses(data, &options, "protects nobody");
  options = adding(DPERM_MECHANISM_OBJECTIVE);
  options.analysis = DPERM_ANALYSIS_PAPER;
  refuses(data, &options, "about replaced records");
  options = adding(DPERM_MECHANISM_OBJECTIVE);
  options.loss.eval = scaled_eval;
  options.loss.context = &(double){1};
  options.loss.name = "own";
  refuses(data, &options, "the library's own losses");
  options = adding(DPERM_MECHANISM_OBJECTIVE);
  options.neighbours = DPERM_NEIGHBOURS_REPLACE;
  refuses(data, &options, "counted");
  options.neighbours = (dperm_neighbours)2;
  refuses(data, &options, "no neighbours number 2");
}

static int open_rows(void **state) {
  rows_all = test_rows_random(3, ROWS, DIMS, 0.6);
  return 0;
}

static int close_rows(void **state) {
  test_rows_free(rows_all);
  return 0;
}

TEST_GROUP(open_rows, close_rows)
