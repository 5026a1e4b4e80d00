/* Data sets that are parts of others, and what a run held out: whatever a part is charged its whole
 * is charged too, and the secret of a charge is for its own data alone. */
#include <stdlib.h>
#include <unistd.h>

#include "ledger/chain.h"
#include "ledgers.h"

static void see_left(void *context, const dperm_ledger_dataset *d) {
  char *text = context;
  size_t used = strlen(text);
  (void)snprintf(text + used, 400 - used, "%s %s of %s%s%s; ", d->name, d->epsilon_left,
                 d->epsilon_total, d->part_of ? " in " : "", d->part_of ? d->part_of : "");
}

static const char *left_of(const ledger_home *home) {
  static char text[400];
  auto_ledger *ledger = opened(home);
  text[0] = '\0';
  assert_ok(dperm_ledger_datasets(ledger, see_left, text, err));
  return text;
}

LEDGER_TEST(a_part_and_its_whole_are_both_charged) {
  dperm_charge made;
  assert_ok(ledger_create_part(home->path, "test", "0.5", "people", err));
  assert_ok(ledger_create_part(home->path, "half of test", NULL, "test", err));
  assert_ok(charge_it(home->path, "people", 0.3, 0, 1, &made, err));
  assert_ok(charge_it(home->path, "half of test", 0.2, 0, 2, &made, err));
  assert_string_equal(made.epsilon_left, "0.3"); /* of the least: its whole's, not 0.5 of people */
  assert_ok(charge_it(home->path, "test", 0.1, 0, 3, &made, err));
  assert_string_equal(
      left_of(home),
      "people 0.4 of 1; test 0.2 of 0.5 in people; half of test 0.2 of 0.5 in test; ");
  assert_fails(charge_it(home->path, "half of test", 0.25, 0, 2, &made, err), DPERM_OVER_BUDGET,
               "data set \"test\" has epsilon 0.2 left of 0.5, and this run needs 0.25");
  assert_ok(charge_it(home->path, "people", 0.3, 0, 1, &made, err));
  assert_fails(charge_it(home->path, "half of test", 0.2, 0, 2, &made, err), DPERM_OVER_BUDGET,
               "data set \"people\" has epsilon 0.1 left of 1, and this run needs 0.2");
  charge_whole(home->path, "test", 0.1, 3);
  assert_fails(charge_it(home->path, "people", 1e-6, 0, 1, &made, err), DPERM_OVER_BUDGET,
               "has epsilon 0 left");
  assert_string_equal(verdict_of(home->path, NULL).first, "");
}

LEDGER_TEST(parts_of_nothing_or_of_more_are_refused) {
  auto_file *nowhere = file_with("", 0);
  assert_fails(ledger_create_part(home->path, "test", NULL, "nobody", err), DPERM_OVER_BUDGET,
               "no data set \"nobody\" that another could be a part of");
  assert_fails(ledger_create_part(home->path, "test", NULL, "test", err), DPERM_OVER_BUDGET,
               "no data set \"test\"");
  assert_fails(ledger_create_part(home->path, "people", NULL, "people", err), DPERM_OVER_BUDGET,
               "has its budget, and that stays");
  assert_fails(ledger_create_part(home->path, "test", "1.5", "people", err), DPERM_INVALID_ARGUMENT,
               "cannot have a larger budget");
  (void)unlink(nowhere);
  assert_fails(ledger_create_part(nowhere, "test", NULL, "people", err), DPERM_OVER_BUDGET,
               "there is no such ledger");
  dperm_ledger_budget budget = USUAL(dperm_ledger_budget);
  budget.part_of = "people";
  budget.rows_per_person = 2;
  assert_fails(dperm_ledger_create(home->path, "test", &budget, err), DPERM_INVALID_ARGUMENT,
               "from the data set that it is a part of");
  assert_string_equal(left_of(home), "people 1 of 1; ");
}

