/* privacy.md 6.1, 6.3 and 6.4 as formulas, with L, c, R, n, d, Λ, Λ_t public, P = ‖∇N(0)‖ and N_j″
 * ≤ K. Where the number of records is private n is a public figure near it, and M = n_max/n for the
 * most that there can be; else M = 1:
 *
 * - B: ‖b̂‖ ≤ B but for e^−100.
 * - q: a bound on the linear terms at zero, ΛP + B/n (output perturbation: ΛP).
 * - F: the solver never leaves ‖f‖ ≤ F = 3(MLR + q)/Λ_t, as it starts where the gradient is no
 * longer than at zero and goes downhill.
 * - E: the error of a gradient in twice the precision at ‖f‖ ≤ F, and what the noise's own error
 *   adds, ηB/n (output perturbation: ΛηB).
 * - G = max(8E, 10⁻⁶LR/n). The first lets the solver always get there. The second is where the
 *   lattice noise costs no time and is far below the privacy noise: it adds about 750·n·G/(LR) <
 * 10⁻³ of its length. (Where the number of records is private the first is the larger: up to n =
 * 7·10⁷ 1.4·10⁻⁶LR/n for the logistic loss, 3.7 to 7.8·10⁻⁶LR/n for softmax of 3 to 1000 classes.)
 * - g: the largest power of two ≤ τ/(8√d), τ = G/Λ_t, and not below what integers of 60 bits can
 *   count up to F; S = ⌊d + √d·τ/g⌋.
 *
 * With softmax (docs/proofs/softmax.md) f is a matrix of kd numbers: d is kd in g and S, but a
 * score still has d entries; P is of all k vectors, and ‖b̂‖ ≤ B but for k·e^−100. */
#include "release/numerics.h"

#include <math.h>

#include "base/defect.h"
#include "base/double_double.h"
#include "loss/link.h"
#include "privacy/guarantee.h"
#include "solve/certify.h"

static const double noise_tail = NOISE_TAIL + 1; /* one more for the bits' own ends */
static const double up = 1 + 1e-9;

epsilon_split epsilon_divide(double epsilon) {
  if (!(epsilon > 0 && epsilon < 1e6)) { /* refused elsewhere */
    return (epsilon_split){epsilon, {0, 1}};
  }
  epsilon_split out = {.num = ratio_below(epsilon / 1000)};
  /* Two steps down, so that the sum is also below the decimal that epsilon was written as, which is
   * what a ledger charges: that is at most half a unit in the last place away. (Where this epsilon
   * is a rest of the run's, that is a step below already: guarantee.c.) */
  out.core = nextafter(nextafter(epsilon - 2 * ratio_value(out.num), 0), 0);
  return out;
}

/* The most records that there can be. */
static double most_rows(const public_numbers *g) {
  return (double)(rows_hidden(g) ? g->rows_most : g->rows);
}

/* M. */
static double most_crowd(const public_numbers *g) {
  return most_rows(g) / (double)g->rows;
}

/* The largest error of a gradient on the solver's way. */
static double worst_error(const public_numbers *g, const privacy_plan *plan, double furthest,
                          double linear) {
  double curvature = isfinite(g->stiffness) ? 1 + g->stiffness : 1;
  double e = g->penalty_error; /* pull is a computed slope, and so is what the solver will see */
  const evaluation worst = {.loss = g->loss,
                            .rows = most_rows(g),
                            .crowd = most_crowd(g),
                            .entries = (double)g->dims,
                            .norm = g->bounds.norm2,
                            .slope = most_crowd(g) * (g->loss->lipschitz + g->loss->slope_error),
                            .shared = g->shared,
                            .curvature = most_crowd(g) * g->loss->smoothness,
                            .lambda = plan->lambda,
                            .ridge = plan->delta_reg,
                            .f = furthest,
                            .penalty = (1 + e) * (g->pull / (1 - e) + curvature * furthest),
                            .linear = linear,
                            .penalty_error = g->penalty_error,
                            .penalty_curvature = g->custom_penalty ? curvature : 0};
  return evaluation_error(&worst, IN_DD);
}

