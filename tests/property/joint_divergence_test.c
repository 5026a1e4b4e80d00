/* Three classes learned jointly with gaussian noise, as a ledger counts them: the Renyi divergence
 * of two neighbours, integrated in the plane of weights that sum to zero (joint_densities.h), is
 * never above the price that follows from the plan (docs/proofs/composition.md C4 and C5,
 * softmax.md S3), for records replaced, added and removed. Integrals are good to a thousandth of
 * the price. */
#include <math.h>

#include "any_numbers.h"
#include "joint_densities.h"
#include "loss/link.h"
#include "mechanism/privacy_plan.h"
#include "random/discrete_sampling.h"
#include "statistics.h"

enum { K = JOINT_CLASSES };

/* What a fit is planned for. */
typedef struct request {
  dperm_neighbours kind;
  double epsilon, delta, norm, lambda; /* λ = n·Λ_t */
} request;

typedef struct priced {
  privacy_curve curve;
  double sigma;
} priced;

static priced price_of(const request *q) {
  const dperm_loss loss = softmax_loss(K);
  privacy_plan plan;
  random_source r = seeded(1);
  public_numbers g = gaussian_numbers(&r, &loss, 1);
  g.bounds = row_bounds_of_norm(1, q->norm);
  g.epsilon = g.epsilon_core = q->epsilon;
  g.delta_core = q->delta;
  g.neighbours = q->kind;
  g.lambda = q->lambda / (double)g.rows;
  g.delta_reg = 0;
  assert_ok(privacy_plan_make(&g, &plan, err));
  return (priced){plan_curve(&g, &plan), 1 / plan.noise.beta};
}

/* The least λ for which there is noise, and so many times as much. */
static double lambda_times(double times, double epsilon, double norm) {
  return times * norm * norm / (K * expm1(epsilon / (K - 1)));
}

/* The divergence of a pair over the price at this order; fails where it is above 1. */
static double share_of_price(joint_neighbours p, const request *q, double order) {
  const priced plan = price_of(q);
  double cost = renyi_of_curve(order, &plan.curve);
  p.lambda = q->lambda;
  p.sigma = plan.sigma;
  double exact = joint_divergence(&p, order, cost);
  if (!(plan.curve.fits == 1 && exact <= cost * (1 + 1e-3))) {
    fail_msg("epsilon %g, delta %g, norm %g, lambda %g, order %g: %g, the price is %g", q->epsilon,
             q->delta, q->norm, q->lambda, order, exact, cost);
  }
  return exact / cost;
}

/* At the orders that totals of ε = 5, 2, 1 and 0.5 and δ = 1e-6 choose. */
static double any_order(random_source *r) {
  static const double totals[] = {5, 2, 1, 0.5};
  return renyi_order_for(totals[random_below(r, 4)], 0.999 * 0.5e-6);
}

static request any_request(random_source *r, bool adding) {
  request q = {.kind = adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE,
               .epsilon = random_scale(r, 0.05, 2),
               .delta = random_scale(r, 1e-10, 1e-4),
               .norm = random_scale(r, 0.2, 5)};
  q.lambda = lambda_times(1.01 + exp(8 * random_unit(r) - 2), q.epsilon, q.norm);
  return q;
}

TEST(no_pair_has_more_divergence_than_its_price) {
  double most[2] = {0, 0};
  random_source r = seeded(61);
  for (size_t i = 0; i < repetitions(90, 1200); i++) {
    bool adding = i % 3 == 0;
    const request q = any_request(&r, adding);
    joint_neighbours p = joint_neighbours_drawn(&r, q.norm);
    if (adding) {
      p.w[random_below(&r, 2)].x = 0;
    }
    most[adding] = fmax(most[adding], share_of_price(p, &q, any_order(&r)));
  }
  print_message("# at most %.3f of the price, of records added and removed %.3f\n", most[0],
                most[1]);
  assert_true(most[0] > 0.3 && most[1] > 0.45);
}

