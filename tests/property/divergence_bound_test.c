/* The price of a release by a Renyi order, derived twice: by src/privacy and src/mechanism for a
 * charge, and by src/verify in intervals from the numbers of a file. Both must find the same,
 * within the 1e-9 by which charges are rounded up, and verification never more. */
#include <math.h>

#include "any_numbers.h"
#include "loss/link.h"
#include "mechanism/delta_rule.h"
#include "mechanism/privacy_plan.h"
#include "support.h"
#include "verify/noise_bound.h"

static double between(random_source *r, double low, double high) { /* by factors */
  return low * pow(high / low, random_unit(r));
}

static void assert_same(double charged, interval derived, const char *what) {
  double most = interval_upper(derived);
  if (!(most <= charged && most >= charged * (1 - 4e-9) - 4e-12)) {
    fail_msg("%s: charged %.15g, derived %.15g", what, charged, most);
  }
}

TEST(what_is_pure_has_one_price) {
  random_source r = seeded(61);
  for (int i = 0; i < 300; i++) {
    double order = 1.1 + between(&r, 0.1, 500), epsilon = between(&r, 1e-5, 10);
    assert_same(renyi_of_pure(order, epsilon),
                divergence_of_pure(interval_of(order), interval_of(epsilon)), "pure");
  }
}

/* Losses known to verification, with L = 1 and rows of norm 1; a caller's own; joint classes. */
static noise_profile derived(const public_numbers *g, const privacy_plan *plan, double h) {
  bool adding = g->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  interval a = interval_mul(interval_of(plan->noise.beta), interval_of(g->bounds.norm2));
  interval rows = interval_of((double)g->rows), norm = interval_of(g->bounds.norm2);
  if (g->mechanism == DPERM_MECHANISM_DESCENT) {
    return profile_of_shift(
        interval_mul(interval_mul(a, interval_of(descent_clip)), interval_of(adding ? 1 : 2)));
  }
  if (g->mechanism == DPERM_MECHANISM_OUTPUT) {
    interval shift =
        interval_mul(interval_mul(a, interval_of(g->loss->lipschitz)), interval_of(adding ? 1 : 2));
    return profile_of_shift(interval_div(shift, interval_mul(rows, interval_of(plan->lambda))));
  }
  interval ridge = interval_add(interval_of(plan->lambda), interval_of(plan->delta_reg));
  interval kappa = interval_div(interval_mul(norm, norm), interval_mul(rows, ridge));
  const known_loss *known = known_loss_find(g->loss->name);
  const loss_facts facts = {
      .known = known,
      .lipschitz = interval_of(g->loss->lipschitz),
      .smoothness = interval_div(interval_of(known ? known->smoothness : g->loss->smoothness),
                                 interval_of(known && known->has_h ? h : 1))};
  return profile_of_loss(&facts, adding, kappa, a);
}

TEST(a_plan_has_one_price) {
  int tried = 0;
  random_source r = seeded(62);
  for (int i = 0; i < 30; i++) {
    dperm_loss loss = i % 4 == 0 ? softmax_loss(3 + random_bits(&r) % 40) : any_loss(&r);
    public_numbers g = any_numbers(&r, &loss);
    privacy_plan plan;
    g.dims = 1 + random_bits(&r) % 8;
    g.bounds = row_bounds_of_norm(g.dims, between(&r, 0.2, 5));
    g.rows = (size_t)between(&r, 100, 1e6);
    g.epsilon = g.epsilon_core = between(&r, 0.05, 2);
    g.delta_core = between(&r, 1e-10, 1e-5);
    g.noise = DPERM_NOISE_GAUSSIAN;
    g.mechanism = i % 5 == 0   ? DPERM_MECHANISM_OUTPUT
                  : i % 4 == 0 ? DPERM_MECHANISM_DESCENT
                               : DPERM_MECHANISM_OBJECTIVE;
    g.lambda = g.mechanism == DPERM_MECHANISM_DESCENT ? (double)NAN : g.lambda;
    g.neighbours = i % 3 == 0 ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
    if (privacy_plan_make(&g, &plan, NULL) != DPERM_OK) {
      continue; /* too few rows for this epsilon */
    }
    const privacy_curve curve = plan_curve(&g, &plan);
    const noise_profile profile = derived(&g, &plan, loss.parameter);
    double order = 1.1 + between(&r, 0.1, 60), charged = renyi_of_curve(order, &curve);
    if (isfinite(charged)) {
      assert_same(charged, divergence_of_noise(interval_of(order), &profile), loss.name);
      tried++;
    }
  }
  assert_true(tried > 15);
}
