/* --lambda auto: for objective perturbation the Λ at which noise and regularization together cost
 * the least, by a search of its own here; for output perturbation noise of a set length. Public
 * numbers of every kind, every loss, every kind of noise. */
#include <math.h>
#include <stdlib.h>

#include "any_numbers.h"
#include "loss/loss.h"
#include "statistics.h"

static const double none = (double)NAN;

static privacy_plan plan_of(const public_numbers *g) {
  privacy_plan plan;
  assert_ok(privacy_plan_make(g, &plan, err));
  assert_ptr_equal(plan.noise.kind, &noise_l2);
  return plan;
}

/* F: the guess, or for noise of ν in a mean gradient, in units of R, 10·√(0.06/ν), from 0.3 to
 * 40 and less above ν = 1/4, or 5·(0.05/ν)^0.75 for numbers around zero. */
static double length_for(const public_numbers *g, double noise) {
  double nu = noise / g->bounds.norm2, away = 10 * sqrt(0.06 / nu);
  away *= nu > 0.25 ? exp(4 * log(0.25 / nu)) : 1;
  double around = 5 * exp(0.75 * log(0.05 / nu));
  double length = exp((1 - g->bounds.centred) * log(away) + g->bounds.centred * log(around));
  return isnan(g->norm_guess) ? fmin(fmax(length, 0.3), 40) / g->bounds.norm2 : g->norm_guess;
}

/* E‖b‖²/(2n²Λ) + ΛF²/2 at this Λ; infinite where there is no noise for it. */
static double automatic_cost(const public_numbers *given, double norm, double lambda) {
  public_numbers g = *given;
  privacy_plan plan;
  double n = (double)g.rows;
  g.lambda = lambda;
  g.delta_reg = 0;
  if (privacy_plan_make(&g, &plan, NULL) != DPERM_OK) {
    return (double)INFINITY;
  }
  double rms = noise_rms_norm(&plan.noise);
  return rms * rms / (2 * n * n * lambda) + lambda * norm * norm / 2;
}

/* The automatic Λ is feasible, costs no more than others near and far, and is what the noise alone
 * would have it to be, or more: rms‖b‖/(nF) for the noise that ε would need without slack. The
 * ratio of the two. */
static double check_automatic(const public_numbers *g, const privacy_plan *plan, double row_bound) {
  double n = (double)g->rows, square = g->bounds.norm2 * g->bounds.norm2;
  noise_plan free = plan->noise;
  free.beta = g->epsilon / (2 * g->loss->lipschitz * row_bound);
  double norm = length_for(g, noise_rms_norm(&free) / n);
  double chosen = automatic_cost(g, norm, plan->lambda) * (1 - 1e-7);
  double simple = noise_rms_norm(&free) / (n * norm);
  assert_true(plan->delta_reg == 0 && isfinite(chosen));
  assert_true(plan->lambda >= g->loss->smoothness * square / (n * expm1(g->epsilon)));
  assert_true(plan->lambda >= simple * (1 - 1e-11));
  for (double factor = 1.01; factor < 1e6; factor *= factor < 1.2 ? 1.02 : 1.9) {
    assert_true(chosen <= automatic_cost(g, norm, plan->lambda * factor));
    assert_true(chosen <= automatic_cost(g, norm, plan->lambda / factor));
  }
  return plan->lambda / simple;
}

/* Of numeric labels without a guess another rule holds: twice the least Λ that there is noise for,
 * and at least half of cR²/(nε). */
static bool is_for_numbers(const public_numbers *g, const privacy_plan *plan) {
  const double square = g->loss->smoothness * g->bounds.norm2 * g->bounds.norm2 / (double)g->rows,
               twice = 2 * 1.01 * square / expm1(g->epsilon_core),
               half = 0.5 * square / fmin(g->epsilon_core, 1.25);
  if (!loss_of_numbers(g->loss) || !isnan(g->norm_guess)) {
    return false;
  }
  assert_close(plan->lambda / fmax(twice, half), 1, 1e-9);
  return true;
}

TEST(automatic_lambda_is_the_cheapest) {
  random_source r = seeded(9);
  size_t plain = 0, raised = 0, numbers = 0;
  for (int round = 0; round < 200; round++) {
    const dperm_loss loss = any_loss(&r);
    public_numbers g = any_numbers(&r, &loss);
    g.epsilon = g.epsilon_core = round % 3 ? g.epsilon : random_scale(&r, 20, 100);
    g.dims = round % 2 ? g.dims : (size_t)random_scale(&r, 100, 1e6);
    g.norm_guess = round % 4 ? none : random_scale(&r, 1e-3, 1e3);
    g.bounds.centred = round % 7 < 4 ? round % 7 / 3.0 : 0;
    g.analysis = round % 5 ? DPERM_ANALYSIS_TIGHT : DPERM_ANALYSIS_PAPER;
    privacy_plan plan = plan_of(&g);
    if (is_for_numbers(&g, &plan)) {
      numbers++;
      continue;
    }
    double ratio = check_automatic(&g, &plan, g.bounds.norm2);
    double kappa = g.bounds.norm2 * g.bounds.norm2 / ((double)g.rows * plan.lambda);
    double slack = log1p(kappa * loss.smoothness) * (g.analysis == DPERM_ANALYSIS_PAPER ? 2 : 1);
    if (slack < 0.01 * g.epsilon) { /* no share worth speaking of: Λ is off by twice it at most */
      assert_close(ratio, 1, 0.025);
      plain++;
    }
    raised += ratio > 1.1;
  }
  assert_true(plain > 30 && raised > 10 && numbers > 30);
}

TEST(automatic_lambda_follows_the_noise) {
  random_source r = seeded(15);
  for (int round = 0; round < 3000; round++) {
    const dperm_loss loss = any_loss(&r);
    public_numbers g = any_numbers(&r, &loss);
    double n = (double)g.rows, d = (double)g.dims, shift = g.bounds.norm2 * sqrt(d * (d + 1));
    double reach = 2 * loss.lipschitz * g.bounds.norm2 / g.epsilon;
    g.mechanism = DPERM_MECHANISM_OUTPUT;
    privacy_plan plan = plan_of(&g);
    assert_close(plan.lambda / (shift * reach / (3 * n)), 1, 1e-11);
    assert_close(noise_rms_norm(&plan.noise) * g.bounds.norm2, 3, 1e-9); /* that is its meaning */
    g.mechanism = DPERM_MECHANISM_NONE;
    assert_ok(privacy_plan_make(&g, &plan, err));
    assert_true(plan.lambda == 1 / n && plan.delta_reg == 0);
  }
}

TEST(automatic_lambda_follows_the_kind) {
  random_source r = seeded(12);
  for (int round = 0; round < 50; round++) {
    const dperm_loss loss = any_loss(&r);
    public_numbers g = shaped_numbers(&r, &loss);
    g.noise = (dperm_noise)(1 + round % 5);
    privacy_plan plan;
    assert_ok(privacy_plan_make(&g, &plan, err));
    if (!is_for_numbers(&g, &plan)) {
      (void)check_automatic(&g, &plan, row_bound_of(&g, g.noise));
    }
  }
}
