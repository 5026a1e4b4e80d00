/* Private scores where records are added and removed (docs/proofs/neighbours.md 8): what leaves is
 * noisy counts, of which one record moves one by one, and what follows from them; how many records
 * there are shows nowhere else. A model of the same records must be private for the same
 * neighbours. (neighbours_test.c has fits.) */
#include <math.h>
#include <stdlib.h>

#include "data/dataset.h"
#include "dperm/score.h"
#include "ledger/store.h"
#include "ledgers.h"
#include "model/model.h"
#include "reference.h"

enum { ROWS = 200, DIMS = 5, ABOUT = 250 };

static test_rows *rows_all;

static dperm_options fitting(dperm_neighbours neighbours) {
  dperm_options options = options_for(0.5);
  options.threads = 1;
  options.neighbours = neighbours;
  options.rows_about = neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? ABOUT : 0;
  return options;
}

static dperm_data *first_rows(size_t count) {
  dperm_data *data = NULL;
  assert_ok(dperm_data_from_dense(count, DIMS, rows_all->x, rows_all->labels, 1, &data, err));
  return data;
}

static dperm_model *train_seeded(const dperm_data *data, dperm_options options) {
  dperm_model *model = NULL;
  assert_ok(dperm_random_seeded(5, &options.random, err));
  assert_ok(dperm_train(data, &options, &model, err));
  dperm_random_free(options.random);
  return model;
}

static dperm_score_options scoring(int counts) {
  dperm_score_options options = USUAL(dperm_score_options);
  options.epsilon = counts ? 4 : 2;
  options.counts = counts;
  options.neighbours = DPERM_NEIGHBOURS_ADD_REMOVE;
  return options;
}

/* One release for the first `rows` records with the coins of this seed. */
static dperm_private_score score_rows(const dperm_model *model, size_t rows, uint64_t seed,
                                      dperm_score_options options) {
  dperm_private_score score;
  auto_data *data = first_rows(rows);
  assert_ok(dperm_random_seeded(seed, &options.random, err));
  assert_ok(dperm_model_score_private(model, data, &options, &score, err));
  dperm_random_free(options.random);
  return score;
}

static bool same_counts(const dperm_private_score *a, const dperm_private_score *b) {
  return a->errors == b->errors && a->correct == b->correct &&
         a->true_positives == b->true_positives && a->false_positives == b->false_positives &&
         a->false_negatives == b->false_negatives && a->true_negatives == b->true_negatives;
}

