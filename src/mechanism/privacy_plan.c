/* Output perturbation: β = nΛε/(2LR), or nΛε/(LR) where records are added or removed and n is a
 * public figure near their number (privacy.md 3; docs/proofs/neighbours.md). Objective
 * perturbation: A = β·R_K from ε(A) and Λ_t = Λ + Δ (privacy.md 4), or the paper's own formulas;
 * R_K bounds the rows in the norm of the noise, κ is always about R₂. Of gaussian noise A comes
 * from δ(ε) instead (docs/proofs/gaussian.md). All rounding is towards more noise. */
#include "mechanism/privacy_plan.h"

#include <math.h>

#include "base/defect.h"
#include "base/functions.h"
#include "loss/link.h"
#include "mechanism/delta_rule.h"
#include "mechanism/epsilon_rule.h"

/* An ε above this protects nobody, and its powers of e are of no use. */
static const double largest_epsilon = 100.0, smallest_epsilon = 1e-9;
/* What is named as the largest: up to it no claim is refused for its delta (guarantee_check). */
static const double certified_epsilon = 30.9;

/* Beyond this products of public numbers could lose more by rounding than `down` allows for. */
static const double largest_lambda = 1e200, smallest_lambda = 1e-200;

/* Rounding towards more noise: far more than the few units that the formulas lose. */
static const double down = 1.0 - 2e-12;

/* `auto` for objective perturbation makes noise and regularization cost the same for a solution of
 * a typical length F, in units of 1/R, in which margins are counted; rows twice as long then get
 * the same model in halved weights. The less noise there is the longer a solution pays: with ν the
 * noise in a mean gradient, rms‖b‖/n in units of R, F = 10·√(0.06/ν), up to 40. Above ν = 1/4 there
 * is hardly anything to learn, and F falls as ν^−4.5. Where numbers lie around zero short weights
 * have the right direction already, F = 5·(0.05/ν)^0.75, while one-hot rows need long ones to see
 * more than the larger class; a schema with both has what lies between. For output perturbation
 * `auto` makes the noise this long in the same units: it goes into the weights unshrunk.
 * docs/reproduction.md has the figures behind all of them. */
static const double typical_norm = 10.0, typical_noise = 0.06, most_noise = 0.25;
static const double centred_norm = 5.0, centred_noise = 0.05;
/* Where labels are numbers, weights are short: noise and shrinkage cost least at twice the least Λ
 * that there is noise for, whatever the records, their number and ε are. That falls as e^−ε; half
 * of cR²/(nε), with ε at most 1.25, keeps columns that add up to a constant from drifting apart. */
static const double numbers_slack = 2, numbers_least = 0.5, numbers_sure = 1.25;
/* Intervals know what the ridge does, but not how curved the objective is elsewhere: κ = ε, and of
 * log-cosh this times hε (docs/proofs/intervals.md). */
static const double intervals_kappa = 0.375;
static const double shortest_norm = 0.3, longest_norm = 40.0, output_shift = 3.0;

