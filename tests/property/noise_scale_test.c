/* From public numbers to noise: the formulas once more in long double, for random public numbers of
 * every kind, every loss and rows of any norm. The accounts close (the plan's noise costs at most ε
 * by the price rule), rounding goes towards more noise and by next to nothing, the tight analysis
 * never needs more noise than the paper's, and the extra ridge is the cheapest there is. The
 * automatic Λ has a test of its own. */
#include <math.h>
#include <stdlib.h>

#include "any_numbers.h"
#include "loss/loss.h"
#include "mechanism/epsilon_rule.h"
#include "noise_reference.h"
#include "statistics.h"

static const double norms[] = {0.2, 1.0, 5.0};
static const double none = (double)NAN;

static privacy_plan plan_of(const public_numbers *g) {
  privacy_plan plan;
  assert_ok(privacy_plan_make(g, &plan, err));
  assert_true(plan.noise.dims == g->dims && plan.epsilon == g->epsilon_core);
  assert_true(plan.mechanism == g->mechanism && plan.analysis == g->analysis);
  assert_true(plan.lambda > 0 && plan.delta_reg >= 0 && plan.noise.beta > 0);
  assert_ptr_equal(plan.noise.kind, &noise_l2);
  return plan;
}

/* ---- output perturbation */

TEST(output_noise_is_the_papers_rounded_towards_more) {
  random_source r = seeded(1);
  for (int round = 0; round < 5000; round++) {
    const dperm_loss loss = any_loss(&r);
    public_numbers g = any_numbers(&r, &loss);
    g.mechanism = DPERM_MECHANISM_OUTPUT;
    g.lambda = round % 3 ? random_scale(&r, 1e-8, 10) : none;
    if (round % 7 == 0) { /* to the ends of what is allowed */
      g.lambda = random_scale(&r, 1e-100, 1e100);
      g.bounds.norm2 = random_scale(&r, 1e-80, 1e80);
      g.epsilon = g.epsilon_core = random_scale(&r, 1e-9, 100);
    }
    privacy_plan plan = plan_of(&g);
    long double exact =
        (long double)g.rows * plan.lambda * g.epsilon / 2 / loss.lipschitz / g.bounds.norm2;
    assert_true(plan.noise.beta <= exact);
    assert_true(plan.noise.beta >= exact * (1 - 1e-11L));
    assert_true(plan.delta_reg == 0 && (isnan(g.lambda) || plan.lambda == g.lambda));
  }
}

/* Products that leave the range of full precision would round by more than the margin. */
TEST(output_noise_is_never_too_small_for_absurd_lambda) {
  random_source r = seeded(2);
  const dperm_loss loss = dperm_loss_logistic();
  size_t planned = 0;
  for (int round = 0; round < 5000; round++) {
    public_numbers g = any_numbers(&r, &loss);
    privacy_plan plan;
    g.mechanism = DPERM_MECHANISM_OUTPUT;
    g.neighbours = (dperm_neighbours)(round / 2 % 2);
    g.epsilon = g.epsilon_core = random_scale(&r, 1e-9, 100);
    g.lambda = random_scale(&r, 1e-300, 1e300) * (round % 2 ? 1e-20 : 1);
    g.bounds.norm2 = random_scale(&r, 1e-100, 1e100);
    if (g.lambda > 0 && privacy_plan_make(&g, &plan, NULL) == DPERM_OK) {
      long double moves = g.neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? 1 : 2;
      long double exact = (long double)g.rows * g.lambda * g.epsilon / moves / g.bounds.norm2;
      assert_true(plan.noise.beta <= exact && plan.noise.beta >= exact * (1 - 1e-11L));
      planned++;
    }
  }
  assert_true(planned > 1000);
}

/* ---- objective perturbation: the accounts */

