/* Renyi divergences of releases (docs/proofs/composition.md) against what they bound: the formulas
 * in longer doubles, the exact divergence of objective perturbation by integration, randomized
 * response and two-point laws written out, and fifty releases composed numerically. */
#include <math.h>
#include <stdlib.h>

#include "fit_divergence.h"
#include "privacy/renyi.h"
#include "support.h"

typedef long double real;

static double between(random_source *r, double low, double high) { /* by factors */
  return low * pow(high / low, random_unit(r));
}

/* ---- what is pure */

TEST(a_pure_release_costs_what_randomized_response_does) {
  random_source r = seeded(31);
  for (int i = 0; i < 20000; i++) {
    double epsilon = between(&r, 1e-6, 20), order = 1 + between(&r, 0.1, 500);
    real truth = 1 / (1 + expl(-(real)epsilon)), lie = 1 / (1 + expl(epsilon)), a = order;
    real moment = powl(truth, a) * powl(lie, 1 - a) + powl(lie, a) * powl(truth, 1 - a);
    double cost = renyi_of_pure(order, epsilon), exact = (double)(logl(moment) / (a - 1));
    if (epsilon > 1e-3 && isfinite(exact)) { /* below, this sum cancels */
      assert_true(cost >= exact && cost <= exact * (1 + 1e-8) + 1e-11);
    }
    assert_true(cost <= order * epsilon * epsilon / 2 * (1 + 1e-8) + 1e-11);
    assert_true(cost <= epsilon * (1 + 1e-8) + 1e-11);
  }
  assert_true(renyi_of_pure(10000, 90) >= 90 && renyi_of_pure(10000, 90) < 90.1);
}

/* ---- (ε, δ) and nothing else: what is left of a pair without a mass of δ (Lemma C3) */

enum { POINTS = 6 };

static void any_law(random_source *r, double *p) {
  double sum = 0;
  for (int i = 0; i < POINTS; i++) {
    p[i] = pow(random_unit(r), 3) + 1e-6;
    sum += p[i];
  }
  for (int i = 0; i < POINTS; i++) {
    p[i] /= sum;
  }
}

static double total(const double *p) {
  double sum = 0;
  for (int i = 0; i < POINTS; i++) {
    sum += p[i];
  }
  return sum;
}

/* Takes from p where it is above q, until its mass is no more than q's. */
static void lower_to(double *p, const double *q) {
  double low = 0, high = 1, moved[POINTS];
  for (int step = 0; step < 60; step++) {
    double s = (low + high) / 2;
    for (int i = 0; i < POINTS; i++) {
      moved[i] = p[i] - s * fmax(p[i] - q[i], 0);
    }
    *(total(moved) > total(q) ? &low : &high) = s;
  }
  for (int i = 0; i < POINTS; i++) {
    p[i] -= high * fmax(p[i] - q[i], 0);
  }
}

TEST(a_pair_without_its_delta_is_no_worse_than_randomized_response) {
  random_source r = seeded(35);
  for (int i = 0; i < 5000; i++) {
    double p[POINTS], q[POINTS], low_p[POINTS], low_q[POINTS], moment = 0, lost[2] = {0, 0};
    double epsilon = between(&r, 0.05, 3), order = 1 + between(&r, 0.2, 20);
    any_law(&r, p);
    any_law(&r, q);
    for (int j = 0; j < POINTS; j++) {
      low_p[j] = fmin(p[j], exp(epsilon) * q[j]);
      low_q[j] = fmin(q[j], exp(epsilon) * p[j]);
      lost[0] += p[j] - low_p[j];
      lost[1] += q[j] - low_q[j];
    }
    lower_to(lost[0] < lost[1] ? low_p : low_q, lost[0] < lost[1] ? low_q : low_p);
    double delta = fmax(lost[0], lost[1]);
    for (int j = 0; j < POINTS; j++) {
      moment += pow(low_p[j] / q[j], order) * q[j];
    }
    assert_true(1 - total(low_p) <= delta + 1e-9); /* a part of P, and no more than δ is lost */
    assert_true(log(moment) <= (order - 1) * renyi_of_pure(order, epsilon) + 1e-6);
  }
}

/* ---- the filter: releases chosen by what came before, until the budget ends */

typedef struct game {
  double order, budget, epsilon, strategy[64];
} game;

/* E(p − e^ε q)₊ over all ends of the tree below this node; each release is randomized response at
 * an ε that depends on the path. */
static double play(const game *g, double p, double q, double spent, int depth, unsigned path) {
  double each = g->strategy[(path * 7 + (unsigned)depth * 13) % 64];
  double cost = renyi_of_pure(g->order, each);
  if (depth == 12 || spent + cost > g->budget) {
    return fmax(p - exp(g->epsilon) * q, 0);
  }
  double truth = 1 / (1 + exp(-each));
  return play(g, p * truth, q * (1 - truth), spent + cost, depth + 1, 2 * path + 1) +
         play(g, p * (1 - truth), q * truth, spent + cost, depth + 1, 2 * path);
}

