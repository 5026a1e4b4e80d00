/* See renyi.h; lemmas are those of docs/proofs/composition.md. Written so that small numbers do not
 * cancel: most releases in a ledger are small. */
#include "privacy/renyi.h"

#include <math.h>

#include "base/defect.h"

static const double relative = 1e-9, absolute = 1e-12, half_root = 0.70710678118654752440;

static double upwards(double value) {
  return value * (1 + relative) + absolute;
}

static bool is_cost(double value) {
  return value >= 0 && isfinite(value);
}

bool curve_is_sound(const privacy_curve *c) {
  bool sound = c->fits <= 1000000 && c->corner_count <= CURVE_CORNERS && is_cost(c->slack) &&
               is_cost(c->epsilon_num) && is_cost(c->pure) && is_cost(c->failure);
  for (size_t i = 0; sound && i < c->corner_count; i++) {
    sound = is_cost(c->corners[i].count) && is_cost(c->corners[i].ratio);
  }
  return sound && (c->fits == 0 || c->corner_count > 0);
}

/* V − 1 for randomized response: cosh((α−½)ε)/cosh(ε/2) − 1 as a product. */
static double response_moment(double order, double epsilon) {
  return 2 * sinh(order * epsilon / 2) * sinh((order - 1) * epsilon / 2) / cosh(epsilon / 2);
}

double renyi_of_pure(double order, double epsilon) {
  if (order * epsilon < 100) {
    return upwards(fmin(log1p(response_moment(order, epsilon)) / (order - 1), epsilon));
  }
  /* the same where that would overflow: log V = (α−1)ε + log(1 + e^{−(2α−1)ε}) − log(1 + e^{−ε}) */
  double less = log1p(exp(-epsilon)) - log1p(exp(-(2 * order - 1) * epsilon));
  return upwards(epsilon - less / (order - 1));
}

/* Lemma C4: the moment, less one, of profiles that are shifted by K and summed over corners. I₁ and
 * I₂ are the parts of e^a − 1 = I₁ + I₂ with losses above and below zero; `tilt` is half their
 * difference. */
static double corner_moment(double order, double slack, const gaussian_corner *corner) {
  double above = exp((order - 1) * slack), below = exp(-order * slack), m = corner->ratio;
  double grown = expm1(order * (order - 1) * m * m / 2);
  double tilt = (grown + 1) * erf((order - 0.5) * m * half_root) / 2 -
                (2 * order - 1) * erf(m * half_root / 2) / 2;
  tilt = fmin(tilt + 1e-14 * order * m * (grown + 1), grown / 2); /* I₂ ≥ 0 */
  return corner->count * (grown / 2 * (above + below) + tilt * (above - below));
}

/* The losses within ±K: randomized response at K, and what the corners add to it there. */
static double slack_moment(double order, double slack, const privacy_curve *c) {
  double distance = 0; /* total variation of the corners' shifts, summed */
  for (size_t i = 0; i < c->corner_count; i++) {
    distance += c->corners[i].count * erf(c->corners[i].ratio * half_root / 2);
  }
  double mixed = 2 * order * sinh((order - 1) * slack) + 2 * (order - 1) * sinh(order * slack);
  return response_moment(order, slack) + distance * mixed / (exp(slack) + 1);
}

/* Lemma C4 and the simpler bound of C5, whichever is smaller. */
static double one_fit(double order, const privacy_curve *c) {
  double moment = slack_moment(order, c->slack, c), sum = 1;
  for (size_t i = 0; i < (DEFECT("corners-left-out") ? 1 : c->corner_count); i++) {
    double m = c->corners[i].ratio;
    moment += corner_moment(order, c->slack, &c->corners[i]);
    sum += c->corners[i].count * exp(order * (order - 1) * m * m / 2);
  }
  double of_profile = isfinite(moment) ? log1p(moment) / (order - 1) : (double)INFINITY;
  double of_corners = isfinite(sum) ? c->slack + log(sum) / (order - 1) : (double)INFINITY;
  return fmin(of_profile, of_corners);
}

double renyi_of_curve(double order, const privacy_curve *c) {
  double lattice = (2 * order - 1) / (order - 1) * c->epsilon_num; /* Lemma C6 */
  double cost = c->pure > 0 ? renyi_of_pure(order, c->pure) : 0;
  if (c->fits > 0) {
    cost += (double)c->fits * (one_fit(order, c) + lattice);
  }
  return upwards(cost);
}

double renyi_budget(double order, double epsilon, double delta) {
  /* Lemma C2: δ = e^{(α−1)(R−ε)}·(1/α)(1−1/α)^{α−1} */
  double conversion = log1p(-1 / order) - (log(order) + log(delta)) / (order - 1);
  double left = epsilon - conversion - relative * (epsilon + fabs(conversion)) - absolute;
  return fmin(left, epsilon);
}

/* A small Gaussian release costs in proportion to the order. */
double renyi_order_for(double epsilon, double delta) {
  double best = 2, most = -(double)INFINITY;
  for (double order = 1.5; order <= RENYI_ORDER_MOST;) {
    double fits = renyi_budget(order, epsilon, delta) / order;
    if (fits > most) {
      most = fits;
      best = order;
    }
    order += order < 10 ? 0.5 : order < 100 ? 1 : order < 1000 ? 10 : 100;
  }
  return best;
}
