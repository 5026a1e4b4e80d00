/* Objective perturbation where a record is added or removed (docs/proofs/neighbours.md 2), without
 * sampling (density_pair.h): the densities of the released weights with a record and without it
 * differ by at most e^ε, either way, for any loss, norm, kind of noise, number of other records and
 * public figure in place of it; the bound is reached; and plans with the usual mistakes are caught.
 */
#include <math.h>

#include "density_pair.h"
#include "loss/link.h"
#include "loss/loss.h"
#include "mechanism/epsilon_rule.h"

static const double norms[] = {0.2, 1.0, 5.0};

static public_numbers adding_numbers(random_source *r, const limits *within, const dperm_loss *loss,
                                     double epsilon) {
  const pair any = {.dims = 1};
  double norm = within->bounds.norm2;
  public_numbers g =
      numbers_for(&any, norm, loss, epsilon, random_scale(r, 1e-3, 1e2) * norm * norm);
  g.neighbours = DPERM_NEIGHBOURS_ADD_REMOVE;
  g.rows = 1 + random_bits(r) % 12; /* near the number of records, or not */
  g.bounds = within->bounds;
  g.noise = within->kind;
  g.norm_guess = random_scale(r, 1e-2, 10);
  double edge = loss->smoothness * norm * norm / (double)g.rows / expm1(epsilon);
  g.delta_reg = edge * random_scale(r, 1.001, 1e3);
  return g;
}

/* Random pairs and climbs, a record added in one half and removed in the other; the most of ε that
 * was reached each way. */
static void check_kind(dperm_noise kind, uint64_t seed, double most[2]) {
  random_source r = seeded(seed);
  const int rounds = (int)repetitions(400, 2000);
  for (int round = 0; round < rounds; round++) {
    double norm = norms[round % 3], epsilon = random_scale(&r, 0.02, 10);
    const dperm_loss loss = loss_number((int)(random_bits(&r) % LOSSES), random_scale(&r, 0.05, 1));
    size_t dims = (kind == DPERM_NOISE_MIXED ? 3 : 1) + random_bits(&r) % USUAL_DIMS;
    limits within = draw_limits(&r, dims, norm, kind);
    within.bounds.body = (noise_body){within.runs, within.count, {0, 0, 0}};
    pair p = draw_pair(&r, dims, &within);
    p.absent = true;
    p.removed = round & 1;
    public_numbers g = adding_numbers(&r, &within, &loss, epsilon);
    g.dims = dims;
    privacy_plan plan;
    assert_ok(privacy_plan_make(&g, &plan, err));
    assert_true(plan.divisor == (double)g.rows);
    if (random_bits(&r) & 1) {
      centre_noise(&p, &loss, &plan);
    }
    double best = climb(&r, &p, &within, &loss, &plan, 250);
    check_ratio(best, epsilon, &loss, norm, &p);
    most[p.removed] = fmax(most[p.removed], best / epsilon);
  }
}

TEST(the_ratio_never_passes_epsilon_either_way_in_any_norm) {
  for (dperm_noise kind = DPERM_NOISE_L2; kind <= DPERM_NOISE_MIXED; kind++) {
    double most[2] = {0, 0};
    check_kind(kind, 40 + kind, most);
    assert_true(most[0] > 0.7 && most[1] > 0.7); /* the climber does climb */
  }
}

/* ---- the worst case: margin z, b = 0 with the record */

static double worst_added(const dperm_loss *loss, const privacy_plan *plan, double norm) {
  double best = 0;
  for (int i = -2000; i <= 2000; i++) {
    double t = (double)i / 2000;
    double z = isnan(loss->parameter) ? sinh(3.5 * t) : 1 - loss->parameter * t * (1 - 1e-9);
    pair p = {.dims = 1, .weight = {1}, .absent = true};
    p.w[0][0] = norm;
    p.f[0] = z / norm;
    if (loss_is_residual(loss)) {
      p.label[0] = -10 * fabs(t) * loss->parameter;
      p.f[0] = 0;
    }
    if (loss_is_count(loss)) { /* none, where the curve ends */
      p.label[0] = -1;
      p.f[0] = (link_count_offset - (t + 1)) / norm * (1 - 1e-12);
    }
    centre_noise(&p, loss, plan);
    best = fmax(best, log_ratio(&p, loss, plan));
  }
  return best;
}

typedef void spoil(const public_numbers *g, privacy_plan *plan);

static double worst_share(int which, spoil *change, double *least) {
  static const double epsilons[] = {0.1, 1, 5}, stiffness[] = {0.3, 3, 30, 300};
  double most = 0;
  for (size_t cell = 0; cell < 36; cell++) {
    double norm = norms[cell % 3], epsilon = epsilons[cell / 3 % 3];
    const dperm_loss loss = loss_number(which, 0.5);
    const pair any = {.dims = 1};
    double edge = loss.smoothness * norm * norm / expm1(epsilon) / 7;
    public_numbers g = numbers_for(&any, norm, &loss, epsilon, edge * (1 + stiffness[cell / 9]));
    privacy_plan plan;
    g.neighbours = DPERM_NEIGHBOURS_ADD_REMOVE;
    g.rows = 7;
    g.delta_reg = 0;
    assert_ok(privacy_plan_make(&g, &plan, err));
    if (change) {
      change(&g, &plan);
    }
    double share = worst_added(&loss, &plan, norm) / epsilon;
    most = fmax(most, share);
    *least = fmin(*least, share);
  }
  return most;
}

TEST(nothing_is_given_away) {
  for (int which = 0; which < LOSSES; which++) {
    if (which == 3) { /* a custom one is priced by its constants */
      continue;
    }
    double least = 1, most = worst_share(which, NULL, &least);
    if (!(least >= 0.97 && most <= 1 + 1e-9)) {
      fail_msg("loss %d: between %.9g and %.9g of epsilon", which, least, most);
    }
  }
}

/* ---- teeth */

static void less_noise(const public_numbers *g, privacy_plan *plan) {
  plan->noise.beta *= 1.05;
}

static void no_jacobian(const public_numbers *g, privacy_plan *plan) {
  plan->noise.beta = g->epsilon / (g->loss->lipschitz * g->bounds.norm2);
}

TEST(plans_with_the_usual_mistakes_are_caught) {
  for (int which = 0; which < LOSSES; which++) {
    if (which == 3) {
      continue;
    }
    double least = 1;
    assert_true(worst_share(which, less_noise, &least) > 1.02);
    assert_true(worst_share(which, no_jacobian, &least) > 1.05);
  }
}

/* A replaced record is two steps: the same noise spends up to 2ε on it, and no more. */
TEST(a_replaced_record_costs_up_to_twice_as_much) {
  random_source r = seeded(50);
  const dperm_loss loss = library_loss(REF_HUBER, 0.5);
  double most = 0;
  for (int round = 0; round < 100; round++) {
    const limits within = {.bounds = row_bounds_of_norm(2, 1), .kind = DPERM_NOISE_L2};
    pair p = draw_pair(&r, 2, &within);
    public_numbers g = adding_numbers(&r, &within, &loss, 1);
    privacy_plan plan;
    g.dims = 2;
    g.lambda = 100;
    assert_ok(privacy_plan_make(&g, &plan, err));
    double ratio = climb(&r, &p, &within, &loss, &plan, 400);
    check_ratio(ratio, 2, &loss, 1, &p);
    most = fmax(most, ratio);
  }
  assert_true(most > 1.8);
}
