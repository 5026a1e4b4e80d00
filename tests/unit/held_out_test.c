/* Records held out of a run (src/data/held_out.c, src/run/run_parts.c): the coins look at none of
 * them, both parts are all of them, and nothing but the evaluation sees the part that is kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "data/held_out.h"
#include "dperm/score.h"
#include "ledgers.h"
#include "model/model.h"

enum { ROWS = 1000 };

/* Rows that say where they stand; labels in turn, but for one of them. */
static dperm_data *numbered(size_t rows, size_t turned) {
  double x[2 * ROWS], labels[ROWS];
  dperm_data *data = NULL;
  for (size_t i = 0; i < rows; i++) {
    x[2 * i] = (double)(i + 1) / (2 * ROWS);
    x[2 * i + 1] = i % 2 ? 0.5 : -0.5;
    labels[i] = (i % 2 != 0) != (i == turned) ? 1 : -1;
  }
  assert_ok(dperm_data_from_dense(rows, 2, x, labels, 1, &data, err));
  return data;
}

static held_out coins_of(unsigned char first, double share, bool counted) {
  return (held_out){.share = share, .counted = counted, .coins = {first, 7}};
}

/* Where each row of a part stood. */
static size_t places(const dperm_data *part, size_t *out) {
  for (size_t i = 0; i < part->x->rows; i++) {
    double row[2];
    part->x->kind->row(part->x, i, row);
    out[i] = (size_t)lround(row[0] * (2 * ROWS)) - 1;
    assert_true(i == 0 || out[i] > out[i - 1]); /* in the order of the records */
  }
  return part->x->rows;
}

/* Which rows are held out of `data`, by turns. */
static size_t held_of(const dperm_data *data, const held_out *how, bool held[ROWS]) {
  auto_data *fit = NULL, *kept = NULL;
  size_t at[ROWS];
  memset(held, 0, ROWS * sizeof *held);
  assert_ok(held_out_split(data, how, &fit, &kept, err));
  const size_t count = places(kept, at);
  for (size_t i = 0; i < count; i++) {
    held[at[i]] = true;
  }
  const size_t others = places(fit, at);
  for (size_t i = 0; i < others; i++) {
    assert_false(held[at[i]]);
  }
  assert_int_equal(count + others, data->x->rows);
  return count;
}

TEST(a_public_number_is_held_out_and_each_record_as_often) {
  auto_data *data = numbered(ROWS, ROWS);
  bool held[ROWS];
  size_t often[ROWS] = {0}, least = ROWS, most = 0;
  for (int draw = 0; draw < 200; draw++) {
    const held_out how = coins_of((unsigned char)draw, 0.25, true);
    assert_int_equal(held_of(data, &how, held), 250);
    for (size_t i = 0; i < ROWS; i++) {
      often[i] += held[i];
    }
  }
  for (size_t i = 0; i < ROWS; i++) {
    least = often[i] < least ? often[i] : least;
    most = often[i] > most ? often[i] : most;
  }
  assert_true(least > 15 && most < 90); /* 50 on average, with a deviation of 6 */
}

/* The part of a record follows from its place, whatever it and the others say. */
TEST(coins_look_at_no_record) {
  for (int counted = 0; counted < 2; counted++) {
    const held_out how = coins_of(3, 0.3, counted);
    auto_data *one = numbered(ROWS, ROWS);
    bool first[ROWS], other[ROWS];
    const size_t count = held_of(one, &how, first);
    for (size_t turned = 0; turned < ROWS; turned += 111) {
      auto_data *changed = numbered(ROWS, turned);
      assert_int_equal(held_of(changed, &how, other), count);
      assert_memory_equal(first, other, sizeof first);
    }
  }
}