TEST(releases_chosen_on_the_way_stay_within_the_total) {
  double most = 0;
  random_source r = seeded(36);
  for (int i = 0; i < 300; i++) {
    double delta = between(&r, 1e-4, 0.1);
    game g = {.order = 1.2 + between(&r, 0.1, 8), .epsilon = between(&r, 0.3, 3)};
    g.budget = renyi_budget(g.order, g.epsilon, delta);
    for (int j = 0; j < 64; j++) {
      g.strategy[j] = between(&r, 0.1, 1.5);
    }
    if (g.budget > 0) {
      double found = play(&g, 1, 1, 0, 0, 1);
      assert_true(found <= delta);
      most = fmax(most, found / delta);
    }
  }
  assert_true(most > 0.3); /* it is not idle */
}

/* ---- Gaussian corners */

TEST(one_corner_without_slack_is_a_gaussian) {
  random_source r = seeded(32);
  for (int i = 0; i < 20000; i++) {
    double order = 1 + between(&r, 0.1, 500), m = between(&r, 1e-6, 1);
    const privacy_curve c = {.fits = 1, .corners = {{1, m}}, .corner_count = 1};
    double exact = order * m * m / 2, cost = renyi_of_curve(order, &c);
    if (order * (order - 1) * m * m < 1000) { /* beyond is beyond doubles */
      assert_true(cost >= exact && cost <= exact * (1 + 1e-8) + 1e-11);
    }
  }
}

/* What the corners give: at a distance K, or with the determinants' mean; else 1 within ±K. */
static real normal(real x) {
  return erfcl(-x / sqrtl(2)) / 2;
}

static real corners_at(const privacy_curve *c, real at) {
  real sum = 0;
  for (size_t i = 0; i < c->corner_count; i++) {
    real m = c->corners[i].ratio;
    sum += c->corners[i].count * (normal(m / 2 - at / m) - expl(at) * normal(-m / 2 - at / m));
  }
  return sum;
}

static real profile(const privacy_curve *c, real t) {
  real by_slack = t < c->slack ? 1 : corners_at(c, t - c->slack);
  real by_mean = c->mean > 0 ? corners_at(c, t) + (real)c->mean : 1;
  return fminl(fminl(by_slack, by_mean), 1);
}

enum { HALF = 3000, GRID = 2 * HALF + 1 };

static real rise(const real *s, const real *e, int i, int j) {
  return (e[j] - e[i]) / (s[j] - s[i]);
}

/* The divergence of the worst pair with this profile: hockey sticks are convex in s = e^t, and
 * symmetric, so they lie below the convex hull of what bounds them, on a grid; the mass of Q at a
 * loss is the change of the hull's slope. */
static double hull_divergence(const privacy_curve *c, double order) {
  static real s[GRID], e[GRID];
  static int hull[GRID];
  real longest = 0, moment = 0;
  int count = 0;
  for (size_t i = 0; i < c->corner_count; i++) {
    longest = fmaxl(longest, c->corners[i].ratio);
  }
  real reach = c->slack + longest * (9 + order * longest);
  for (int i = 0; i < GRID; i++) {
    real t = reach * (i - HALF) / HALF;
    s[i] = expl(t);
    e[i] = t >= 0 ? profile(c, t) : 1 - s[i] + s[i] * profile(c, -t);
    while (count > 1 &&
           rise(s, e, hull[count - 2], hull[count - 1]) >= rise(s, e, hull[count - 1], i)) {
      count--;
    }
    hull[count++] = i;
  }
  for (int k = 1; k < count - 1; k++) {
    int i = hull[k];
    moment += (rise(s, e, i, hull[k + 1]) - rise(s, e, hull[k - 1], i)) *
              (powl(s[i], order) - 1 - order * (s[i] - 1));
  }
  return (double)(log1pl(moment) / (order - 1));
}

TEST(the_formula_is_the_worst_pair_with_its_profile) {
  random_source r = seeded(33);
  for (int i = 0; i < 60; i++) {
    double order = 1 + between(&r, 0.3, 60), m = between(&r, 1e-3, 3 / order);
    const privacy_curve c = {.fits = 1,
                             .slack = i % 5 ? between(&r, 1e-4, 2 / order) : 0,
                             .corners = {{1, 2 * m}, {2, m}},
                             .corner_count = 2};
    double exact = hull_divergence(&c, order), cost = renyi_of_curve(order, &c);
    double crude = c.slack + log(1 + exp(2 * order * (order - 1) * m * m) +
                                 2 * exp(order * (order - 1) * m * m / 2)) /
                                 (order - 1);
    double least = fmin(exact, crude); /* Lemmas C4 and C5 */
    if (!(cost >= least * (1 - 2e-3) && cost <= least * (1 + 2e-3) + 1e-11)) {
      fail_msg("order %g, m %g, slack %g: %.12g, the worst pair has %.12g", order, m, c.slack, cost,
               exact);
    }
  }
}

/* With the mean of the determinants two chords stand for the hull: never below it, not far above.
 */
