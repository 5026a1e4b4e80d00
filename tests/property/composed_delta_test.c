/* Pure steps and gaussian noise together (docs/proofs/gaussian.md 7) against mechanisms made at
 * random: questions of several answers that decide whether counts are made, counts of several
 * outcomes, and noise that any of these may choose within the reach of its way. Their δ is summed
 * over all outcomes; it is never above the one that the reach was made for, and with randomized
 * responses and the longest shift it is that. */
#include <math.h>

#include "loss/loss.h"
#include "mechanism/composed_delta.h"
#include "statistics.h"

enum { ANSWERS = 3, COUNTS = 4 };

/* The odds of each outcome for the two neighbours: within e^ε of each other, both add up to 1. */
typedef struct pure_law {
  size_t count;
  double p[ANSWERS], q[ANSWERS];
} pure_law;

static pure_law randomized_response(double epsilon) {
  const double likely = 1 / (1 + exp(-epsilon));
  return (pure_law){2, {likely, 1 - likely}, {1 - likely, likely}};
}

/* A randomized response, seen through a channel. */
static pure_law any_law(random_source *r, double epsilon) {
  const pure_law coin = randomized_response(epsilon);
  pure_law l = {.count = ANSWERS};
  for (int side = 0; side < 2; side++) {
    double weights[ANSWERS], sum = 0;
    for (size_t i = 0; i < ANSWERS; i++) {
      weights[i] = random_scale(r, 1e-3, 1);
      sum += weights[i];
    }
    for (size_t i = 0; i < ANSWERS; i++) {
      l.p[i] += coin.p[side] * weights[i] / sum;
      l.q[i] += coin.q[side] * weights[i] / sum;
    }
  }
  return random_bits(r) % 3 == 0 ? coin : l;
}

static bool is_within(const pure_law *l, double epsilon) {
  double p = 0, q = 0;
  bool within = true;
  for (size_t i = 0; i < l->count; i++) {
    p += l->p[i];
    q += l->q[i];
    within = within && fabs(log(l->p[i] / l->q[i])) <= epsilon + 1e-12;
  }
  return within && fabs(p - 1) < 1e-12 && fabs(q - 1) < 1e-12;
}

typedef struct tree {
  random_source *random;
  const composition *c;
  double moved; /* by how much one record moves the noise, for a reach of 1 */
  bool worst;   /* randomized responses, and the longest shift on the way that is asked for */
  bool counted;
} tree;

static pure_law step(tree *t, double epsilon) {
  const pure_law l = t->worst ? randomized_response(epsilon) : any_law(t->random, epsilon);
  assert_true(is_within(&l, epsilon));
  return l;
}

/* E_P max(0, 1 − e^ε Q/P) from here on. */
static double end(tree *t, double epsilon, bool counted) {
  const double most = t->c->ways[counted].reach * t->moved;
  return delta_gaussian(epsilon, t->worst ? most : most * sqrt(random_unit(t->random)));
}

static double after_counts(tree *t, double epsilon, size_t left) {
  double sum = 0;
  if (left == 0) {
    return end(t, epsilon, true);
  }
  const pure_law l = step(t, t->c->counts.epsilon);
  for (size_t i = 0; i < l.count; i++) {
    sum += l.p[i] * after_counts(t, epsilon - log(l.p[i] / l.q[i]), left - 1);
  }
  return sum;
}

static double after_picks(tree *t, double epsilon, size_t left) {
  double sum = 0;
  if (left == 0) {
    return after_counts(t, epsilon, t->c->counts.count);
  }
  const pure_law l = step(t, t->c->picks.epsilon);
  for (size_t i = 0; i < l.count; i++) {
    sum += l.p[i] * after_picks(t, epsilon - log(l.p[i] / l.q[i]), left - 1);
  }
  return sum;
}

static double after_questions(tree *t, double epsilon, size_t asked) {
  double sum = 0;
  if (asked == QUESTIONS_MOST) {
    bool counted = t->worst ? t->counted : random_bits(t->random) % 2 == 0;
    return counted ? after_picks(t, epsilon, t->c->picks.count) : end(t, epsilon, false);
  }
  const pure_law l = step(t, t->c->questions[asked].epsilon);
  for (size_t i = 0; i < l.count; i++) {
    sum += l.p[i] * after_questions(t, epsilon - log(l.p[i] / l.q[i]), asked + 1);
  }
  return sum;
}

static composition any_composition(random_source *r, const composed_terms *terms) {
  const double e = terms->epsilon;
  composition c = {.questions = {{0.1 * e * random_unit(r), 1}, {0.15 * e * random_unit(r), 1}},
                   .picks = {0.05 * e * random_unit(r), random_bits(r) % 2},
                   .counts = {0, random_bits(r) % (COUNTS + 1)},
                   .ways = {{.kappa = 1e-3 * e}, {.kappa = 1e-3 * e}}};
  c.counts.epsilon = c.counts.count ? 0.3 * e * random_unit(r) / (double)c.counts.count : 0;
  compose_ways(terms, &c);
  return c;
}

