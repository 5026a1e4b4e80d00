/* The pairs 1 to 6 of docs/audit.md, made in units where rows have norm 1. Rows of norm R have w·R,
 * p/R, λR². Losses with |ℓ′(0)| = L, the hinges, take one dimension, and so do those of a residual,
 * by labels at opposite ends; others lean in two. */
#include "audit/worst_pair.h"

#include <math.h>

#include "base/functions.h"
#include "base/vector.h"
#include "loss/link.h"
#include "loss/loss.h"
#include "mechanism/delta_rule.h"
#include "mechanism/epsilon_rule.h"

static const double usual_norm = 4, far_out = 1e4, lean = 0.01, gaussian_delta = 0.02;

/* −ℓ′ and ℓ″ at a margin (of a record whose label is part of its w), or a residual. */
static double steepness(const dperm_loss *loss, double z, double *curvature) {
  double slope = 0;
  loss->eval(loss, 1, &z, NULL, &slope, curvature);
  return -slope;
}

/* The same at the score of a record of the pair. */
static double record_steepness(const worst_pair *pair, int side, double score, double *curvature) {
  const double label = loss_of_numbers(&pair->loss) ? pair->label[side] : 1;
  double slope = 0;
  link_eval(&pair->loss, 1, 1, &label, &score, NULL, &slope, curvature);
  return -slope;
}

static bool one_dimension(const dperm_loss *loss) {
  return loss_is_residual(loss) || steepness(loss, 0, NULL) == loss->lipschitz;
}

/* ---- theory */

/* p + t·w with λt = s(w·p + t‖w‖²): the minimizer without noise. The right side falls in t. */
static void find_minimizer(const worst_pair *pair, int side, double *f) {
  const double *w = pair->w[side];
  double high = pair->loss.lipschitz / pair->lambda, low = -high;
  double at_centre = vector_dot(w, pair->centre, pair->dims), square = vector_dot(w, w, pair->dims);
  for (int i = 0; i < 100; i++) {
    double t = 0.5 * (low + high);
    if (record_steepness(pair, side, at_centre + t * square, NULL) > pair->lambda * t) {
      low = t;
    } else {
      high = t;
    }
  }
  for (size_t j = 0; j < pair->dims; j++) {
    f[j] = pair->centre[j] + low * w[j];
  }
}

double pair_distance(const double *a, const double *b, size_t dims) {
  double sum = 0;
  for (size_t j = 0; j < dims; j++) {
    sum += (a[j] - b[j]) * (a[j] - b[j]);
  }
  return sqrt(sum);
}

double noise_log_density(double delta, double x) {
  return delta > 0 ? -x * x / 2 : -x;
}

static double output_log_density(const worst_pair *pair, int side, double beta, const double *f) {
  return noise_log_density(pair->delta, beta * pair_distance(f, pair->minimizer[side], pair->dims));
}

/* Objective perturbation: the noise b = s(z)·w − λ(f − p) that gives f, and det(−∂b/∂f) up to what
 * both sides share, 1 + a(z)‖w‖²/λ (privacy.md 4). */
static double objective_log_density(const worst_pair *pair, int side, double beta,
                                    const double *f) {
  const double *w = pair->w[side];
  double curvature = 0, b[PAIR_DIMS];
  double slope = record_steepness(pair, side, vector_dot(w, f, pair->dims), &curvature);
  for (size_t j = 0; j < pair->dims; j++) {
    b[j] = slope * w[j] - pair->lambda * (f[j] - pair->centre[j]);
  }
  return noise_log_density(pair->delta, beta * sqrt(vector_dot(b, b, pair->dims))) +
         math_log1p(curvature * vector_dot(w, w, pair->dims) / pair->lambda);
}

static double log_ratio(const worst_pair *pair, double beta, const double *f) {
  return pair->mechanism == DPERM_MECHANISM_OUTPUT
             ? output_log_density(pair, 0, beta, f) - output_log_density(pair, 1, beta, f)
             : objective_log_density(pair, 0, beta, f) - objective_log_density(pair, 1, beta, f);
}