TEST(two_chords_are_near_the_worst_pair) {
  double most = 1;
  random_source r = seeded(37);
  for (int i = 0; i < 20; i++) {
    double order = 1 + between(&r, 0.3, 40), m = between(&r, 1e-3, 0.5 / order);
    privacy_curve c = {.fits = 1,
                       .slack = between(&r, m, 2 / order),
                       .corners = {{1, 2 * m}, {2, m}},
                       .corner_count = 2};
    double without = renyi_of_curve(order, &c);
    c.mean = fmin(c.slack, 0.4 * m * (1 + c.slack));
    double exact = hull_divergence(&c, order), cost = renyi_of_curve(order, &c);
    assert_true(cost >= exact * (1 - 2e-3) && cost <= without * (1 + 1e-8) + 1e-11);
    most = fmax(most, cost / exact);
  }
  print_message("# at most %.3f of the hull's\n", most);
  assert_true(most < 1.25);
}

TEST(fits_lattice_and_what_is_pure_add_up) {
  const privacy_curve one = {.fits = 1, .corners = {{1, 0.02}}, .corner_count = 1};
  privacy_curve c = one;
  c.fits = 3;
  c.epsilon_num = 1e-4;
  c.pure = 0.1;
  double order = 9, lattice = (2 * order - 1) / (order - 1) * 1e-4;
  assert_close(renyi_of_curve(order, &c),
               3 * (renyi_of_curve(order, &one) + lattice) + renyi_of_pure(order, 0.1), 1e-9);
}

TEST(curves_that_mean_nothing_are_known) {
  const privacy_curve good = {.fits = 1, .corners = {{1, 0.1}}, .corner_count = 1};
  privacy_curve bad[6];
  for (size_t i = 0; i < 6; i++) {
    bad[i] = good;
  }
  bad[0].slack = -1;
  bad[1].corners[0].ratio = (double)NAN;
  bad[2].corners[0].count = (double)INFINITY;
  bad[3].corner_count = 0;
  bad[4].corners[0].ratio = 0;
  bad[5].corner_count = CURVE_CORNERS + 1;
  assert_true(curve_is_sound(&good) && curve_is_sound(&(privacy_curve){.fits = 0}));
  for (size_t i = 0; i < 6; i++) {
    assert_false(curve_is_sound(&bad[i]));
  }
}

/* ---- objective perturbation itself */

TEST(no_pair_of_records_has_more_than_the_curve_says) {
  static const double lambdas[] = {1, 5, 40, 500}, sigmas[] = {2, 10, 93, 400},
                      orders[] = {1.5, 4, 13, 27, 60};
  double closest = 0;
  for (int i = 0; i < 2 * 2 * 4 * 4 * 5; i++) {
    const fit_pair p = {.loss = i % 2 == 0 ? FIT_HUBER : FIT_LOGISTIC,
                        .norm = 1,
                        .lambda = lambdas[i / 4 % 4],
                        .sigma = sigmas[i / 16 % 4],
                        .against_nothing = i / 2 % 2 == 1};
    double order = orders[i / 64], m = 1 / p.sigma;
    const privacy_curve c = {.fits = 1,
                             .slack = log1p(fit_smoothness(p.loss) / p.lambda),
                             .corners = {{1, 2 * m}, {2, m}},
                             .corner_count = 2};
    double exact = fit_divergence(&p, order), cost = renyi_of_curve(order, &c);
    if (!(exact <= cost + 1e-9)) {
      fail_msg("loss %d, lambda %g, sigma %g, order %g: %g, the curve says %g", i % 2, p.lambda,
               p.sigma, order, exact, cost);
    }
    closest = fmax(closest, exact / cost);
  }
  assert_true(closest > 0.6); /* the bound is not idle */
}

/* ---- conversion */

TEST(the_conversion_is_attained_by_a_law_of_two_points) {
  random_source r = seeded(34);
  for (int i = 0; i < 20000; i++) {
    double order = 1.1 + between(&r, 0.01, 500), epsilon = between(&r, 1e-3, 10),
           delta = between(&r, 1e-12, 1e-2);
    double budget = renyi_budget(order, epsilon, delta);
    real a = order, t = expl(epsilon), x = a * t / (a - 1);
    if (budget >= epsilon) {
      continue; /* it is cut there */
    }
    real mass = expl((a - 1) * budget - a * logl(x)); /* of x under Q, for this moment */
    real found = mass * (x - t);
    assert_true(found <= delta && found >= delta * (1 - 1e-6 * order));
  }
}

TEST(the_order_that_is_chosen_is_about_the_best) {
  for (int i = 0; i < 40; i++) {
    double epsilon = 0.05 * pow(1.15, i), delta = pow(10, -3 - i % 7);
    double order = renyi_order_for(epsilon, delta);
    double best = renyi_budget(order, epsilon, delta) / order;
    assert_true(best > 0);
    for (double other = 1.2; other < 5000; other *= 1.01) {
      assert_true(renyi_budget(other, epsilon, delta) / other <= best * 1.08);
    }
  }
}
