/* Output perturbation: β = nΛε/(2LR) (privacy.md 3). Objective perturbation: A = β·R from ε(A) and
 * Λ_t = Λ + Δ (privacy.md 4), or the paper's own formulas. Whatever is rounded is rounded towards
 * more noise. */
#include "mechanism/calibrate.h"

#include <math.h>

#include "base/defect.h"
#include "loss/loss.h"
#include "mechanism/epsilon_rule.h"

/* An ε above this protects nobody, and its powers of e are of no use. */
static const double largest_epsilon = 100.0, smallest_epsilon = 1e-9;

/* Beyond this products of public numbers leave the range of full precision, and rounding could take
 * more than `down` allows for. */
static const double largest_lambda = 1e200, smallest_lambda = 1e-200;

/* Rounding towards more noise: far more than the few units that the formulas lose. */
static const double down = 1.0 - 2e-12;

/* `auto` chooses Λ so that the noise's rms norm, as a shift of the solution, is about this long in
 * units of 1/R, in which margins are counted: 20 for objective perturbation (privacy.md 4), shorter
 * for output perturbation, whose noise goes into the weights unshrunk (docs/guide.md has the
 * figures). Rows twice as long then get the same model in halved weights. */
static const double objective_shift = 20.0, output_shift = 3.0;

static dperm_status check_numbers(const public_numbers *g, dperm_error *err) {
  if (!(g->epsilon >= smallest_epsilon && g->epsilon <= largest_epsilon)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "epsilon = %g; choose it between %g and %g (a guarantee beyond that says nothing)",
         g->epsilon, smallest_epsilon, largest_epsilon);
  }
  if (g->mechanism == DPERM_MECHANISM_OUTPUT && !isnan(g->delta_reg)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "delta-reg is for objective perturbation; with output perturbation raise lambda instead");
  }
  if (!isnan(g->delta_reg) && !(g->delta_reg >= 0 && isfinite(g->delta_reg))) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "delta-reg = %g; it must be finite and not negative",
         g->delta_reg);
  }
  if (!isnan(g->norm_guess) && !(g->norm_guess > 0 && isfinite(g->norm_guess))) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "norm-guess = %g; it must be positive and finite",
         g->norm_guess);
  }
  return DPERM_OK;
}

double solution_norm_bound(const public_numbers *g, double lambda) {
  double zero = 0, value = 0;
  g->loss->eval(g->loss, 1, &zero, &value, NULL, NULL);
  return g->pull +
         fmin(g->loss->lipschitz * g->norm / lambda, sqrt(g->pull * g->pull + 2 * value / lambda));
}

/* rms‖b‖₂ of l2 noise with β. */
static double rms_norm(const public_numbers *g, double beta) {
  const noise_plan noise = {"l2", g->dims, beta};
  return noise_rms_norm(&noise);
}

/* ---- output perturbation */

static double output_beta(const public_numbers *g, double lambda) {
  double twice = DEFECT("epsilon-not-halved") ? 1 : 2;
  return down * (double)g->rows * lambda * g->epsilon_core / (twice * g->loss->lipschitz * g->norm);
}

/* ---- objective perturbation */

/* β for Λ_t, or 0 where ε leaves no room for noise at all. */
static double objective_beta(const public_numbers *g, double lambda_total) {
  double kappa = g->norm * g->norm / ((double)g->rows * lambda_total) / down;
  if (DEFECT("norm-not-squared")) {
    kappa /= g->norm;
  } else if (DEFECT("slack-forgotten")) {
    kappa = 0;
  }
  double a = 0;
  if (g->analysis == DPERM_ANALYSIS_PAPER) {
    double left = down * g->epsilon_core - 2 * log1p(kappa * g->loss->smoothness);
    a = left / (2 * g->loss->lipschitz);
  } else {
    a = epsilon_invert(g->loss, kappa, g->epsilon_core);
  }
  if (DEFECT("epsilon-not-halved")) {
    a *= 2;
  }
  return a > 0 ? down * a / g->norm : 0.0;
}

/* The smallest Λ_t that the tight analysis can serve, with a little room (privacy.md 4). */
static double feasible_total(const public_numbers *g) {
  return 1.01 * g->loss->smoothness * g->norm * g->norm /
         ((double)g->rows * expm1(g->epsilon_core));
}

/* U(Λ_t) = E‖b‖²/(2n²Λ_t) + (Λ_t − Λ)F²/2: what noise and extra regularization cost together. */
static double cost(const public_numbers *g, double lambda, double bound, double total) {
  double beta = objective_beta(g, total), n = (double)g->rows;
  if (beta == 0) {
    return INFINITY;
  }
  double rms = rms_norm(g, beta);
  return rms * rms / (2 * n * n * total) + (total - lambda) * bound * bound / 2;
}

/* The cheapest Λ_t ≥ lowest, over twelve powers of ten: a coarse scan, then golden sections around
 * the best place. Any choice is private; this one is only good. */