double pair_log_ratio(const worst_pair *pair, const double *f) {
  return log_ratio(pair, pair->beta, f);
}

double pair_score(const worst_pair *pair, const double *f) {
  if (pair->kind == PAIR_SHAPE) {
    double first = pair_distance(f, pair->minimizer[0], pair->dims) + 1e-300;
    double second = pair_distance(f, pair->minimizer[1], pair->dims) + 1e-300;
    return first < second ? 1 / first : -1 / second;
  }
  return log_ratio(pair, pair->bare_beta > 0 ? pair->bare_beta : pair->beta, f);
}

/* ---- the Jacobian's λ */

/* What an audit of the Huber pair with h = 1 − 1/λ may hope for: the best event (1−h, 1−h+w), both
 * masses in closed form, less what bounds at 10⁻³ take off. Under the first data set b runs from 0
 * to −(λ + c)w there, under the second from −2 to −2 − λw; from −1 without the record: `moves`. */
static double hoped_bound(double moves, double lambda, double epsilon, double draws) {
  double h = 1 - 1 / lambda, c = 1 / (2 * h), n = 2 * draws;
  double beta = (epsilon - math_log1p(c / lambda)) / moves, best = 0;
  for (double width = 0.01; width <= 2 * h; width += 0.01) {
    double p = -0.5 * math_expm1(-beta * (lambda + c) * width);
    double q = -0.5 * math_exp(-moves * beta) * math_expm1(-beta * lambda * width);
    double low = p - 3.09 * sqrt(p * (1 - p) / n), high = q + 3.09 * sqrt(q * (1 - q) / n);
    best = fmax(best, low > 0 ? math_log(low / high) : 0);
  }
  return best;
}

/* The smallest λ ≥ 2 (most slack) at which these draws come close to ε; the best if none can. */
static double jacobian_lambda(double moves, double epsilon, double draws) {
  double most = 0, at = 2 + 1 / math_expm1(epsilon / 2);
  for (double lambda = 2; lambda < 1e6; lambda *= 1.05) {
    bool feasible = math_log1p(1 / (2 * (lambda - 1))) < 0.5 * epsilon;
    double bound = feasible ? hoped_bound(moves, lambda, epsilon, draws) : 0;
    if (bound >= 0.92 * epsilon) {
      return lambda;
    }
    if (bound > most) {
      most = bound;
      at = lambda;
    }
  }
  return at;
}

/* ---- constructions, in units where rows have norm 1 */

/* λ and the loss, whose h is ½ but for the Jacobian: there h = 1 − 1/λ lets b = 0 where slope and
 * curvature are largest together, at z = 1 − h. A residual's h is small: labels are at most 1. */
static dperm_status place_lambda(worst_pair *pair, const char *loss, double epsilon, double draws,
                                 dperm_error *err) {
  const loss_kind *kind = loss_kind_named(loss);
  bool slack = pair->kind == PAIR_OBJECTIVE || pair->kind == PAIR_WEIGHTS;
  bool jacobian = pair->kind == PAIR_JACOBIAN && pair->delta == 0;
  double lambda = slack ? 200 / fmin(1, epsilon) : 4, h = 0.5, hinge = 0.5;
  if (jacobian) {
    lambda = jacobian_lambda(neighbours_gradients(pair->neighbours), epsilon, draws);
    h = hinge = 1 - 1 / lambda;
  } else if (pair->kind == PAIR_JACOBIAN) { /* a short curved piece, and K = 0.9 ε */
    h = 0.1;
    lambda = 1 / (2 * h * math_expm1(0.9 * epsilon));
  }
  h = kind && kind->numbers ? 0.1 : h; /* that of counts is no choice */
  TRY(dperm_loss_by_name(loss, h, &pair->loss, err));
  if (slack && loss_is_residual(&pair->loss)) { /* κc is 1/200 for these, too */
    lambda *= pair->loss.smoothness;
  }
  if (jacobian) { /* κc as large as Huber's */
    lambda *= pair->loss.smoothness * 2 * hinge;
    if (!one_dimension(&pair->loss) && kind &&
        kind->supremum) { /* and κ > A, else there is no slack */
      lambda = fmin(lambda, 1 / epsilon);
    } else if (kind && kind->numbers && kind->supremum) { /* and κc = ε at least, likewise */
      lambda = fmin(lambda, pair->loss.smoothness / epsilon);
    }
  }
  pair->lambda = lambda;
  return DPERM_OK;
}