/* Where their number is private a record more leaves all others where they are. */
TEST(a_record_more_moves_no_other) {
  const held_out how = coins_of(5, 0.3, false);
  auto_data *less = numbered(ROWS - 1, ROWS), *all = numbered(ROWS, ROWS);
  bool first[ROWS], other[ROWS];
  const size_t count = held_of(less, &how, first);
  const size_t more = held_of(all, &how, other);
  assert_true(more == count + other[ROWS - 1] && count > 200 && count < 400);
  assert_memory_equal(first, other, (ROWS - 1) * sizeof *first);
}

TEST(nothing_or_all_may_be_held_out_where_the_number_is_private) {
  const held_out none = coins_of(1, 0x1p-60, false), all = coins_of(1, 1 - 0x1p-53, false);
  auto_data *data = numbered(20, ROWS);
  bool held[ROWS];
  assert_int_equal(held_of(data, &none, held), 0);
  assert_int_equal(held_of(data, &all, held), 20);
}

/* ---- runs */

static dperm_options wanted(double share, dperm_random *random) {
  dperm_options o = options_for(50);
  o.epsilon = 20; /* far too much noise-free, to see what the parts do */
  o.evaluate = share;
  o.random = random;
  return o;
}

static dperm_model *trained(const dperm_data *data, double share) {
  dperm_model *model = NULL;
  dperm_random *random = NULL;
  assert_ok(dperm_random_seeded(11, &random, err));
  const dperm_options o = wanted(share, random);
  assert_ok(dperm_train(data, &o, &model, err));
  dperm_random_free(random);
  return model;
}

/* With the same noise the weights are those of all data sets that differ in what is held out, and
 * so is all else but the evaluation. */
TEST(the_fit_sees_nothing_that_is_held_out) {
  auto_data *data = numbered(ROWS, ROWS);
  auto_model *first = trained(data, 0.25);
  random_source source;
  held_out how = {.share = 0.25, .counted = true};
  bool held[ROWS];
  assert_ok(random_seeded(11, &source, err));
  assert_ok(held_out_draw(&source, NULL, &how, err));
  assert_int_equal(held_of(data, &how, held), 250);
  size_t same = 0;
  for (size_t i = 0; i < ROWS; i += 50) {
    auto_data *changed = numbered(ROWS, i);
    auto_model *other = trained(changed, 0.25);
    const bool alike = memcmp(first->weights, other->weights, 2 * sizeof(double)) == 0;
    assert_true(alike == held[i]);
    same += alike;
  }
  assert_true(same >= 2 && same < 12);
  assert_int_equal(first->rows, ROWS);
  assert_int_equal(first->rows_fitted, 750);
}

/* And the evaluation sees nothing else: its counts add up to what is held out. */
TEST(the_evaluation_counts_what_is_held_out) {
  auto_data *data = numbered(ROWS, ROWS);
  auto_model *model = trained(data, 0.25);
  const json_t *rows = json_object_get(json_object_get(model->evaluation, "cells"), "counts");
  json_int_t sum = 0;
  size_t class, cell;
  const json_t *row, *count;
  json_array_foreach(rows, class, row) {
    json_array_foreach(row, cell, count) {
      sum += json_integer_value(count);
    }
  }
  assert_true(llabs(sum - 250) < 10);
  assert_int_equal(json_integer_value(json_object_get(model->evaluation, "rows")), 250);
  assert_true(model->claim.epsilon == 20 && model->claim.epsilon_evaluated == 20);
}

/* ---- a later score of the same part */

