/* What a charge costs by the composition of its data set (src/ledger/charge.c), beside what it
 * claims. */
#include <math.h>
#include <stdlib.h>

#include "ledger/chain.h"
#include "ledgers.h"

/* A charge states its claim and beside it the cost, after a dry run as after a charge. */
LEDGER_TEST(a_charge_has_a_cost_beside_its_claim) {
  auto_ledger *ledger = NULL;
  dperm_charge made;
  assert_ok(ledger_create_order(home->path, "r", "2", "1e-6", 13, err));
  assert_ok(dperm_ledger_open(home->path, &ledger, err));
  charge_request request = request_for("r", 0.1, 1e-8, 7);
  request.curves = &small_curve;
  request.curve_count = 1;
  for (int i = 0; i < 2; i++) {
    assert_ok(charge_reserve(ledger, &request, i == 0, &made, err));
    assert_string_equal(made.epsilon, "0.1");
    assert_true(made.order == 13);
    assert_close(strtod(made.cost_epsilon, NULL), renyi_of_curve(13, &small_curve), 2e-9);
    assert_close(strtod(made.cost_delta, NULL) / (1000 * exp(2) * 8e-44), 1, 1e-6);
  }
  request.dataset = "people"; /* plain sums */
  request.delta = 0;
  request.identity.given[0] = 8;
  assert_ok(charge_reserve(ledger, &request, true, &made, err));
  assert_string_equal(made.cost_epsilon, "0.1");
  assert_true(made.order == 0);
}

/* Huber's loss at (0.1, 1e-8) under two schemas, as a run that asks for bins may follow either:
 * more ridge and more noise, less of both. No plan has the larger of each number. */
static const privacy_curve plans[] = {{.fits = 1,
                                       .slack = 0.03,
                                       .mean = 0.0032,
                                       .corners = {{1, 0.0156}, {1, 0.0078}, {1, 0.0078}},
                                       .corner_count = 3,
                                       .epsilon_num = 1e-4,
                                       .failure = 8e-44},
                                      {.fits = 1,
                                       .slack = 0.003,
                                       .mean = 0.003,
                                       .corners = {{1, 0.0212}, {1, 0.0106}, {1, 0.0106}},
                                       .corner_count = 3,
                                       .epsilon_num = 1e-4,
                                       .failure = 9e-44},
                                      {.fits = 0}};

static void see_terms(void *context, const dperm_ledger_entry *e) {
  *(bool *)context = strstr(e->terms, "fits=") != NULL;
}

/* What a run with these plans costs at order 13, and whether its entry keeps a curve. */
static double cost_of(const ledger_home *home, const privacy_curve *curves, size_t count,
                      double *delta_cost, bool *kept) {
  dperm_ledger *ledger = opened(home);
  dperm_charge made;
  charge_request request = request_for("r", 0.1, 1e-8, 7);
  request.curves = curves;
  request.curve_count = count;
  assert_ok(charge_reserve(ledger, &request, false, &made, err));
  assert_ok(dperm_ledger_entries(ledger, "r", see_terms, kept, err));
  dperm_ledger_free(ledger);
  assert_string_equal(verdict_of(home->path, NULL).first, "");
  *delta_cost = strtod(made.cost_delta, NULL);
  return strtod(made.cost_epsilon, NULL);
}

LEDGER_TEST(a_run_costs_what_the_dearest_of_its_plans_does) {
  bool kept = false;
  double cost[4], delta[4];
  assert_ok(ledger_create_order(home->path, "r", "2", "1e-6", 13, err));
  for (size_t i = 0; i < 2; i++) {
    cost[i] = cost_of(home, &plans[i], 1, &delta[i], &kept);
    assert_true(kept && delta[i] < 1e-30);
    assert_close(cost[i], renyi_of_curve(13, &plans[i]), 2e-9);
  }
  cost[2] = cost_of(home, plans, 2, &delta[2], &kept);
  assert_true(kept && cost[2] == fmax(cost[0], cost[1]) && delta[2] == fmax(delta[0], delta[1]));
  const privacy_curve turned[] = {plans[1], plans[0]};
  cost[3] = cost_of(home, turned, 2, &delta[3], &kept);
  assert_true(kept && cost[3] == cost[2] && delta[3] == delta[2]);
  cost[3] = cost_of(home, plans, 3, &delta[3], &kept); /* of one of them nothing is known */
  assert_true(!kept && delta[3] == 1e-8);
  assert_close(cost[3], renyi_of_pure(13, 0.1), 2e-9);
}
