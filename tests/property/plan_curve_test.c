/* What a plan tells a ledger (mechanism/plan_curve.c): never less than the exact divergence of the
 * fit that it plans, for rows of any norm; corners and slack once more from their formulas. */
#include <math.h>

#include "any_numbers.h"
#include "fit_divergence.h"
#include "loss/link.h"
#include "mechanism/composed_delta.h"
#include "mechanism/privacy_plan.h"
#include "statistics.h"
#include "support.h"

static dperm_loss loss_of(fit_loss which) {
  dperm_loss loss = dperm_loss_logistic();
  if (which == FIT_HUBER) {
    assert_ok(dperm_loss_huber(0.5, &loss, err));
  } else if (which == FIT_SMOOTH_HINGE) {
    assert_ok(dperm_loss_smooth_hinge(0.5, &loss, err));
  } else if (which > FIT_SMOOTH_HINGE) {
    const char *name = which == FIT_LOG_COSH ? "log-cosh" : "huber-regression";
    assert_ok(dperm_loss_by_name(name, 0.5, &loss, err));
  }
  return loss;
}

TEST(a_fit_has_no_more_divergence_than_its_curve) {
  random_source r;
  double closest[FIT_LOSSES] = {0};
  assert_ok(random_seeded(51, &r, err));
  const int times = (int)repetitions(1, 2);
  for (int i = 0; i < times * 48 * FIT_LOSSES; i++) { /* all combinations so often */
    fit_loss which = (fit_loss)(i % FIT_LOSSES);
    int j = i / FIT_LOSSES;
    const dperm_loss loss = loss_of(which);
    public_numbers g = gaussian_numbers(&r, &loss, 1);
    bool adding = j % 3 == 0;
    privacy_plan plan;
    g.neighbours = adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
    assert_ok(privacy_plan_make(&g, &plan, err));
    const privacy_curve curve = plan_curve(&g, &plan);
    double order = 1 + random_scale(&r, 0.5, 30);
    double lambda = (double)g.rows * (plan.lambda + plan.delta_reg);
    const fit_pair pair = {.loss = which,
                           .norm = g.bounds.norm2,
                           .lambda = lambda,
                           .sigma = 1 / plan.noise.beta,
                           .against_nothing = adding || j % 2 == 1,
                           .reversed = j / 2 % 2 == 1,
                           .prior = j / 4 % 2 ? 1 / g.bounds.norm2 : 0,
                           .wall = which != FIT_LOGISTIC && j / 8 % 2 ? 30 * lambda : 0};
    double exact = fit_divergence(&pair, order), cost = renyi_of_curve(order, &curve);
    if (!(curve.fits == 1 && exact <= cost + 1e-9)) {
      fail_msg("%s, order %g, norm %g, lambda %g, sigma %g: %g, the curve says %g", loss.name,
               order, pair.norm, pair.lambda, pair.sigma, exact, cost);
    }
    closest[which] = fmax(closest[which], exact / cost);
  }
  for (int i = 0; i < FIT_LOSSES; i++) {
    print_message("# %s: at most %.3f of the curve\n", loss_of((fit_loss)i).name, closest[i]);
    assert_true(closest[i] > (i < FIT_LOG_COSH ? 0.5 : 0.3));
  }
}

/* Lemma C5: what the determinants add on average, whatever holds the solution near the place where
 * the record is curved. */
TEST(determinants_add_no_more_than_their_mean) {
  random_source r;
  double closest[FIT_LOSSES] = {0};
  assert_ok(random_seeded(55, &r, err));
  for (int i = 0; i < 20 * FIT_LOSSES; i++) {
    fit_loss which = (fit_loss)(i % FIT_LOSSES);
    int j = i / FIT_LOSSES;
    const dperm_loss loss = loss_of(which);
    public_numbers g = gaussian_numbers(&r, &loss, 1);
    privacy_plan plan;
    assert_ok(privacy_plan_make(&g, &plan, err));
    const privacy_curve curve = plan_curve(&g, &plan);
    double lambda = (double)g.rows * (plan.lambda + plan.delta_reg), mass = 0;
    bool walled = which != FIT_LOGISTIC && j / 2 % 2;
    const fit_pair pair = {.loss = which,
                           .norm = g.bounds.norm2,
                           .lambda = lambda,
                           .sigma = 1 / plan.noise.beta,
                           .prior = j % 2 ? 1 / g.bounds.norm2 : 0,
                           .wall = walled ? random_scale(&r, 1, 100) * lambda : 0};
    double exact = fit_mean_slack(&pair, &mass);
    assert_close(mass, 1, 1e-4);
    assert_true(exact <= curve.mean * (1 + 1e-6));
    closest[which] = fmax(closest[which], exact / curve.mean);
  }
  for (int i = 0; i < FIT_LOSSES; i++) {
    print_message("# %s: at most %.3f of the mean\n", loss_of((fit_loss)i).name, closest[i]);
  }
  assert_true(closest[FIT_HUBER] > 0.7);
}