static double cheapest_total(const public_numbers *g, double lambda, double lowest) {
  enum { STEPS = 120 };
  const double golden = 0.6180339887498949, span = 12.0 / STEPS;
  double bound = isnan(g->norm_guess) ? solution_norm_bound(g, lambda) : g->norm_guess;
  double best = lowest;
  double best_cost = cost(g, lambda, bound, lowest);
  for (int i = 1; i <= STEPS; i++) {
    double total = lowest * pow(10, span * i), price = cost(g, lambda, bound, total);
    if (price < best_cost) {
      best_cost = price;
      best = total;
    }
  }
  double low = fmax(lowest, best * pow(10, -span)), high = best * pow(10, span);
  for (int i = 0; i < 60; i++) {
    double left = high - golden * (high - low), right = low + golden * (high - low);
    if (cost(g, lambda, bound, left) <= cost(g, lambda, bound, right)) {
      high = right;
    } else {
      low = left;
    }
  }
  return cost(g, lambda, bound, low) < best_cost ? low : best;
}

/* The paper's Δ (Algorithm 2): none while ε′ > 0, else the one that makes ε′ = ε/2. */
static double paper_delta(const public_numbers *g, double lambda) {
  if (objective_beta(g, lambda) > 0) {
    return 0;
  }
  double total = g->loss->smoothness * g->norm * g->norm /
                 ((double)g->rows * expm1(g->epsilon_core / 4)) / down;
  return fmax(0, total - lambda);
}

static double choose_delta(const public_numbers *g, double lambda) {
  if (!isnan(g->delta_reg)) {
    return g->delta_reg;
  }
  if (g->analysis == DPERM_ANALYSIS_PAPER) {
    return paper_delta(g, lambda);
  }
  return fmax(0, cheapest_total(g, lambda, fmax(lambda, feasible_total(g))) - lambda);
}

static dperm_status fail_infeasible(const public_numbers *g, double lambda, dperm_error *err) {
  double least =
      g->analysis == DPERM_ANALYSIS_PAPER
          ? g->loss->smoothness * g->norm * g->norm / ((double)g->rows * expm1(g->epsilon_core / 2))
          : feasible_total(g);
  FAIL(err, DPERM_INVALID_ARGUMENT,
       "lambda + delta-reg = %.4g is too small for epsilon = %g with %zu rows; give a delta-reg of "
       "at least %.4g, or leave it out",
       lambda + g->delta_reg, g->epsilon, g->rows, fmax(0, least - lambda) * 1.01);
}

/* ---- both */

/* Λ from public numbers (privacy.md 4): the noise then shifts the solution by about shift/R. */
static double automatic_lambda(const public_numbers *g) {
  double n = (double)g->rows;
  switch (g->mechanism) {
  case DPERM_MECHANISM_OUTPUT: /* rms‖b‖ = shift/R, and β is proportional to Λ */
    return g->norm * rms_norm(g, output_beta(g, 1.0)) / output_shift;
  case DPERM_MECHANISM_OBJECTIVE:
    return fmax(g->norm * rms_norm(g, g->epsilon_core / (2 * g->loss->lipschitz * g->norm)) /
                    (objective_shift * n),
                feasible_total(g));
  case DPERM_MECHANISM_NONE:
    break;
  }
  return 1.0 / n;
}

dperm_status calibrate(const public_numbers *g, privacy_plan *out, dperm_error *err) {
  bool automatic = isnan(g->lambda);
  privacy_plan plan = {.mechanism = g->mechanism,
                       .analysis = g->analysis,
                       .epsilon = g->epsilon_core,
                       .noise = {"l2", g->dims, 0}};
  if (g->mechanism != DPERM_MECHANISM_NONE) {
    TRY(check_numbers(g, err));
  }
  plan.lambda = automatic ? automatic_lambda(g) : g->lambda;
  if (g->mechanism != DPERM_MECHANISM_NONE &&
      !(plan.lambda >= smallest_lambda && plan.lambda <= largest_lambda)) {
    FAIL(err, DPERM_INVALID_ARGUMENT, "lambda = %g; for a private fit choose it between %g and %g",
         plan.lambda, smallest_lambda, largest_lambda);
  }
  if (g->mechanism == DPERM_MECHANISM_OUTPUT) {
    plan.noise.beta = output_beta(g, plan.lambda);
  } else if (g->mechanism == DPERM_MECHANISM_OBJECTIVE) {
    bool tight = g->analysis == DPERM_ANALYSIS_TIGHT;
    plan.delta_reg = automatic && tight && isnan(g->delta_reg) ? 0 : choose_delta(g, plan.lambda);
    plan.noise.beta = objective_beta(g, plan.lambda + plan.delta_reg);
    if (plan.noise.beta == 0) {
      return fail_infeasible(g, plan.lambda, err);
    }
  }
  if (g->mechanism != DPERM_MECHANISM_NONE &&
      !(plan.noise.beta > 0 && isfinite(plan.noise.beta) && noise_rms_norm(&plan.noise) < 1e300)) {
    FAIL(err, DPERM_INVALID_ARGUMENT,
         "epsilon, lambda and the number of rows give noise beyond all numbers; raise one of them");
  }
  *out = plan;
  return DPERM_OK;
}

double excess_objective_quantile(const public_numbers *g, const privacy_plan *plan, double p) {
  double noise = noise_norm_quantile(&plan->noise, p), n = (double)g->rows;
  if (plan->mechanism == DPERM_MECHANISM_OUTPUT) {
    double curvature = g->loss->smoothness * g->norm * g->norm + plan->lambda * (1 + g->stiffness);
    return curvature / 2 * noise * noise;
  }
  double bound = solution_norm_bound(g, plan->lambda);
  return noise * noise / (2 * n * n * (plan->lambda + plan->delta_reg)) +
         plan->delta_reg / 2 * bound * bound;
}
