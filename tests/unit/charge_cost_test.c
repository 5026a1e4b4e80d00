/* What a charge costs by the composition of its data set (src/ledger/charge_cost.c), beside what it
 * claims. */
#include <math.h>
#include <stdlib.h>

#include "ledger/chain.h"
#include "ledgers.h"

/* Ratios and slack of a Gaussian fit at (0.1, 1e-8). */
static const privacy_curve small = {.fits = 1,
                                    .slack = 0.001,
                                    .corners = {{1, 0.022}, {2, 0.011}},
                                    .corner_count = 2,
                                    .epsilon_num = 1e-4,
                                    .failure = 8e-44};

static void open_order(const char *path) {
  dperm_ledger_budget budget;
  dperm_ledger_budget_init(&budget);
  budget.epsilon = "2";
  budget.delta = "1e-6";
  budget.composition = DPERM_COMPOSITION_RENYI;
  budget.order = 13;
  assert_ok(dperm_ledger_create(path, "r", &budget, err));
}

/* A charge states its claim; what it costs is asked for, after a dry run as after a charge. */
static void a_charge_has_a_cost_beside_its_claim(void **state) {
  ledger_home *home = *state;
  dperm_ledger *ledger = NULL;
  dperm_charge tried, made;
  char epsilon[DPERM_AMOUNT_SIZE], delta[DPERM_AMOUNT_SIZE];
  double order = 0;
  open_order(home->path);
  assert_ok(dperm_ledger_open(home->path, &ledger, err));
  charge_request request = {.dataset = "r",
                            .command = "train",
                            .mechanism = "objective",
                            .epsilon = 0.1,
                            .delta = 1e-8,
                            .rows_per_person = 1,
                            .curve = small,
                            .identity = {.given = {7}}};
  for (int i = 0; i < 2; i++) {
    dperm_charge *one = i ? &made : &tried;
    assert_ok(charge_reserve(ledger, &request, i == 0, one, err));
    assert_ok(dperm_ledger_charge_cost(ledger, one, epsilon, delta, &order, err));
    assert_string_equal(one->epsilon, "0.1");
    assert_true(order == 13);
    assert_close(strtod(epsilon, NULL), renyi_of_curve(13, &small), 2e-9);
    assert_close(strtod(delta, NULL) / (1000 * exp(2) * 8e-44), 1, 1e-6);
  }
  assert_fails(dperm_ledger_charge_cost(ledger, &tried, epsilon, delta, &order, err),
               DPERM_INVALID_ARGUMENT, "try it again"); /* another came meanwhile */
  request.dataset = "people";                           /* plain sums */
  request.delta = 0;
  request.identity.given[0] = 8;
  assert_ok(charge_reserve(ledger, &request, true, &tried, err));
  assert_ok(dperm_ledger_charge_cost(ledger, &tried, epsilon, delta, &order, err));
  assert_string_equal(epsilon, "0.1");
  assert_true(order == 0);
  dperm_ledger_free(ledger); /* a charge that was made is known to every handle */
  ledger = opened(home);
  assert_ok(dperm_ledger_charge_cost(ledger, &made, epsilon, delta, &order, err));
  assert_close(strtod(epsilon, NULL), renyi_of_curve(13, &small), 2e-9);
  made.digest[0] = made.digest[0] == 'a' ? 'b' : 'a';
  assert_fails(dperm_ledger_charge_cost(ledger, &made, epsilon, delta, &order, err),
               DPERM_INVALID_ARGUMENT, "is another charge");
  dperm_ledger_free(ledger);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, ledger_home_begin, ledger_home_end)

int main(void) {
  const struct CMUnitTest tests[] = {CASE(a_charge_has_a_cost_beside_its_claim)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