TEST(corners_and_slack_are_those_of_the_mechanism) {
  random_source r = seeded(52);
  for (int i = 0; i < 300; i++) {
    const dperm_loss loss = loss_of((fit_loss)(i % FIT_LOSSES));
    public_numbers g = gaussian_numbers(&r, &loss, 1 + (size_t)(random_bits(&r) % 20));
    privacy_plan plan;
    g.mechanism = i / FIT_LOSSES % 3 == 0 ? DPERM_MECHANISM_OUTPUT : DPERM_MECHANISM_OBJECTIVE;
    assert_ok(privacy_plan_make(&g, &plan, err));
    const privacy_curve c = plan_curve(&g, &plan);
    double n = (double)g.rows, norm = g.bounds.norm2, beta = plan.noise.beta, sum = 0;
    double total = n * (plan.lambda + plan.delta_reg);
    for (size_t j = 0; j < c.corner_count; j++) {
      sum += c.corners[j].count * c.corners[j].ratio;
    }
    if (g.mechanism == DPERM_MECHANISM_OUTPUT) { /* one of 2LR/(nΛσ) */
      assert_true(c.corner_count == 1 && c.slack == 0);
      assert_close(c.corners[0].ratio / (2 * norm * beta / (n * plan.lambda)), 1, 1e-9);
    } else { /* of 2LR/σ, LR/σ and LR/σ, or of both signs twice of 2LR/σ and √2LR/σ; of records
              * added and removed of LR/σ alone */
      double most = loss.smoothness * norm * norm / total, signs = loss_both_signs(&loss) ? 2 : 1;
      assert_close(c.slack / log1p(most), 1, 1e-9); /* κc */
      double mean = norm * beta / sqrt(2 * 3.14159265358979324) * (1 + most) / most * log1p(most);
      assert_close(c.mean / fmin(signs * mean, c.slack), 1, 1e-8);
      assert_close(sum / ((signs > 1 ? 4 + 2 * sqrt(2) : 4) * norm * beta), 1, 1e-9);
      assert_close(c.corners[0].ratio / (2 * norm * beta), 1, 1e-9);
    }
    assert_true(curve_is_sound(&c) && curve_covers(&c, &c));
    g.neighbours = DPERM_NEIGHBOURS_ADD_REMOVE;
    assert_ok(privacy_plan_make(&g, &plan, err));
    const privacy_curve one = plan_curve(&g, &plan);
    bool both = g.mechanism == DPERM_MECHANISM_OBJECTIVE && loss_both_signs(&loss);
    assert_true(one.corner_count == 1 && one.corners[0].count == 1 + both);
  }
}

typedef struct release_numbers {
  size_t fits;
  double each, pure;
} release_numbers;

static privacy_curve released(privacy_curve c, const public_numbers *g,
                              const release_numbers *with) {
  c.fits = with->fits;
  c.epsilon_num = (with->each - g->epsilon_core) / 2;
  c.pure = with->pure * with->each;
  c.failure = (double)with->fits * (1 + exp(with->each)) * exp(-100);
  return c;
}

/* C10: whatever rows a plan is for, the curve of the way that it keeps within covers it, and can be
 * that of an entry, also where the pure part is composed with the noise. */
static void check_way(const public_numbers *g, double kappa, double pure) {
  const bool adding = g->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE;
  const release_numbers with = {.fits = 1, .each = g->epsilon_core / 0.998, .pure = pure};
  const composed_terms terms = {.loss = g->loss,
                                .neighbours = g->neighbours,
                                .mechanism = g->mechanism,
                                .epsilon = g->epsilon_core,
                                .delta = g->delta_core};
  composition c = {.counts = {pure * with.each / 10, pure > 0 ? 10 : 0},
                   .ways = {{0}, {.kappa = kappa}}};
  public_numbers any = *g; /* nothing of the rows, or of Λ */
  privacy_plan plan;
  compose_ways(&terms, &c);
  public_numbers own = *g;
  own.way = c.ways[1];
  own.delta_reg = (double)NAN;
  if (c.ways[1].reach == 0 || privacy_plan_make(&own, &plan, NULL) != DPERM_OK) {
    return; /* nothing is left beside the slack */
  }
  any.rows = any.dims = 1;
  any.bounds = row_bounds_of_norm(1, 1);
  const privacy_curve way = released(way_curve(&any, &c.ways[1]), g, &with),
                      curve = released(plan_curve(&own, &plan), g, &with);
  const double delta = way.failure + exp(way.epsilon_num) * g->delta_core;
  assert_true(curve_is_sound(&way) && curve_fits_claim(&way, adding, with.each, delta));
  if (!curve_covers(&way, &curve)) {
    fail_msg("slack %g, ratio %g at epsilon %g, delta %g", curve.slack, curve.corners[0].ratio,
             with.each, delta);
  }
}