/* Within what the lattice can count, and the noise's error is stated for (random/noise.h). */
static dperm_status check_range(double tau, double reach, double beta, dperm_error *err) {
  FAIL_IF(
      !(tau > 0x1p-800 && tau < 0x1p800 && reach < 0x1p800 && beta >= 0x1p-290 && beta <= 0x1p290),
      err, DPERM_INVALID_ARGUMENT,
      "epsilon, lambda, the norm of rows and their number lead beyond what doubles can hold; "
      "choose them closer to 1");
  return DPERM_OK;
}

static void place_lattice(size_t dims, double reach, release_plan *out) {
  double d = (double)dims, tau = out->solution_error;
  out->step_exponent = ilogb(tau / (8 * sqrt(d)));
  int least = ilogb(reach) - 59;
  out->step_exponent = out->step_exponent > least ? out->step_exponent : least;
  out->sensitivity = (uint64_t)floor(d + sqrt(d) * ldexp(tau, -out->step_exponent) * (1 + 0x1p-48));
}

dperm_status release_plan_make(const public_numbers *g, const privacy_plan *plan, release_plan *out,
                               dperm_error *err) {
  bool objective = plan->mechanism != DPERM_MECHANISM_OUTPUT; /* or descent: noise in gradients */
  double n = (double)g->rows, total = plan->lambda + plan->delta_reg;
  double pull = g->loss->lipschitz * g->bounds.norm2; /* LR */
  double limit = noise_norm_limit(&plan->noise, noise_tail);
  double linear = objective ? limit / n : 0;
  double furthest = 3 * (most_crowd(g) * pull + plan->lambda * g->pull + linear) / total * up;
  double drift = noise_relative_error(&plan->noise) * (objective ? linear : plan->lambda * limit);
  double error = worst_error(g, plan, furthest, linear) + drift * up;
  release_plan made = {.epsilon = epsilon_divide(g->epsilon)};
  made.promised.noise_norm = limit;
  made.promised.gradient = fmax(8 * error * up, 1e-6 * pull / n);
  made.solution_error = made.promised.gradient / total * (1 + 0x1p-50);
  double reach = furthest + (objective ? 0 : limit);
  TRY(check_range(made.solution_error, reach, plan->noise.beta, err));
  place_lattice(link_scores(g->loss) * g->dims, reach, &made);
  *out = made;
  return DPERM_OK;
}

/* ---- the lattice. Rounding and noise are integers of 128 bits; what follows, to the nearest
 * double, sees released integers only. A double next to k·2^e is a multiple of 2^e too. */

/* The integer nearest to f + rest in steps of 2^exponent, and whether there is one within 62 bits:
 * scaling is exact, so is the sum of what f leaves and the rest, and a tie goes by the sign of what
 * is left of that. */
static bool nearest_point(double f, double rest, int exponent, wide_signed *out) {
  double scaled = ldexp(f, -exponent), whole = rint(scaled);
  double_double left = two_sum(scaled - whole, ldexp(rest, -exponent));
  double more = rint(left.hi);
  if (fabs(left.hi - more) == 0.5 && left.lo != 0) {
    more = left.hi + copysign(0.5, left.lo);
  }
  if (!(fabs(whole) < 0x1p62 && fabs(more) < 0x1p62)) { /* not a NaN either */
    return false;
  }
  *out = (wide_signed)whole + (wide_signed)more;
  return true;
}

dperm_status release_weights(const release_plan *plan, const solution *from, size_t dims,
                             random_source *source, double *weights, dperm_error *err) {
  /* P(y) ∝ exp(−|y|·over/(under·S)). */
  wide_integer over = plan->epsilon.num.over;
  wide_integer under = (wide_integer)plan->epsilon.num.under * plan->sensitivity;
  for (size_t j = 0; j < dims; j++) {
    wide_signed place = 0;
    FAIL_IF(!nearest_point(from->f[j], from->rest[j], plan->step_exponent, &place), err,
            DPERM_NUMERIC_ERROR,
            "a weight is not a number on the lattice, against all that was certified; nothing is "
            "released");
    if (!DEFECT("lattice-silent")) {
      place += random_discrete_laplace_wide(source, over, under);
    }
    weights[j] = ldexp((double)place, plan->step_exponent);
  }
  return DPERM_OK;
}