static dperm_status check_numbers(const public_numbers *g, dperm_error *err) {
  FAIL_IF(isnan(g->epsilon), err, DPERM_INVALID_ARGUMENT,
          "epsilon is missing: it has no default, the choice is yours");
  FAIL_IF(!(g->epsilon >= smallest_epsilon && g->epsilon <= largest_epsilon), err,
          DPERM_INVALID_ARGUMENT, "epsilon = %g; choose it between %g and %g%s", g->epsilon,
          smallest_epsilon, certified_epsilon,
          g->epsilon > largest_epsilon
              ? " (a guarantee beyond that says nothing)"
              : " for each fit: as many times that where rows of a person or classes divide it");
  FAIL_IF(g->mechanism == DPERM_MECHANISM_OUTPUT && !isnan(g->delta_reg), err,
          DPERM_INVALID_ARGUMENT,
          "delta-reg is for objective perturbation; with output perturbation raise lambda instead");
  FAIL_IF(g->mechanism == DPERM_MECHANISM_DESCENT && link_scores(g->loss) == 1, err,
          DPERM_INVALID_ARGUMENT,
          "descent is for three classes or more that are learned jointly; choose objective");
  FAIL_IF(g->neighbours != DPERM_NEIGHBOURS_REPLACE && g->analysis == DPERM_ANALYSIS_PAPER &&
              g->mechanism == DPERM_MECHANISM_OBJECTIVE,
          err, DPERM_INVALID_ARGUMENT,
          "the paper's analysis is about replaced records; with neighbours add-remove choose the "
          "analysis tight");
  FAIL_IF(!isnan(g->delta_reg) && !(g->delta_reg >= 0 && isfinite(g->delta_reg)), err,
          DPERM_INVALID_ARGUMENT, "delta-reg = %g; it must be finite and not negative",
          g->delta_reg);
  FAIL_IF(!isnan(g->norm_guess) && !(g->norm_guess > 0 && isfinite(g->norm_guess)), err,
          DPERM_INVALID_ARGUMENT, "norm-guess = %g; it must be positive and finite", g->norm_guess);
  return DPERM_OK;
}

/* The length of a solution that a planner reckons with: the user's guess, or 10/R₂. */
static double typical_length(const public_numbers *g) {
  return isnan(g->norm_guess) ? typical_norm / g->bounds.norm2 : g->norm_guess;
}

double solution_norm_bound(const public_numbers *g, double lambda) {
  double value = loss_at_zero(g->loss);
  return g->pull + fmin(g->loss->lipschitz * g->bounds.norm2 / lambda,
                        sqrt(g->pull * g->pull + 2 * value / lambda));
}

/* ---- the kind of noise. From here on g->noise is a kind and not `auto`. */

/* Output perturbation knows no body of the minimizers: its noise is a ball's. With softmax,
 * objective perturbation draws a vector for each class, and the others one for all weights, of
 * which only the l2 sensitivity is known, or counts. */
static noise_plan noise_with(const public_numbers *g, double beta) {
  bool whole = g->mechanism != DPERM_MECHANISM_OBJECTIVE;
  size_t scores = link_scores(g->loss);
  const noise_body ball = row_bounds_of_norm(scores * g->dims, g->bounds.norm2).body;
  return (noise_plan){noise_kind_of(g->noise), whole ? scores * g->dims : g->dims, beta,
                      whole ? ball : g->bounds.body, whole ? 1 : scores};
}

/* rms‖b‖₂ with β. */
static double rms_norm(const public_numbers *g, double beta) {
  const noise_plan noise = noise_with(g, beta);
  return g->rms > 0 ? g->rms / beta : noise_rms_norm(&noise);
}

/* R_K, or 0 where nothing is known. */
static double row_bound(const public_numbers *g) {
  return g->bound > 0 ? g->bound : noise_kind_of(g->noise)->row_bound(&g->bounds, g->dims);
}

/* For the minimizer itself only the l2 sensitivity is known (privacy.md 5). */
static dperm_status check_kind(const public_numbers *g, dperm_error *err) {
  const noise_kind *kind = noise_kind_of(g->noise);
  FAIL_IF(!kind, err, DPERM_INVALID_ARGUMENT, "noise number %d is none of the kinds",
          (int)g->noise);
  FAIL_IF(kind->needs_delta && !(g->delta_core > 0), err, DPERM_INVALID_ARGUMENT,
          "%s noise has no pure epsilon, and no delta is left for it beside rounding; give a "
          "larger delta, or another noise",
          kind->name);
  FAIL_IF(g->mechanism == DPERM_MECHANISM_OUTPUT && !kind->output, err, DPERM_INVALID_ARGUMENT,
          "%s noise is for objective perturbation; output perturbation has l2 noise, or gaussian "
          "with a delta",
          kind->name);
  FAIL_IF(g->mechanism == DPERM_MECHANISM_OBJECTIVE && kind->needs_delta &&
              link_scores(g->loss) > 1,
          err, DPERM_INVALID_ARGUMENT,
          "with gaussian noise classes are learned jointly by descent, which has no delta-reg and "
          "no regularizer of its own; leave them out, or choose another noise");
  FAIL_IF(!(row_bound(g) > 0 && isfinite(row_bound(g))), err, DPERM_INVALID_ARGUMENT,
          "nothing is known of the rows that %s noise could be fitted to; choose l2", kind->name);
  return DPERM_OK;
}