static void check_accounts(const public_numbers *g, const privacy_plan *plan) {
  long double kappa = (long double)g->bounds.norm2 * g->bounds.norm2 /
                      ((long double)g->rows * ((long double)plan->lambda + plan->delta_reg));
  long double a = (long double)plan->noise.beta * g->bounds.norm2;
  assert_true(epsilon_of(g->loss, g->neighbours, (double)kappa, (double)a) <= g->epsilon);
  if (g->analysis == DPERM_ANALYSIS_PAPER) {
    assert_true(2 * a * g->loss->lipschitz + 2 * log1pl(kappa * g->loss->smoothness) <= g->epsilon);
  }
}

TEST(the_plans_noise_costs_at_most_epsilon) {
  random_source r = seeded(3);
  for (int round = 0; round < 400; round++) {
    const dperm_loss loss = any_loss(&r);
    public_numbers g = any_numbers(&r, &loss);
    g.lambda = random_bits(&r) % 4 ? random_scale(&r, 1e-9, 10) : none;
    g.norm_guess = random_bits(&r) % 3 ? none : random_scale(&r, 1e-2, 1e2);
    g.analysis = (dperm_analysis)(random_bits(&r) & 1);
    g.neighbours = g.analysis == DPERM_ANALYSIS_PAPER ? DPERM_NEIGHBOURS_REPLACE
                                                      : (dperm_neighbours)(round % 2);
    g.epsilon = g.epsilon_core = random_scale(&r, 1e-9, 100);
    g.bounds.norm2 = round % 7 ? g.bounds.norm2 : random_scale(&r, 1e-90, 1e90);
    privacy_plan plan = plan_of(&g); /* always possible when Δ is left to choose */
    check_accounts(&g, &plan);
    g.delta_reg = random_scale(&r, 1e-9, 10);
    if (privacy_plan_make(&g, &plan, NULL) == DPERM_OK) {
      assert_true(plan.delta_reg == g.delta_reg);
      check_accounts(&g, &plan);
    }
  }
}

/* At A the price rule and at most 10⁻⁸ more of it would be too dear: nothing is wasted. */
TEST(the_tight_plan_wastes_nothing) {
  random_source r = seeded(4);
  for (int round = 0; round < 300; round++) {
    const dperm_loss loss = any_loss(&r);
    public_numbers g = any_numbers(&r, &loss);
    g.lambda = random_scale(&r, 1e-9, 10);
    g.neighbours = (dperm_neighbours)(round % 2);
    privacy_plan plan = plan_of(&g);
    double kappa =
        g.bounds.norm2 * g.bounds.norm2 / ((double)g.rows * (plan.lambda + plan.delta_reg));
    double more =
        plan.noise.beta * g.bounds.norm2 * (1 + 1e-8) + 1e-10 * g.epsilon / loss.lipschitz;
    assert_true(epsilon_of(&loss, g.neighbours, kappa, more) > g.epsilon);
  }
}

TEST(tight_noise_is_never_larger_than_the_papers) {
  random_source r = seeded(5);
  size_t compared = 0;
  for (int round = 0; round < 10000; round++) {
    const dperm_loss loss = any_loss(&r);
    public_numbers g = any_numbers(&r, &loss);
    privacy_plan tight, paper;
    g.lambda = random_scale(&r, 1e-9, 1e3);
    g.delta_reg = round % 2 ? 0 : random_scale(&r, 1e-9, 10);
    g.analysis = DPERM_ANALYSIS_PAPER;
    if (privacy_plan_make(&g, &paper, NULL) == DPERM_OK) {
      g.analysis = DPERM_ANALYSIS_TIGHT;
      assert_ok(privacy_plan_make(&g, &tight, err));
      assert_true(tight.noise.beta >= paper.noise.beta);
      compared++;
    }
  }
  assert_true(compared > 2000);
}