/* By one Renyi order: the same divergence counts in both. */
LEDGER_TEST(a_part_adds_up_as_its_whole_does) {
  dperm_charge made;
  assert_ok(ledger_create_order(home->path, "many", "4", "1e-6", 13, err));
  assert_ok(ledger_create_part(home->path, "test", "3", "many", err));
  assert_fails(ledger_create_part(home->path, "tiny", "0.1", "many", err), DPERM_INVALID_ARGUMENT,
               "leaves nothing");
  assert_ok(charge_it(home->path, "test", 0.2, 1e-8, 2, &made, err));
  assert_true(made.order == 13 && strtod(made.cost_epsilon, NULL) < 0.2);
  const double cost = strtod(made.cost_epsilon, NULL);
  assert_ok(charge_it(home->path, "many", 0.2, 1e-8, 3, &made, err));
  auto_ledger *ledger = opened(home);
  dperm_ledger *held = NULL;
  amount sum = {{0}}, one;
  char text[DPERM_AMOUNT_SIZE], own[DPERM_AMOUNT_SIZE];
  assert_ok(chain_begin(ledger, false, &held, err));
  assert_true(amount_of_double(cost, &one) && amount_add(&one, &one, &sum));
  amount_text(&sum, text);
  amount_text(&chain_find(ledger->known, "many")->costs.epsilon, own);
  assert_string_equal(own, text);
  assert_ok(store_commit(&held, err));
  assert_string_equal(verdict_of(home->path, NULL).first, "");
}

/* Somebody who can write the file, and knows how digests are made, cannot part them unseen. */
LEDGER_TEST(what_a_part_belongs_to_is_digested) {
  dperm_charge made;
  assert_ok(ledger_create_part(home->path, "test", NULL, "people", err));
  tamper(home->path, "UPDATE records SET entry = 0 WHERE dataset = 'test'");
  assert_string_equal(verdict_of(home->path, NULL).first,
                      "record 2: was changed, it does not fit its digest");
  assert_fails(charge_it(home->path, "test", 0.1, 0, 2, &made, err), DPERM_INVALID_LEDGER,
               "damaged ledger");
}

/* ---- what was held out */

static dperm_status find(const ledger_home *home, const dperm_charge *made, unsigned char data,
                         unsigned char secret[LEDGER_KEY_SIZE], double *held, dperm_error *e) {
  auto_ledger *ledger = opened(home);
  const data_identity identity = {.given = {data}, .encoded = {data, 1}};
  return charge_find_secret(ledger, made->entry, made->digest, &identity, secret, held, e);
}

LEDGER_TEST(the_secret_of_a_charge_is_for_its_data) {
  unsigned char secret[LEDGER_KEY_SIZE], found[LEDGER_KEY_SIZE];
  double held = 0;
  dperm_charge made, plain;
  auto_ledger *ledger = opened(home);
  charge_request request = request_for("people", 0.1, 0, 1);
  for (size_t i = 0; i < sizeof secret; i++) {
    secret[i] = (unsigned char)(7 * i);
  }
  request.held = 0.25;
  request.secret = secret;
  assert_ok(charge_reserve(ledger, &request, false, &made, err));
  assert_ok(charge_it(home->path, "people", 0.1, 0, 1, &plain, err));
  assert_ok(find(home, &made, 1, found, &held, err));
  assert_memory_equal(found, secret, sizeof secret);
  assert_true(held == 0.25);
  assert_fails(find(home, &made, 2, found, &held, err), DPERM_OVER_BUDGET,
               "these are not the data");
  assert_fails(find(home, &plain, 1, found, &held, err), DPERM_INVALID_LEDGER,
               "knows of no records that were held out");
  plain.entry = made.entry; /* another receipt */
  assert_fails(find(home, &plain, 1, found, &held, err), DPERM_INVALID_LEDGER,
               "knows of no records that were held out");
  assert_string_equal(verdict_of(home->path, NULL).first, "");
}

/* By an order a run that evaluates apart costs the larger of both, not their sum. */
LEDGER_TEST(what_is_released_of_other_records_costs_no_more) {
  privacy_curve curve = {.fits = 1,
                         .slack = 0.001,
                         .corners = {{1, 0.022}, {2, 0.011}},
                         .corner_count = 2,
                         .epsilon_num = 1e-4,
                         .failure = 8e-44};
  const double fit = renyi_of_curve(13, &curve);
  curve.apart = 0.01;
  assert_true(renyi_of_curve(13, &curve) == fit);
  curve.apart = 0.1;
  assert_true(renyi_of_curve(13, &curve) == renyi_of_pure(13, 0.1));
  assert_true(renyi_of_pure(13, 0.1) > fit);
  dperm_charge made;
  assert_ok(ledger_create_order(home->path, "r", "2", "1e-6", 13, err));
  assert_ok(charge_with_curve(home->path, "r", 0.1, 1e-8, &curve, 7, &made, err));
  assert_close(strtod(made.cost_epsilon, NULL), renyi_of_pure(13, 0.1), 2e-9);
  assert_string_equal(verdict_of(home->path, NULL).first, "");
  curve.apart = 0.2; /* more than the claim: no curve of this release */
  assert_false(curve_fits_claim(&curve, false, 0.1, 1e-8));
}