/* What C8 asks of an entry holds for every plan: no honest charge loses its curve. */
TEST(every_curve_fits_the_claim_that_its_noise_was_made_for) {
  random_source r = seeded(54);
  const int plans = (int)repetitions(300, 3000);
  for (int i = 0; i < plans; i++) {
    dperm_loss loss = any_loss(&r);
    if (i % 4 == 0) {
      loss = softmax_loss(3 + random_bits(&r) % 60);
    }
    public_numbers g = gaussian_numbers(&r, &loss, 1 + (size_t)(random_bits(&r) % 20));
    bool adding = i % 3 == 0;
    privacy_plan plan;
    g.rows = (size_t)random_scale(&r, 20, 1e7);
    g.lambda = i % 7 < 3 ? random_scale(&r, 1e-6, 1) : g.lambda;
    g.delta_reg = i % 7 == 0 && i % 5 ? 0 : g.delta_reg;
    g.neighbours = adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
    g.mechanism = i % 5 == 0   ? DPERM_MECHANISM_OUTPUT
                  : i % 4 == 0 ? DPERM_MECHANISM_DESCENT
                               : DPERM_MECHANISM_OBJECTIVE;
    g.lambda = g.mechanism == DPERM_MECHANISM_DESCENT ? (double)NAN : g.lambda;
    if (privacy_plan_make(&g, &plan, NULL) != DPERM_OK) {
      continue; /* too few rows for this epsilon */
    }
    const release_numbers with = {
        .fits = 1 + random_bits(&r) % 5, .each = g.epsilon_core / 0.998, .pure = i % 2 ? 0 : 1};
    privacy_curve c = released(plan_curve(&g, &plan), &g, &with);
    double epsilon = c.pure + (double)c.fits * with.each;
    double delta = c.failure + (double)c.fits * exp(c.epsilon_num) * g.delta_core;
    if (!curve_fits_claim(&c, adding, epsilon, delta)) {
      fail_msg("epsilon %g, delta %g, slack %g, ratio %g", epsilon, delta, c.slack,
               c.corners[0].ratio);
    }
    check_way(&g, plan.kappa * random_scale(&r, 0.3, 3), i % 2 ? 0 : 0.3);
    bool far = g.epsilon_core - c.slack > 3 * c.corners[0].ratio; /* else delta is as 1/noise */
    for (size_t j = 0; j < c.corner_count; j++) {                 /* not with twice the noise */
      c.corners[j].ratio /= 2;
    }
    assert_false(far && curve_fits_claim(&c, adding, epsilon, delta));
  }
}

TEST(pure_noise_has_no_curve) {
  random_source r = seeded(53);
  const dperm_loss loss = dperm_loss_logistic();
  public_numbers g = gaussian_numbers(&r, &loss, 3);
  privacy_plan plan;
  g.noise = DPERM_NOISE_L2;
  assert_ok(privacy_plan_make(&g, &plan, err));
  assert_int_equal(plan_curve(&g, &plan).fits, 0);
}

TEST(a_curve_covers_no_other_that_is_longer) {
  const privacy_curve a = {.fits = 1, .slack = 0.1, .corners = {{1, 0.2}}, .corner_count = 1},
                      b = {.fits = 1, .slack = 0.2, .corners = {{1, 0.1}}, .corner_count = 1},
                      other = {.fits = 1, .corners = {{2, 0.1}}, .corner_count = 1};
  const privacy_curve none = {.fits = 0};
  assert_false(curve_covers(&a, &b));
  assert_false(curve_covers(&b, &a));
  assert_false(curve_covers(&a, &other));
  assert_false(curve_covers(&a, &none)); /* pure noise where a curve was paid for */
  assert_true(curve_covers(&none, &a));
}