TEST(paper_analysis_reproduces_the_papers_formulas) {
  random_source r = seeded(6);
  size_t plain = 0, fallen = 0;
  for (int round = 0; round < 5000; round++) {
    const dperm_loss loss = any_loss(&r);
    public_numbers g = any_numbers(&r, &loss);
    g.analysis = DPERM_ANALYSIS_PAPER;
    g.lambda = random_scale(&r, 1e-9, 1);
    privacy_plan plan = plan_of(&g);
    long double curve =
        (long double)loss.smoothness * g.bounds.norm2 * g.bounds.norm2 / (long double)g.rows;
    long double left = g.epsilon - 2 * log1pl(curve / g.lambda), delta = 0;
    if (fabsl(left) < 1e-10L * g.epsilon) {
      continue; /* on the cliff itself */
    }
    if (left <= 0) {
      delta = curve / expm1l(g.epsilon / 4.0L) - g.lambda;
      left = g.epsilon / 2.0L;
      fallen++;
    } else {
      plain++;
    }
    long double beta = left / 2 / loss.lipschitz / g.bounds.norm2;
    assert_close(plan.delta_reg, (double)delta, 1e-10 * (g.lambda + (double)delta));
    assert_close(plan.noise.beta, (double)beta,
                 1e-10 * g.epsilon / (loss.lipschitz * g.bounds.norm2)); /* ε′ is a difference */
    assert_true(plan.noise.beta <= beta * (1 + 1e-11L) && plan.lambda == g.lambda);
  }
  assert_true(plain > 1000 && fallen > 500);
}

/* ---- norms: only cR² and LR matter */

/* Rows R times as long, weights 1/R times and Λ R² times: the same problem in other units. The
 * noise then must be R times as long under the objective, 1/R times on the weights. */
TEST(rescaled_rows_give_the_same_problem) {
  random_source r = seeded(7);
  for (int round = 0; round < 300; round++) {
    const dperm_loss loss = any_loss(&r);
    public_numbers one = any_numbers(&r, &loss), g;
    one.bounds.norm2 = 1;
    one.mechanism = round % 3 ? DPERM_MECHANISM_OBJECTIVE : DPERM_MECHANISM_OUTPUT;
    one.analysis = (dperm_analysis)(random_bits(&r) & 1);
    one.lambda = round % 5 ? random_scale(&r, 1e-8, 1) : none;
    one.norm_guess = round % 4 ? none : random_scale(&r, 0.1, 10);
    g = one;
    g.bounds.norm2 = norms[random_bits(&r) % 3];
    g.lambda *= g.bounds.norm2 * g.bounds.norm2;
    g.norm_guess /= g.bounds.norm2;
    privacy_plan unit = plan_of(&one), plan = plan_of(&g);
    double square = g.bounds.norm2 * g.bounds.norm2;
    /* the cheapest Λ or ridge is flat: known to the root of the rounding in its cost */
    bool searched = isnan(one.lambda) && one.mechanism == DPERM_MECHANISM_OBJECTIVE;
    assert_close(plan.lambda / (square * unit.lambda), 1, searched ? 1e-5 : 1e-12);
    assert_close(plan.lambda + plan.delta_reg, square * (unit.lambda + unit.delta_reg),
                 1e-5 * (plan.lambda + plan.delta_reg));
    bool output = one.mechanism == DPERM_MECHANISM_OUTPUT;
    double factor = output ? g.bounds.norm2 : 1 / g.bounds.norm2;
    assert_close(plan.noise.beta / (factor * unit.noise.beta), 1, 1e-5);
    double excess = excess_objective(&one, &unit, noise_rms_norm(&unit.noise));
    assert_close(excess_objective(&g, &plan, noise_rms_norm(&plan.noise)) / excess, 1, 1e-6);
  }
}

/* ---- the choice of Δ */