/* Slopes that stay at a corner leave two normal laws, √6 or √2 apart: αm²/2. */
TEST(far_out_the_divergence_is_that_of_two_normal_laws) {
  for (int i = 0; i < 8; i++) {
    double norm = i % 2 ? 1 : 3, order = i / 2 % 2 ? 5 : 23;
    joint_neighbours p = joint_neighbours_far_out(norm, i / 4 == 1);
    p.lambda = 300 * norm;
    p.sigma = 30 * norm;
    double exact = order * (i / 4 ? 2 : 6) / (30.0 * 30.0) / 2;
    assert_close(joint_divergence(&p, order, exact) / exact, 1, 1e-3);
  }
}

/* The largest share that is known: far out, where λ is large, and near a border between two
 * classes, where a record of the third is curved, where it is not. */
static double worst_share(const request *q, double order) {
  bool adding = q->kind == DPERM_NEIGHBOURS_ADD_REMOVE;
  double most = share_of_price(joint_neighbours_far_out(q->norm, adding), q, order);
  for (double away = 2; away <= 8; away *= 4) {
    const joint_neighbours p = {.w = {{q->norm, 2}, {adding ? 0 : -q->norm, 2}},
                                .prior = {0, away / q->norm}};
    most = fmax(most, share_of_price(p, q, order));
  }
  return most;
}

/* At 100 times the least λ and at twice it, δ = 1e-8 and the orders of totals of 2 and 1. A price
 * that were a quarter above this one would be seen. */
TEST(the_price_is_not_far_above_the_worst_pair) {
  static const struct {
    double epsilon, times, total, found[2]; /* of records replaced, of added and removed */
  } cases[] = {{0.1, 100, 2, {0.280, 0.511}}, {0.1, 100, 1, {0.295, 0.527}},
               {0.3, 100, 2, {0.323, 0.556}}, {0.3, 100, 1, {0.405, 0.645}},
               {1, 100, 2, {0.535, 0.777}},   {1, 100, 1, {0.670, 0.903}},
               {0.1, 2, 2, {0.164, 0.145}},   {0.1, 2, 1, {0.162, 0.155}}};
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    bool adding = i % 2;
    request q = {.kind = adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE,
                 .epsilon = cases[i / 2].epsilon,
                 .delta = 1e-8,
                 .norm = 1};
    q.lambda = lambda_times(cases[i / 2].times, q.epsilon, 1);
    double order = renyi_order_for(cases[i / 2].total, 0.999 * 0.5e-6);
    double share = worst_share(&q, order);
    print_message("# epsilon %g, lambda %.3g, order %g, %s: %.3f of the price\n", q.epsilon,
                  q.lambda, order, adding ? "added or removed" : "replaced", share);
    assert_true(share > 0.8 * cases[i / 2].found[adding]);
  }
}

/* J̄ of Lemma C5: what a record adds to the determinant on average, wherever the solution is. */
TEST(determinants_add_no_more_than_their_mean) {
  double most = 0;
  random_source r = seeded(62);
  for (size_t i = 0; i < repetitions(30, 450); i++) {
    const request q = any_request(&r, i % 3 == 0);
    const priced plan = price_of(&q);
    joint_neighbours p = joint_neighbours_drawn(&r, q.norm);
    p.lambda = q.lambda;
    p.sigma = plan.sigma;
    double exact = joint_mean_slack(&p, plan.curve.mean);
    if (!(exact <= plan.curve.mean * (1 + 1e-3))) {
      fail_msg("epsilon %g, norm %g, lambda %g: %g, the bound is %g", q.epsilon, q.norm, q.lambda,
               exact, plan.curve.mean);
    }
    most = fmax(most, exact / plan.curve.mean);
  }
  print_message("# at most %.3f of the mean\n", most);
  assert_true(most > 0.8);
}