LEDGER_TEST(the_part_is_found_again_by_the_ledgers_coins) {
  auto_data *data = numbered(ROWS, ROWS), *others = numbered(ROWS - 1, ROWS), *part = NULL;
  auto_model *model = NULL;
  auto_ledger *ledger = NULL;
  dperm_private_score score;
  dperm_metrics exact;
  unsigned char secret[COINS_SIZE];
  held_out how = {.counted = true};
  data_identity identity;
  assert_ok(ledger_create(home->path, "numbered", "200", NULL, 1, err));
  assert_ok(dperm_ledger_open(home->path, &ledger, err));
  dperm_options o = wanted(0.25, NULL);
  o.account = (dperm_account){.ledger = ledger, .dataset = "numbered"};
  assert_ok(dperm_train(data, &o, &model, err));
  assert_ok(identity_of_data(data, &identity, err));
  assert_ok(charge_find_secret(ledger, model->ledger_entry, model->ledger_digest, &identity, secret,
                               &how.share, err));
  memcpy(how.coins, secret, sizeof secret);
  assert_true(how.share == 0.25);
  assert_ok(held_out_split(data, &how, NULL, &part, err));
  assert_ok(dperm_model_score(model, part, &exact, err));
  dperm_score_options wanted_score = USUAL(dperm_score_options);
  wanted_score.epsilon = 60; /* so that there is no noise */
  wanted_score.account = o.account;
  wanted_score.held_out = true;
  assert_ok(dperm_model_score_private(model, data, &wanted_score, &score, err));
  assert_int_equal(score.rows, 250);
  assert_int_equal(score.errors, (int64_t)exact.errors);
  assert_fails(dperm_model_score_private(model, others, &wanted_score, &score, err),
               DPERM_OVER_BUDGET, "these are not the data");
  wanted_score.account.ledger = NULL;
  assert_fails(dperm_model_score_private(model, data, &wanted_score, &score, err),
               DPERM_INVALID_ARGUMENT, "only the ledger knows");
  wanted_score.account.ledger = ledger;
  wanted_score.public_model = true;
  assert_fails(dperm_model_score_private(model, data, &wanted_score, &score, err),
               DPERM_INVALID_ARGUMENT, "no public model's");
}

/* No file that leaves tells which records they were. */
LEDGER_TEST(the_coins_are_in_no_model) {
  auto_data *data = numbered(ROWS, ROWS);
  auto_model *model = NULL;
  auto_ledger *ledger = NULL;
  data_identity identity;
  unsigned char secret[COINS_SIZE];
  char hex[2 * COINS_SIZE + 1], *text = NULL;
  double share = 0;
  size_t length = 0;
  assert_ok(ledger_create(home->path, "numbered", "200", NULL, 1, err));
  assert_ok(dperm_ledger_open(home->path, &ledger, err));
  dperm_options o = wanted(0.25, NULL);
  o.account = (dperm_account){.ledger = ledger, .dataset = "numbered"};
  assert_ok(dperm_train(data, &o, &model, err));
  assert_ok(identity_of_data(data, &identity, err));
  assert_ok(charge_find_secret(ledger, model->ledger_entry, model->ledger_digest, &identity, secret,
                               &share, err));
  for (size_t i = 0; i < sizeof secret; i++) {
    (void)snprintf(hex + 2 * i, 3, "%02x", secret[i]);
  }
  assert_ok(dperm_model_to_text(model, &text, &length, err));
  assert_null(strstr(text, hex));
  dperm_text_free(text);
}

/* ---- refusals */

TEST(shares_that_are_none_are_refused) {
  auto_data *data = numbered(60, ROWS);
  dperm_model *model = NULL;
  const double shares[] = {-0.1, 1, 2, (double)NAN};
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
    const dperm_options o = wanted(shares[i], NULL);
    assert_fails(dperm_train(data, &o, &model, err), DPERM_INVALID_ARGUMENT, "evaluate = ");
  }
  dperm_options o = wanted(0.1, NULL);
  assert_fails(dperm_train(data, &o, &model, err), DPERM_INVALID_DATA,
               "leaves fewer than 10 on one side");
  o.evaluate = 0.9;
  assert_fails(dperm_train(data, &o, &model, err), DPERM_INVALID_DATA,
               "leaves fewer than 10 on one side");
  o.evaluate = 0.5;
  o.mechanism = DPERM_MECHANISM_NONE;
  assert_fails(dperm_train(data, &o, &model, err), DPERM_INVALID_ARGUMENT,
               "the mechanism none has none");
}