/* U at this Δ, with β from a plan that is told Δ; infinite where there is none. */
static double cost_at(const public_numbers *given, double lambda, double delta) {
  public_numbers g = *given;
  privacy_plan plan;
  double value = loss_at_zero(g.loss), n = (double)g.rows, d = (double)g.dims,
         total = lambda + delta;
  g.lambda = lambda;
  g.delta_reg = delta;
  if (privacy_plan_make(&g, &plan, NULL) != DPERM_OK) {
    return (double)INFINITY;
  }
  double bound = isnan(g.norm_guess)
                     ? fmin(g.loss->lipschitz * g.bounds.norm2 / lambda, sqrt(2 * value / lambda))
                     : g.norm_guess;
  double squares = d * (d + 1) / (plan.noise.beta * plan.noise.beta);
  return squares / (2 * n * n * total) + delta * bound * bound / 2;
}

TEST(the_chosen_ridge_is_the_cheapest) {
  random_source r = seeded(8);
  size_t positive = 0, nothing = 0;
  for (int round = 0; round < 60; round++) {
    const dperm_loss loss = any_loss(&r);
    public_numbers g = any_numbers(&r, &loss);
    g.lambda = random_scale(&r, 1e-8, 1);
    g.norm_guess = round % 2 ? none : random_scale(&r, 1e-2, 10);
    privacy_plan plan = plan_of(&g);
    double least =
        g.loss->smoothness * g.bounds.norm2 * g.bounds.norm2 / ((double)g.rows * expm1(g.epsilon));
    double lowest = fmax(g.lambda, 1.01 * least); /* Λ_t is chosen from here on */
    double chosen = cost_at(&g, g.lambda, plan.delta_reg) * (1 - 1e-7);
    assert_true(plan.lambda + plan.delta_reg >= lowest * (1 - 1e-12));
    assert_true(chosen <= cost_at(&g, g.lambda, lowest - g.lambda));
    for (double total = lowest; total < lowest * 1e11; total *= 1.7) {
      assert_true(chosen <= cost_at(&g, g.lambda, total - g.lambda));
    }
    for (double factor = 0.9; factor < 1.1; factor += 0.01) {
      double near = factor * plan.delta_reg;
      if (g.lambda + near >= lowest) {
        assert_true(chosen <= cost_at(&g, g.lambda, near));
      }
    }
    positive += plan.delta_reg > 1e-6 * plan.lambda;
    nothing += plan.delta_reg == 0;
  }
  assert_true(positive > 5 && nothing > 5);
}

/* ---- other kinds of noise */

/* A = β·R_K is the same for every kind, and κ is about R₂ for all. */
TEST(every_kind_costs_the_same) {
  random_source r = seeded(10);
  for (int round = 0; round < 300; round++) {
    const dperm_loss loss = any_loss(&r);
    public_numbers g = shaped_numbers(&r, &loss);
    g.analysis = (dperm_analysis)(round & 1);
    g.lambda = random_scale(&r, 1e-6, 10);
    g.delta_reg = random_scale(&r, 1e-3, 10) * g.bounds.norm2 * g.bounds.norm2;
    privacy_plan plan, l2;
    g.noise = DPERM_NOISE_L2;
    if (privacy_plan_make(&g, &l2, NULL) != DPERM_OK) {
      continue;
    }
    double a = l2.noise.beta * g.bounds.norm2;
    for (dperm_noise kind = DPERM_NOISE_L1; kind <= DPERM_NOISE_MIXED; kind++) {
      g.noise = kind;
      assert_ok(privacy_plan_make(&g, &plan, err));
      assert_ptr_equal(plan.noise.kind, noise_kind_of(kind));
      assert_close(plan.noise.beta * row_bound_of(&g, kind) / a, 1, 1e-12);
      assert_true(plan.lambda == l2.lambda && plan.delta_reg == l2.delta_reg);
    }
  }
}

/* What noise and regularization cost a model of length 10/R, or as long as was guessed. */
static double price(const public_numbers *g, const privacy_plan *plan) {
  double length = isnan(g->norm_guess) ? 10 / g->bounds.norm2 : g->norm_guess;
  double total = plan->lambda + plan->delta_reg, rms = noise_rms_norm(&plan->noise);
  double n = (double)g->rows;
  return rms * rms / (2 * n * n * total) + total * length * length / 2;
}

