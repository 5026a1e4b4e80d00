/* See renyi.h; lemmas are those of docs/proofs/composition.md. Written so that small numbers do not
 * cancel: most releases in a ledger are small. */
#include "privacy/renyi.h"

#include <math.h>

#include "base/defect.h"
#include "privacy/guarantee.h"

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
    const gaussian_corner *corner = &c->corners[i];
    sound = is_cost(corner->count) && corner->count >= 1 && floor(corner->count) == corner->count &&
            is_cost(corner->ratio) && corner->ratio > 0;
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

static double normal(double x) {
  return erfc(-x * half_root) / 2;
}

/* δ_G(τ; m) of the corners, added up. */
static double profile(const privacy_curve *c, double tau) {
  double sum = 0;
  for (size_t i = 0; i < c->corner_count; i++) {
    double m = c->corners[i].ratio, u = tau / m;
    sum += c->corners[i].count * (normal(m / 2 - u) - exp(tau) * normal(-m / 2 - u));
  }
  return sum;
}

/* Of two records whose slopes move each has corners of its own beside the longest. */
static bool has_all_corners(const privacy_curve *c, bool adding) {
  double squares = 0, longest = 0;
  for (size_t i = 0; i < c->corner_count; i++) {
    double square = c->corners[i].count * c->corners[i].ratio * c->corners[i].ratio;
    squares += square;
    longest = i == 0 ? square : longest;
  }
  return adding || c->slack == 0 || squares >= 1.49 * longest;
}

bool curve_fits_claim(const privacy_curve *c, bool adding, double epsilon, double delta) {
  double fits = (double)c->fits, each = (epsilon - c->pure) / fits;
  double core = each - 2 * c->epsilon_num - c->slack;
  double noise = (delta - c->failure) / (fits * exp(c->epsilon_num)); /* gaussian.md 6 */
  if (c->fits == 0 || DEFECT("curve-believed")) {
    return true;
  }
  return each > 0 && has_all_corners(c, adding) && c->epsilon_num * 1000 >= 0.99 * each &&
         c->failure >= 2 * fits * exp(-NOISE_TAIL) * (1 - relative) && c->failure <= delta &&
         profile(c, fmax(core, 0)) >= 0.4 * noise;
}

/* A sum whose terms cancel, and more than what that can lose: functions and products here are
 * within a few units of 2^-53. */
typedef struct moment {
  double sum, error;
} moment;

static void moment_add(moment *m, double factor, const double terms[3]) {
  double size = fabs(terms[0]) + fabs(terms[1]) + fabs(terms[2]);
  m->sum += factor * (terms[0] + terms[1] + terms[2]);
  m->error += factor * size * 1e-14;
}

/* Lemma C4, losses beyond K + chord: the integrals I₁ and I₂ of a corner. */
static void add_tail(moment *v, double order, double slack, double chord,
                     const gaussian_corner *corner) {
  double m = corner->ratio, u = chord / m, grown = exp(order * (order - 1) * m * m / 2);
  double near = normal(m / 2 - u), far = normal(-m / 2 - u);
  const double above[] = {grown * normal((order - 0.5) * m - u),
                          -order * exp((order - 1) * chord) * near,
                          (order - 1) * exp(order * chord) * far};
  const double below[] = {grown * normal(-(order - 0.5) * m - u),
                          -order * exp(-(order - 1) * chord) * far,
                          (order - 1) * exp(-order * chord) * near};
  moment_add(v, corner->count * exp((order - 1) * slack), above);
  moment_add(v, corner->count * exp(-order * slack), below);
}

/* Losses within ±(K + chord): randomized response there, and what the corners add to it. */
static void add_middle(moment *v, double order, double slack, double chord,
                       const privacy_curve *c) {
  double end = slack + chord;
  double mixed = 2 * order * sinh((order - 1) * end) + 2 * (order - 1) * sinh(order * end);
  v->sum += response_moment(order, end);
  for (size_t i = 0; i < c->corner_count; i++) {
    double m = c->corners[i].ratio, u = chord / m;
    const double profile[] = {normal(m / 2 - u), -exp(chord) * normal(-m / 2 - u), 0};
    moment_add(v, c->corners[i].count * mixed / (exp(end) + 1), profile);
  }
}

/* Where the chord meets the profile as a tangent, about: any chord is valid, this one is best. */
static double best_chord(const privacy_curve *c) {
  double low = 0, high = 0;
  for (size_t i = 0; i < c->corner_count; i++) {
    high = fmax(high, 8 * c->corners[i].ratio);
  }
  for (int i = 0; i < 16; i++) {
    double middle = (low + high) / 2, slope = 0, profile = 0;
    for (size_t j = 0; j < c->corner_count; j++) {
      double m = c->corners[j].ratio, far = normal(-m / 2 - middle / m);
      slope += c->corners[j].count * far;
      profile += c->corners[j].count * (normal(m / 2 - middle / m) - exp(middle) * far);
    }
    *(slope * (exp(middle) + exp(-c->slack)) > 1 - profile ? &low : &high) = middle;
  }
  return low;
}

/* Lemma C4 and the simpler bound of C5, whichever is smaller. */
static double one_fit(double order, const privacy_curve *given) {
  privacy_curve c = *given;
  moment v = {0, 0};
  double sum = 1;
  c.corner_count = DEFECT("corners-left-out") ? 1 : c.corner_count;
  double chord = best_chord(&c);
  add_middle(&v, order, c.slack, chord, &c);
  for (size_t i = 0; i < c.corner_count; i++) {
    double m = c.corners[i].ratio;
    add_tail(&v, order, c.slack, chord, &c.corners[i]);
    sum += c.corners[i].count * exp(order * (order - 1) * m * m / 2);
  }
  double most = v.sum + v.error;
  double of_profile = isfinite(most) ? log1p(fmax(most, 0)) / (order - 1) : (double)INFINITY;
  double of_corners = isfinite(sum) ? c.slack + log(sum) / (order - 1) : (double)INFINITY;
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