/* The pure kind with the least rms‖b‖₂, the first among equals: all cost the same A = β·R_K, so any
 * A compares them. Only objective perturbation by the tight analysis is free to choose. */
static dperm_noise least_noise(const public_numbers *given) {
  public_numbers g = *given;
  dperm_noise best = DPERM_NOISE_L2;
  double least = INFINITY;
  bool free_choice = g.mechanism == DPERM_MECHANISM_OBJECTIVE && g.analysis == DPERM_ANALYSIS_TIGHT;
  for (size_t i = 0; free_choice && noise_at(i); i++) {
    g.noise = noise_at(i)->number;
    double row = noise_at(i)->needs_delta ? 0 : row_bound(&g);
    double rms = row > 0 ? rms_norm(&g, 1 / row) : INFINITY;
    if (rms < least * (1 - 1e-9)) {
      least = rms;
      best = g.noise;
    }
  }
  return best;
}

/* A defect takes what one gradient costs where two move. */
static dperm_neighbours neighbours_of(const public_numbers *g) {
  return DEFECT("neighbours-add") ? DPERM_NEIGHBOURS_ADD_REMOVE : g->neighbours;
}

/* How many records count together as one. */
static size_t person_rows_of(const public_numbers *g) {
  return g->person_rows > 1 && !DEFECT("persons-single") ? g->person_rows : 1;
}

/* By how many gradients neighbours differ. */
static double gradients_of(const public_numbers *g) {
  return neighbours_gradients(neighbours_of(g));
}

/* ---- output perturbation */

/* The classical formula, σ = √(2 log(1.25/δ))·sensitivity/ε: valid for no ε above 1. */
static double classical_a(const public_numbers *g) {
  return g->epsilon_core /
         (gradients_of(g) * g->loss->lipschitz * sqrt(2 * math_log(1.25 / g->delta_core)));
}

static double output_beta(const public_numbers *g, double lambda) {
  double twice = DEFECT("epsilon-not-halved") ? 1 : gradients_of(g);
  if (noise_kind_of(g->noise)->needs_delta) { /* A = βR/(nΛ) */
    const delta_corners corners = delta_corners_shift(g->loss->lipschitz, neighbours_of(g));
    double a = g->way.reach > 0            ? g->way.reach
               : DEFECT("classical-sigma") ? classical_a(g)
                                           : delta_invert(&corners, g->epsilon_core, g->delta_core);
    return down * a * (gradients_of(g) / twice) * (double)g->rows * lambda / g->bounds.norm2;
  }
  return down * (double)g->rows * lambda * g->epsilon_core /
         (twice * g->loss->lipschitz * g->bounds.norm2);
}

/* ---- noisy descent, A = βR */

static double descent_beta(const public_numbers *g) {
  const delta_corners corners = delta_corners_shift(descent_clip, neighbours_of(g));
  double a =
      g->way.reach > 0 ? g->way.reach : delta_invert(&corners, g->epsilon_core, g->delta_core);
  return down * a / g->bounds.norm2;
}

/* ---- objective perturbation */

/* A = β·R_K for κ by the tight analysis: of ε(A), or of δ(ε) for noise that spends one. */
static double tight_a(const public_numbers *g, double kappa) {
  if (!noise_kind_of(g->noise)->needs_delta) {
    return epsilon_invert_persons(g->loss, neighbours_of(g), person_rows_of(g), kappa,
                                  g->epsilon_core);
  }
  if (g->way.reach > 0) {
    return kappa <= g->way.kappa ? g->way.reach : 0;
  }
  return delta_invert_objective(g->loss, neighbours_of(g), kappa, g->epsilon_core, g->delta_core);
}