TEST(auto_takes_the_least_rms_norm) {
  size_t taken[7] = {0};
  random_source r = seeded(11);
  for (int round = 0; round < 500; round++) {
    const dperm_loss loss = any_loss(&r);
    public_numbers g = shaped_numbers(&r, &loss);
    g.bounds.norm2 = random_scale(&r, 0.05, 5);
    g.bounds.norm1 = g.bounds.norm2 * random_scale(&r, 1, 4);
    g.delta_core = round % 4 < 2 ? 0 : random_scale(&r, 1e-12, 1e-2);
    if (round % 2) { /* columns that stand alone: no blocks for mixed noise */
      g.bounds.body = (noise_body){NULL, 0, {10, 1, 0.2}};
    }
    privacy_plan plan;
    assert_ok(privacy_plan_make(&g, &plan, err));
    public_numbers same = g; /* every kind at the plan's Λ and Δ */
    same.lambda = plan.lambda;
    same.delta_reg = plan.delta_reg;
    for (same.noise = DPERM_NOISE_L2; dperm_noise_name(same.noise); same.noise++) {
      privacy_plan other;
      if (privacy_plan_make(&same, &other, NULL) != DPERM_OK) {
        assert_true((same.noise == DPERM_NOISE_MIXED && round % 2) ||
                    (same.noise == DPERM_NOISE_GAUSSIAN && g.delta_core == 0));
        continue;
      }
      if (other.noise.kind->needs_delta == plan.noise.kind->needs_delta) {
        assert_true(noise_rms_norm(&plan.noise) <= noise_rms_norm(&other.noise) * (1 + 1e-8));
      } else { /* each at the Λ and Δ of its own */
        public_numbers own = g;
        own.noise = same.noise;
        assert_ok(privacy_plan_make(&own, &other, err));
        assert_true(price(&g, &plan) <= price(&g, &other) * (1 + 1e-9));
      }
      taken[same.noise] += plan.noise.kind == other.noise.kind;
    }
    g.analysis = DPERM_ANALYSIS_PAPER; /* the paper's noise */
    assert_ok(privacy_plan_make(&g, &plan, err));
    assert_ptr_equal(plan.noise.kind, &noise_l2);
    g.mechanism = DPERM_MECHANISM_OUTPUT;
    assert_ok(privacy_plan_make(&g, &plan, err));
    assert_ptr_equal(plan.noise.kind, &noise_l2);
  }
  assert_true(taken[DPERM_NOISE_GAUSSIAN] > 20);
  assert_true(taken[DPERM_NOISE_L2] > 20 && taken[DPERM_NOISE_L1] > 20);
  assert_true(taken[DPERM_NOISE_GROUP] > 20 && taken[DPERM_NOISE_MIXED] > 20);
  assert_true(taken[DPERM_NOISE_LINF] > 20);
}

/* Bodies for mixed noise: blocks beside columns, of equal and of very different radii, blocks of
 * different widths, and as bins beside a line. */
static const body_run beside[] = {{2, 1, 1}, {2, 3, 0.5}, {1, 2, 1}},
                      widths[] = {{1, 2, 0.7}, {1, 41, 0.7}},
                      lines[] = {{1, 1, 0.5}, {1, 16, 0.05}, {2, 3, 0.5}, {3, 1, 0.5}},
                      far[] = {{3, 5, 1e-6}, {1, 2, 1}, {4, 1, 0.1}}, equal[] = {{4, 5, 0.5}};
static const noise_body mixed_bodies[] = {{beside, 3, {0, 0, 0}},
                                          {widths, 2, {0, 0, 0}},
                                          {lines, 4, {0, 0, 0}},
                                          {far, 3, {0, 0, 0}},
                                          {equal, 1, {0, 0, 0}}};