/* The margin at which A·s + log(1 + κ·a) is largest; the margins tried are those where the logistic
 * loss has slopes at even distances. */
static double worst_margin(const dperm_loss *loss, double a, double kappa) {
  double most = 0, at = 0;
  for (double s = 0.001; s < 0.9995; s += 0.001) {
    double z = math_log((1 - s) / s), curvature = 0;
    double value = a * steepness(loss, z, &curvature) + math_log1p(kappa * curvature);
    if (value > most) {
      most = value;
      at = z;
    }
  }
  return at;
}

/* The residual below zero at which the same is largest, in steps of a five hundredth of h. */
static double worst_residual(const dperm_loss *loss, double a, double kappa) {
  double most = 0, at = 0;
  for (int i = 0; i <= 5000; i++) {
    double r = -loss->parameter * (i / 500.0), curvature = 0;
    double value = a * steepness(loss, r, &curvature) + math_log1p(kappa * curvature);
    if (value > most) {
      most = value;
      at = r;
    }
  }
  return at;
}

/* Labels at opposite ends, and slopes of both signs. For the Jacobian the first residual is where
 * it does most, and b = 0. With gaussian noise a record with a label in the middle turns every
 * result away from one side or from the other: both of its corners count. */
static void place_residuals(worst_pair *pair, double epsilon) {
  const dperm_loss *loss = &pair->loss;
  const double kappa = 1 / pair->lambda;
  for (size_t j = 0; j < pair->dims; j++) {
    pair->w[1][j] = pair->w[0][j];
  }
  pair->label[0] = 1;
  pair->label[1] = -1;
  if (pair->kind == PAIR_JACOBIAN) {
    double r = worst_residual(loss, epsilon_invert(loss, pair->neighbours, kappa, epsilon), kappa);
    pair->centre[0] = 1 + r - steepness(loss, r, NULL) * kappa;
  } else if (pair->kind == PAIR_OBJECTIVE && pair->delta > 0 &&
             pair->neighbours == DPERM_NEIGHBOURS_ADD_REMOVE) {
    pair->label[0] = 0;
    pair->lambda = 2 * loss->smoothness / epsilon; /* small beside the noise, as slack allows */
  }
}

/* Rows far out, whose slopes are L. Both counts are the most that there is, but for the Jacobian's
 * first, none, where the curve ends: there slope and curvature are largest together. */
static void place_leaning(worst_pair *pair, double epsilon) {
  const bool counts = loss_is_count(&pair->loss);
  double across = sqrt(1 - lean * lean);
  pair->dims = 2;
  pair->centre[0] = far_out;
  pair->w[0][0] = pair->w[1][0] = -lean;
  pair->w[0][1] = across;
  pair->w[1][1] = -across;
  pair->label[0] = pair->label[1] = counts;
  if (pair->kind == PAIR_JACOBIAN && counts) {
    pair->w[0][0] = 0;
    pair->w[0][1] = 1;
    pair->w[1][1] = across;
    pair->label[0] = -1;
    pair->centre[1] = link_count_offset + pair->loss.lipschitz / pair->lambda;
  } else if (pair->kind == PAIR_JACOBIAN) { /* the first margin is free: b = 0 where it is worst */
    double kappa = 1 / pair->lambda;
    double z = worst_margin(&pair->loss,
                            epsilon_invert(&pair->loss, pair->neighbours, kappa, epsilon), kappa);
    pair->w[0][0] = 0;
    pair->w[0][1] = 1;
    pair->centre[1] = z - steepness(&pair->loss, z, NULL) / pair->lambda;
  }
}