/* β for Λ_t, or 0 where ε leaves nothing for noise. κ is the Jacobian's, about R₂ for any noise. */
static double objective_beta(const public_numbers *g, double lambda_total) {
  double norm = g->bounds.norm2, kappa = norm * norm / ((double)g->rows * lambda_total) / down;
  kappa *= DEFECT("norm-not-squared") ? 1 / norm : DEFECT("slack-forgotten") ? 0 : 1;
  double a = 0;
  if (g->analysis == DPERM_ANALYSIS_PAPER) {
    double left = down * g->epsilon_core - 2 * math_log1p(kappa * g->loss->smoothness);
    a = left / (2 * g->loss->lipschitz);
  } else {
    a = tight_a(g, kappa);
  }
  a *= DEFECT("epsilon-not-halved") ? 2 : 1;
  return a > 0 ? down * a / row_bound(g) : 0.0;
}

/* ---- Λ_t of objective perturbation */

/* The smallest Λ_t that the tight analysis can serve, with a little slack (privacy.md 4). */
static double feasible_total(const public_numbers *g) {
  if (g->way.reach > 0 && noise_kind_of(g->noise)->needs_delta) {
    return g->bounds.norm2 * g->bounds.norm2 / ((double)g->rows * g->way.kappa) * (1 + 1e-9);
  }
  return 1.01 * g->loss->smoothness * g->bounds.norm2 * g->bounds.norm2 /
         ((double)g->rows *
          epsilon_most_kappa_persons(g->loss, person_rows_of(g), g->epsilon_core));
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
static double cheapest_total(const public_numbers *g, double lambda, double lowest, double bound) {
  enum { STEPS = 30, SECTIONS = 40 };
  const double golden = 0.6180339887498949, span = 12.0 / STEPS;
  double best = lowest;
  double best_cost = cost(g, lambda, bound, lowest);
  for (int i = 1; i <= STEPS; i++) {
    double total = lowest * math_pow(10, span * i), price = cost(g, lambda, bound, total);
    if (price < best_cost) {
      best_cost = price;
      best = total;
    }
  }
  /* in logarithms: the ends are six times apart */
  double low = math_log(fmax(lowest, best * math_pow(10, -span))),
         high = math_log(best * math_pow(10, span));
  double at[2] = {high - golden * (high - low), low + golden * (high - low)}, price[2];
  price[0] = cost(g, lambda, bound, math_exp(at[0]));
  price[1] = cost(g, lambda, bound, math_exp(at[1]));
  for (int i = 0; i < SECTIONS; i++) {
    const int lower = price[0] <= price[1]; /* the cheaper place stays, as the other one */
    *(lower ? &high : &low) = at[lower];
    at[lower] = at[!lower];
    price[lower] = price[!lower];
    at[!lower] = lower ? high - golden * (high - low) : low + golden * (high - low);
    price[!lower] = cost(g, lambda, bound, math_exp(at[!lower]));
  }
  const double found = fmax(lowest, math_exp(at[price[1] < price[0]]));
  return cost(g, lambda, bound, found) < best_cost ? found : best;
}

/* The Λ_t at which 2 log(1 + κc), which the paper takes off ε, is twice this. */
static double paper_total(const public_numbers *g, double logarithm) {
  return g->loss->smoothness * g->bounds.norm2 * g->bounds.norm2 /
         ((double)g->rows * math_expm1(logarithm));
}

static double choose_delta(const public_numbers *g, double lambda) {
  if (!isnan(g->delta_reg)) {
    return g->delta_reg;
  }
  if (g->analysis == DPERM_ANALYSIS_PAPER) { /* none while ε′ > 0, else ε′ = ε/2 (Algorithm 2) */
    bool enough = objective_beta(g, lambda) > 0;
    return enough ? 0 : fmax(0, paper_total(g, g->epsilon_core / 4) / down - lambda);
  }
  if (isnan(g->lambda)) { /* an automatic Λ needs no more */
    return 0;
  }
  double bound = isnan(g->norm_guess) ? solution_norm_bound(g, lambda) : g->norm_guess;
  return fmax(0, cheapest_total(g, lambda, fmax(lambda, feasible_total(g)), bound) - lambda);
}

static dperm_status fail_infeasible(const public_numbers *g, double lambda, dperm_error *err) {
  double least =
      g->analysis == DPERM_ANALYSIS_PAPER ? paper_total(g, g->epsilon_core / 2) : feasible_total(g);
  FAIL(err, DPERM_INVALID_ARGUMENT,
       "lambda + delta-reg = %.4g is too small for epsilon = %g with %zu rows; give a delta-reg of "
       "at least %.4g, or leave it out",
       lambda + g->delta_reg, g->epsilon, g->rows, fmax(0, least - lambda) * 1.01);
}

/* ---- both */

/* F for this much noise in a mean gradient. */
static double paying_length(const public_numbers *g, double noise) {
  double nu = noise / g->bounds.norm2;
  double length = typical_norm * sqrt(typical_noise / nu) * fmin(1, math_pow(most_noise / nu, 4));
  double centred = centred_norm * math_pow(centred_noise / nu, 0.75), share = g->bounds.centred;
  length = math_pow(length, 1 - share) * math_pow(centred, share);
  return fmin(fmax(length, shortest_norm), longest_norm) / g->bounds.norm2;
}

/* The least of U(Λ_t) with Λ = 0, that is E‖b‖²/(2n²Λ_t) + Λ_t F²/2 for a solution of a typical
 * length F (or the user's guess). Were β to be had without the Jacobian's share of ε, that would be
 * at rms‖b‖/(nF); as β only grows with Λ_t, U falls up to there, and the search begins there. */
static double objective_lambda(const public_numbers *g) {
  const double norm_each = g->bounds.norm2 * g->bounds.norm2 / (double)g->rows;
  if (g->intervals && isnan(g->norm_guess)) {
    const double kappa = loss_is_residual(g->loss) ? intervals_kappa * g->loss->parameter : 1;
    return fmax(feasible_total(g), norm_each / (kappa * g->epsilon_core));
  }
  if (loss_of_numbers(g->loss) && isnan(g->norm_guess)) {
    const double least = (g->way.reach > 0 ? 1 : numbers_slack) * feasible_total(g);
    const double part = numbers_least / fmin(g->epsilon_core, numbers_sure);
    return fmax(least, part * g->loss->smoothness * norm_each);
  }
  double beta =
      noise_kind_of(g->noise)->needs_delta
          ? tight_a(g, 0) / row_bound(g)
          : g->epsilon_core / (gradients_of(g) * epsilon_slope_sum(g->loss) * row_bound(g));
  double noise = rms_norm(g, beta) / (double)g->rows;
  double norm = isnan(g->norm_guess) ? paying_length(g, noise) : g->norm_guess;
  return cheapest_total(g, 0, fmax(feasible_total(g), noise / norm), norm);
}

/* rms‖b‖ of a class in a mean gradient, with descent. */
static double class_noise(const public_numbers *g) {
  return rms_norm(g, descent_beta(g)) / sqrt((double)link_scores(g->loss)) / (double)g->rows;
}

/* Λ, the user's or the automatic one: of output perturbation with rms‖b‖ = shift/R, as β ∝ Λ. */
static dperm_status choose_lambda(const public_numbers *g, double *out, dperm_error *err) {
  bool automatic = isnan(g->lambda), output = g->mechanism == DPERM_MECHANISM_OUTPUT;
  bool descent = g->mechanism == DPERM_MECHANISM_DESCENT;
  double norm = g->bounds.norm2;
  double lambda = !automatic ? g->lambda
                  : output   ? norm * rms_norm(g, output_beta(g, 1.0)) / output_shift
                  : descent  ? descent_lambda(norm, class_noise(g), g->norm_guess)
                             : objective_lambda(g);
  FAIL_IF(descent && lambda < descent_lambda_least(norm), err, DPERM_INVALID_ARGUMENT,
          "lambda = %g; for classes that are learned jointly with gaussian noise give at least %g",
          lambda, descent_lambda_least(norm));
  if (lambda >= smallest_lambda && lambda <= largest_lambda) {
    *out = lambda;
    return DPERM_OK;
  }
  FAIL_IF(automatic && !isnan(g->norm_guess), err, DPERM_INVALID_ARGUMENT,
          "norm-guess = %g makes lambda = %g, beyond %g to %g; guess a length nearer to 1",
          g->norm_guess, lambda, smallest_lambda, largest_lambda);
  FAIL(err, DPERM_INVALID_ARGUMENT, "lambda = %g; for a private fit choose it between %g and %g",
       lambda, smallest_lambda, largest_lambda);
}

bool rows_hidden(const public_numbers *g) {
  return g->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE || g->person_rows > 0;
}

bool plan_spends_delta(const privacy_plan *plan) {
  return plan->mechanism != DPERM_MECHANISM_NONE && plan->noise.kind->needs_delta;
}

/* The plan for a kind of noise. */
static dperm_status plan_of_kind(const public_numbers *given, dperm_noise kind, privacy_plan *out,
                                 dperm_error *err) {
  public_numbers g = *given;
  bool counted = !rows_hidden(&g);
  privacy_plan plan = {.mechanism = g.mechanism,
                       .analysis = g.analysis,
                       .neighbours = g.neighbours,
                       .divisor = counted ? 0 : (double)g.rows,
                       .epsilon = g.epsilon_core};
  g.noise = kind;
  TRY(check_numbers(&g, err));
  TRY(check_kind(&g, err));
  g.bound = row_bound(&g); /* each takes a pass over the body, and Λ and Δ are searched for */
  g.rms = rms_norm(&g, 1);
  TRY(choose_lambda(&g, &plan.lambda, err));
  if (g.mechanism == DPERM_MECHANISM_OUTPUT) {
    plan.noise = noise_with(&g, output_beta(&g, plan.lambda));
  } else if (g.mechanism == DPERM_MECHANISM_DESCENT) {
    plan.noise = noise_with(&g, descent_beta(&g));
    const descent_terms terms = {.loss = g.loss,
                                 .rows_most = counted ? g.rows : g.rows_most,
                                 .dims = g.dims,
                                 .norm = g.bounds.norm2,
                                 .shared = g.shared,
                                 .gradients = gradients_of(&g)};
    TRY(descent_plan_make(&terms, plan.lambda, plan.noise.beta, &plan.descent, err));
  } else {
    plan.delta_reg = choose_delta(&g, plan.lambda);
    plan.noise = noise_with(&g, objective_beta(&g, plan.lambda + plan.delta_reg));
    RETURN_IF(plan.noise.beta == 0, fail_infeasible(&g, plan.lambda, err));
  }
  double norm = g.bounds.norm2, total = plan.lambda + plan.delta_reg;
  bool objective = g.mechanism == DPERM_MECHANISM_OBJECTIVE;
  plan.kappa = objective ? norm * norm / ((double)g.rows * total) : 1;
  FAIL_IF(
      !(noise_in_range(&plan.noise) && noise_rms_norm(&plan.noise) < 1e300), err,
      DPERM_INVALID_ARGUMENT,
      "epsilon, lambda and the number of rows give noise beyond all numbers; raise one of them");
  *out = plan;
  return DPERM_OK;
}

/* What noise and regularization cost a model of a typical length together; of output perturbation,
 * whose Λ follows the noise, the noise at any one Λ. */
static double plan_cost(const public_numbers *g, const privacy_plan *plan) {
  double rms = noise_rms_norm(&plan->noise), n = (double)g->rows, length = typical_length(g);
  double total = plan->lambda + plan->delta_reg;
  return plan->mechanism == DPERM_MECHANISM_OUTPUT
             ? rms * plan->lambda
             : rms * rms / (2 * n * n * total) + total * length * length / 2;
}

/* The best pure kind, or gaussian noise where a delta is given and it costs less. */
static dperm_status best_plan(const public_numbers *g, privacy_plan *out, dperm_error *err) {
  privacy_plan other;
  dperm_status status = plan_of_kind(g, least_noise(g), out, err);
  if (g->delta_core > 0 && g->analysis == DPERM_ANALYSIS_TIGHT && link_scores(g->loss) == 1 &&
      plan_of_kind(g, DPERM_NOISE_GAUSSIAN, &other, NULL) == DPERM_OK &&
      (status != DPERM_OK || plan_cost(g, &other) < plan_cost(g, out))) {
    *out = other;
    return DPERM_OK;
  }
  return status;
}

dperm_status privacy_plan_make(const public_numbers *g, privacy_plan *out, dperm_error *err) {
  if (g->mechanism == DPERM_MECHANISM_NONE) {
    *out = (privacy_plan){.mechanism = g->mechanism,
                          .analysis = g->analysis,
                          .epsilon = g->epsilon_core,
                          .lambda = isnan(g->lambda) ? 1.0 / (double)g->rows : g->lambda,
                          .noise = {&noise_l2, g->dims, 0, g->bounds.body, link_scores(g->loss)}};
    return DPERM_OK;
  }
  if (g->mechanism == DPERM_MECHANISM_DESCENT) {
    public_numbers pure = *g; /* where rounding could be seen through the noise of steps */
    pure.mechanism = DPERM_MECHANISM_OBJECTIVE;
    dperm_status status = plan_of_kind(g, DPERM_NOISE_GAUSSIAN, out, err);
    return status == DPERM_UNSUPPORTED && g->noise == DPERM_NOISE_AUTO
               ? plan_of_kind(&pure, least_noise(&pure), out, err)
               : status;
  }
  return g->noise == DPERM_NOISE_AUTO ? best_plan(g, out, err)
                                      : plan_of_kind(g, g->noise, out, err);
}

/* What noise of this norm adds to an objective. Output perturbation moves the minimizer itself. */
static double noise_cost(const public_numbers *g, const privacy_plan *plan, double noise) {
  double n = (double)g->rows, norm = g->bounds.norm2;
  if (plan->mechanism == DPERM_MECHANISM_OUTPUT) {
    double curvature = g->loss->smoothness * norm * norm + plan->lambda * (1 + g->stiffness);
    return curvature / 2 * noise * noise;
  }
  return noise * noise / (2 * n * n * (plan->lambda + plan->delta_reg));
}

double excess_objective(const public_numbers *g, const privacy_plan *plan, double noise) {
  double bound = solution_norm_bound(g, plan->lambda);
  return noise_cost(g, plan, noise) + plan->delta_reg / 2 * bound * bound;
}

/* What regularization can cost a model of length F: Λ(N(g) − min N) + ΔF²/2, where 1 ≤ N_j″ ≤ 1 + s
 * and ‖∇N(0)‖ = G give N(g) − min N ≤ G²/2 + GF + (1 + s)F²/2. */
static double shrinkage_cost(const public_numbers *g, const privacy_plan *plan, double length) {
  double pull = g->pull * (g->pull / 2 + length);
  return plan->lambda * (pull + (1 + g->stiffness) * length * length / 2) +
         plan->delta_reg * length * length / 2;
}

double excess_loss(const public_numbers *g, const privacy_plan *plan, double noise) {
  return noise_cost(g, plan, noise) + shrinkage_cost(g, plan, typical_length(g));
}

double noise_to_signal(const public_numbers *g, const privacy_plan *plan) {
  double rms = noise_rms_norm(&plan->noise), length = typical_length(g);
  if (plan->mechanism == DPERM_MECHANISM_OUTPUT) {
    return rms / fmin(length, solution_norm_bound(g, plan->lambda));
  }
  return rms * length / ((double)g->rows * loss_at_zero(g->loss));
}