enum { MIXED_BODIES = sizeof mixed_bodies / sizeof *mixed_bodies };

/* R_K is the longest row there can be, rounded up, whatever R₂ is. */
TEST(mixed_noise_is_for_the_longest_row) {
  random_source r = seeded(16);
  for (int round = 0; round < 1000; round++) {
    const noise_body *body = &mixed_bodies[round % MIXED_BODIES];
    const row_bounds bounds = {.norm2 = random_scale(&r, 1e-3, 10), .norm1 = 1, .body = *body};
    const noise_plan plan = {&noise_mixed, body_dims(body), 1, *body, 1};
    const mixed_reference own = mixed_weights_of(&plan), best = mixed_weights_best(body);
    for (size_t i = 0; i < body_count(body); i++) {
      assert_true(own.weight[i] == best.weight[i] || isnan(own.weight[i] + best.weight[i]));
    }
    assert_true(own.alone == best.alone || isnan(own.alone + best.alone));
    long double longest = mixed_longest_row(&bounds, &own);
    double bound = noise_mixed.row_bound(&bounds, plan.dims);
    assert_true(bound >= longest * (1 - 1e-18L) && bound <= longest * (1 + 1e-13L));
    assert_true(noise_mixed.row_bound(&bounds, plan.dims + 1) == 0);
  }
}

/* Other weights are no better, but for eight bits of them; nor is l1 noise where nothing stands
 * alone. */
TEST(weights_of_mixed_noise_are_the_best) {
  random_source r = seeded(17);
  for (int round = 0; round < 2000; round++) {
    const noise_body *body = &mixed_bodies[round % MIXED_BODIES];
    const row_bounds bounds = {.norm2 = 1, .body = *body};
    const noise_plan plan = {&noise_mixed, body_dims(body), 1, *body, 1};
    mixed_reference own = mixed_weights_of(&plan);
    double least = (double)mixed_longest_row(&bounds, &own) * sqrt(own.mean_square);
    double squares = 0, radii = 0, groups = 0, alone = 0;
    for (size_t i = 0; i < body_count(body); i++) {
      const body_run *run = body_at(body, i);
      own.weight[i] *= random_scale(&r, 0.5, 2);
      groups += (double)run->groups;
      radii += (double)run->groups * run->radius;
      alone += run->width == 1 ? (double)run->groups : 0;
      squares += run->width == 1
                     ? 0
                     : 2 * (double)(run->groups * run->width) / (own.weight[i] * own.weight[i]);
    }
    own.alone *= random_scale(&r, 0.5, 2);
    squares += alone > 0 ? alone * (alone + 1) / (own.alone * own.alone) : 0;
    assert_true((double)mixed_longest_row(&bounds, &own) * sqrt(squares) >= least * (1 - 1e-5));
    double l1 = fmin(sqrt(groups), radii) * sqrt(2 * (double)plan.dims);
    assert_true(alone > 0 || least <= l1 * (1 + 1e-12));
    assert_true(round % MIXED_BODIES != 1 || least < 0.8 * l1); /* 2 and 41 columns */
  }
}

TEST(kinds_without_bounds_are_refused) {
  const dperm_loss loss = dperm_loss_logistic();
  random_source r = seeded(13);
  public_numbers g = any_numbers(&r, &loss);
  privacy_plan plan;
  for (dperm_noise kind = DPERM_NOISE_L1; kind <= DPERM_NOISE_MIXED; kind++) {
    g.noise = kind;
    assert_fails(privacy_plan_make(&g, &plan, err), DPERM_INVALID_ARGUMENT,
                 "nothing is known of the rows");
  }
  g.dims = 10;
  g.bounds.body = (noise_body){NULL, 0, {10, 1, 1}}; /* no blocks */
  assert_fails(privacy_plan_make(&g, &plan, err), DPERM_INVALID_ARGUMENT, "mixed noise");
}