static composed_terms any_terms(random_source *r, const dperm_loss *loss) {
  return (composed_terms){.loss = loss,
                          .neighbours = random_bits(r) % 2 ? DPERM_NEIGHBOURS_REPLACE
                                                           : DPERM_NEIGHBOURS_ADD_REMOVE,
                          .mechanism = DPERM_MECHANISM_OUTPUT,
                          .epsilon = random_scale(r, 0.05, 5),
                          .delta = random_scale(r, 1e-9, 1e-2)};
}

TEST(no_mechanism_of_such_steps_costs_more_than_delta) {
  random_source r = seeded(61);
  const dperm_loss loss = dperm_loss_logistic();
  for (size_t i = 0; i < repetitions(2000, 100000); i++) {
    const composed_terms terms = any_terms(&r, &loss);
    const composition c = any_composition(&r, &terms);
    tree t = {.random = &r, .c = &c, .moved = terms.neighbours == DPERM_NEIGHBOURS_REPLACE ? 2 : 1};
    const double delta = after_questions(&t, terms.epsilon, 0);
    if (!(c.ways[0].reach > 0 && c.ways[1].reach > 0 && delta <= terms.delta)) {
      fail_msg("epsilon %g, delta %g: %g", terms.epsilon, terms.delta, delta);
    }
  }
}

/* The dearer of both ways; neither where the answers decide well for the attacker. */
TEST(the_worst_of_them_costs_nearly_all_of_it) {
  random_source r = seeded(62);
  const dperm_loss loss = dperm_loss_logistic();
  for (int i = 0; i < 200; i++) {
    const composed_terms terms = any_terms(&r, &loss);
    const composition c = any_composition(&r, &terms);
    double most = 0;
    for (int counted = 0; counted < 2; counted++) {
      tree t = {.c = &c,
                .moved = terms.neighbours == DPERM_NEIGHBOURS_REPLACE ? 2 : 1,
                .worst = true,
                .counted = counted};
      most = fmax(most, after_questions(&t, terms.epsilon, 0));
    }
    assert_true(most <= terms.delta);
    if (!(most >= 0.9 * terms.delta)) {
      fail_msg("epsilon %g, delta %g: %g", terms.epsilon, terms.delta, most);
    }
  }
}

/* Steps cost something, and far less than their epsilons would if they were taken off. */
TEST(steps_cost_less_than_their_sum) {
  dperm_loss loss;
  assert_ok(dperm_loss_huber(0.5, &loss, err));
  const composed_terms terms = {
      .loss = &loss, .neighbours = DPERM_NEIGHBOURS_REPLACE, .epsilon = 1, .delta = 1e-6};
  composition c = {.questions = {{0.005, 1}, {0.03, 1}},
                   .counts = {0.15 / 20, 20},
                   .ways = {{.kappa = 0.05}, {.kappa = 0.05}}};
  compose_ways(&terms, &c);
  const double whole = delta_invert_objective(&loss, DPERM_NEIGHBOURS_REPLACE, 0.05, 1, 1e-6);
  const double rest = delta_invert_objective(&loss, DPERM_NEIGHBOURS_REPLACE, 0.05, 0.815, 1e-6);
  assert_true(c.ways[1].reach < 0.99 * whole && c.ways[1].reach > 0.97 * whole);
  assert_true(rest < 0.85 * whole && c.ways[0].reach > c.ways[1].reach);
}

/* The tangents of a loss are chosen for what the steps leave: little is lost to small ones. */
TEST(small_steps_cost_little_where_slack_is_large) {
  const dperm_loss loss = dperm_loss_logistic();
  for (int adding = 0; adding < 2; adding++) {
    const dperm_neighbours kind = adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
    const composed_terms terms = {.loss = &loss, .neighbours = kind, .epsilon = 1, .delta = 1e-6};
    composition c = {.questions = {{0.005, 1}}, .ways = {{.kappa = 1.3}}};
    compose_ways(&terms, &c);
    const double whole = delta_invert_objective(&loss, kind, 1.3, 1, 1e-6);
    assert_true(c.ways[0].reach < whole && c.ways[0].reach > 0.98 * whole);
  }
}

/* Where a slack is more than the steps can leave of ε nothing is proved. */
TEST(a_slack_above_what_the_steps_leave_has_no_reach) {
  dperm_loss loss;
  assert_ok(dperm_loss_huber(0.5, &loss, err));
  const composed_terms terms = {
      .loss = &loss, .neighbours = DPERM_NEIGHBOURS_ADD_REMOVE, .epsilon = 1, .delta = 1e-6};
  composition c = {.questions = {{0.2, 1}, {0.2, 1}}, .ways = {{.kappa = expm1(0.62)}, {0}}};
  compose_ways(&terms, &c);
  assert_true(c.ways[0].reach == 0);
  c.ways[0].kappa = expm1(0.58);
  compose_ways(&terms, &c);
  assert_true(c.ways[0].reach > 0);
}