/* Where the noise that a forgotten slack would call for has the curved piece 1½ deviations out: the
 * Jacobian adds to what the noise itself tells. At f = 1 the first slope is ½. */
static void place_curved_piece(worst_pair *pair, double epsilon) {
  double beta = claimed_beta(&pair->loss, pair->mechanism, pair->neighbours, 1, pair->lambda, 0,
                             epsilon, pair->delta);
  pair->centre[0] = 1 - (0.5 + 1.5 / beta) / pair->lambda;
  pair->bare_beta = beta / pair->norm;
}

double claimed_beta(const dperm_loss *loss, dperm_mechanism mechanism, dperm_neighbours neighbours,
                    double norm, double lambda, double kappa, double epsilon, double delta) {
  if (mechanism == DPERM_MECHANISM_OBJECTIVE) {
    return (delta > 0 ? delta_invert_objective(loss, neighbours, kappa, epsilon, delta)
                      : epsilon_invert(loss, neighbours, kappa, epsilon)) /
           norm;
  }
  const delta_corners output = delta_corners_shift(loss->lipschitz, neighbours);
  return delta > 0 ? delta_invert(&output, epsilon, delta) / norm * lambda
                   : lambda * epsilon / (neighbours_gradients(neighbours) * norm * loss->lipschitz);
}

static void scale_rows(worst_pair *pair) {
  for (size_t j = 0; j < pair->dims; j++) {
    pair->w[0][j] *= pair->norm;
    pair->w[1][j] *= pair->norm;
    pair->centre[j] /= pair->norm;
  }
  pair->lambda *= pair->norm * pair->norm;
}

dperm_status worst_pair_make(int kind, const char *loss, double epsilon, double delta, size_t draws,
                             worst_pair *out, dperm_error *err) {
  bool adding = kind & PAIR_ADD, gaussian = kind & PAIR_GAUSSIAN;
  worst_pair made = {.kind = (pair_kind)(kind % PAIR_ADD), .dims = 1, .norm = usual_norm};
  made.mechanism =
      made.kind == PAIR_OBJECTIVE || made.kind == PAIR_JACOBIAN || made.kind == PAIR_WEIGHTS
          ? DPERM_MECHANISM_OBJECTIVE
          : DPERM_MECHANISM_OUTPUT;
  made.neighbours = adding ? DPERM_NEIGHBOURS_ADD_REMOVE : DPERM_NEIGHBOURS_REPLACE;
  if (gaussian) {
    double usual = made.kind == PAIR_JACOBIAN ? gaussian_delta / 10 : gaussian_delta;
    made.delta = delta > 0 ? delta : usual;
  }
  size_t axis = 0;
  if (made.kind == PAIR_SHAPE) {
    made.dims = 3;
  } else if (made.kind == PAIR_INTERCEPT) {
    made.dims = 2;
    made.norm = 1;
    axis = 1;
  }
  TRY(place_lambda(&made, loss, epsilon, (double)draws, err));
  made.w[0][axis] = 1;
  made.w[1][axis] = -1;
  if (loss_is_residual(&made.loss)) {
    place_residuals(&made, epsilon);
  } else if (!one_dimension(&made.loss)) {
    place_leaning(&made, epsilon);
  }
  for (size_t j = 0; adding && j < made.dims; j++) {
    made.w[1][j] = made.label[1] = 0; /* as if it were not there */
  }
  if (made.kind == PAIR_JACOBIAN && gaussian) {
    place_curved_piece(&made, epsilon);
  }
  scale_rows(&made);
  made.beta = claimed_beta(&made.loss, made.mechanism, made.neighbours, made.norm, made.lambda,
                           made.norm * made.norm / made.lambda, epsilon, made.delta);
  find_minimizer(&made, 0, made.minimizer[0]);
  find_minimizer(&made, 1, made.minimizer[1]);
  *out = made;
  return DPERM_OK;
}