static bool same_number(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static bool same_rates(const dperm_private_score *a, const dperm_private_score *b) {
  return a->rows == b->rows && same_number(a->error_rate, b->error_rate) && a->low == b->low &&
         a->high == b->high && a->population_low == b->population_low &&
         a->population_high == b->population_high;
}

/* Nothing but the noisy counts leaves, and what follows from them: wherever they agree, all agrees,
 * however many records there are. */
TEST(scores_tell_the_number_through_noisy_counts_alone) {
  enum { MOST = 4, SEEDS = 120, ALL = (MOST + 1) * SEEDS };
  static dperm_private_score seen[ALL];
  auto_data *data = first_rows(ROWS);
  auto_model *model = train_seeded(data, fitting(DPERM_NEIGHBOURS_ADD_REMOVE));
  for (int counts = 0; counts <= 1; counts++) {
    size_t met = 0, empty = 0;
    for (size_t i = 0; i < ALL; i++) {
      seen[i] = score_rows(model, i % (MOST + 1), i / (MOST + 1), scoring(counts));
      assert_true(seen[i].rows == 0 && !seen[i].is_private);
      empty += isnan(seen[i].error_rate) != 0;
      assert_true(seen[i].low >= 0 && seen[i].high <= 1 && seen[i].low <= seen[i].high);
    }
    for (size_t i = 0; i < ALL; i++) {
      for (size_t j = 0; j < i; j++) {
        if (same_counts(&seen[i], &seen[j])) {
          met += i % (MOST + 1) != j % (MOST + 1);
          assert_true(same_rates(&seen[i], &seen[j]));
        }
      }
    }
    assert_true(met > 100 && empty > 10);
  }
}

/* With the same coins one record more moves one count by one. */
TEST(an_added_record_moves_one_count) {
  auto_data *data = first_rows(ROWS);
  auto_model *model = train_seeded(data, fitting(DPERM_NEIGHBOURS_ADD_REMOVE));
  for (int counts = 0; counts <= 1; counts++) {
    dperm_private_score last = score_rows(model, 0, 3, scoring(counts));
    for (size_t rows = 1; rows <= 60; rows++) {
      dperm_private_score next = score_rows(model, rows, 3, scoring(counts));
      assert_int_equal(llabs(next.errors - last.errors) + llabs(next.correct - last.correct), 1);
      assert_int_equal(llabs(next.true_positives - last.true_positives) +
                           llabs(next.false_positives - last.false_positives) +
                           llabs(next.false_negatives - last.false_negatives) +
                           llabs(next.true_negatives - last.true_negatives),
                       counts);
      last = next;
    }
  }
}

/* A model of these records must be private for the same neighbours. */
TEST(scores_and_models_agree_on_neighbours) {
  auto_data *data = first_rows(ROWS);
  dperm_options options = fitting(DPERM_NEIGHBOURS_ADD_REMOVE);
  dperm_score_options wanted = scoring(0);
  dperm_private_score score;
  auto_model *added = NULL, *replaced = NULL;
  assert_ok(dperm_train(data, &options, &added, err));
  options = fitting(DPERM_NEIGHBOURS_REPLACE);
  assert_ok(dperm_train(data, &options, &replaced, err));
  assert_ok(dperm_model_score_private(added, data, &wanted, &score, err));
  assert_true(score.is_private && score.rows == 0);
  assert_fails(dperm_model_score_private(replaced, data, &wanted, &score, err),
               DPERM_INVALID_ARGUMENT, "private for neighbours replace");
  wanted.public_model = true;
  assert_ok(dperm_model_score_private(replaced, data, &wanted, &score, err));
  assert_true(score.is_private);
  wanted.neighbours = DPERM_NEIGHBOURS_REPLACE;
  assert_ok(dperm_model_score_private(added, data, &wanted, &score, err));
  assert_true(score.rows == ROWS && score.correct == (int64_t)ROWS - score.errors);
  wanted.public_model = false;
  assert_fails(dperm_model_score_private(added, data, &wanted, &score, err), DPERM_INVALID_ARGUMENT,
               "private for neighbours add-remove");
  wanted.neighbours = (dperm_neighbours)2;
  assert_fails(dperm_model_score_private(added, data, &wanted, &score, err), DPERM_INVALID_ARGUMENT,
               "none of the two");
  dperm_model *bare = train_seeded(data, options); /* not private, and no score of it is */
  wanted.neighbours = DPERM_NEIGHBOURS_ADD_REMOVE;
  assert_ok(dperm_model_score_private(bare, data, &wanted, &score, err));
  assert_false(score.is_private);
  dperm_model_free(bare);
}

/* ---- ledgers */

/* 2ε where records are replaced, and without a delta. */
LEDGER_TEST(ledgers_count_scores_by_their_own_neighbours) {
  auto_data *data = first_rows(ROWS);
  auto_model *model = train_seeded(data, fitting(DPERM_NEIGHBOURS_ADD_REMOVE));
  for (int whose = 0; whose < 2; whose++) {
    auto_ledger *ledger = ledger_for(home, (dperm_neighbours)whose);
    dperm_charge charge = {.entry = 0};
    dperm_private_score score;
    dperm_score_options wanted = scoring(0);
    wanted.epsilon = 0.3;
    wanted.public_model = true;
    wanted.account = (dperm_account){.ledger = ledger, .dataset = "people", .charge = &charge};
    assert_ok(dperm_model_score_private(model, data, &wanted, &score, err));
    assert_string_equal(charge.epsilon, whose == DPERM_NEIGHBOURS_REPLACE ? "0.6" : "0.3");
    assert_string_equal(charge.delta, "0");
    wanted.neighbours = DPERM_NEIGHBOURS_REPLACE;
    if (whose == DPERM_NEIGHBOURS_ADD_REMOVE) {
      assert_fails(dperm_model_score_private(model, data, &wanted, &score, err), DPERM_OVER_BUDGET,
                   "for records added and removed");
    } else {
      assert_ok(dperm_model_score_private(model, data, &wanted, &score, err));
      assert_string_equal(charge.epsilon, "0.3");
    }
  }
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
