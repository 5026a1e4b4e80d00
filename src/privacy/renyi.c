/* See renyi.h; lemmas are those of docs/proofs/composition.md. Written so that small numbers do not
 * cancel: most releases in a ledger are small. */
#include "privacy/renyi.h"

#include <math.h>

#include "base/defect.h"
#include "base/functions.h"
#include "privacy/guarantee.h"

static const double relative = 1e-9, absolute = 1e-12, half_root = 0.70710678118654752440;

static double upwards(double value) {
  return value * (1 + relative) + absolute;
}

static bool is_cost(double value) {
  return value >= 0 && isfinite(value);
}

bool curve_is_sound(const privacy_curve *c) {
  bool sound = c->fits <= CURVE_FITS_MOST && c->corner_count <= CURVE_CORNERS &&
               is_cost(c->slack) && is_cost(c->mean) && c->mean <= c->slack &&
               is_cost(c->epsilon_num) && is_cost(c->pure) && is_cost(c->apart) &&
               is_cost(c->failure);
  for (size_t i = 0; sound && i < c->corner_count; i++) {
    const gaussian_corner *corner = &c->corners[i];
    sound = is_cost(corner->count) && corner->count >= 1 && floor(corner->count) == corner->count &&
            is_cost(corner->ratio) && corner->ratio > 0 &&
            (i == 0 || corner->ratio <= c->corners[i - 1].ratio);
  }
  return sound && (c->fits == 0 || c->corner_count > 0);
}

/* α(α−1) times the integral from 0 to t of e^{(α−1)x} + e^{−αx}, with the factor e^t − e^x, */
static double spread(double order, double t) {
  return 4 * math_exp(t / 2) * math_sinh(order * t / 2) * math_sinh((order - 1) * t / 2);
}

/* and without. */
static double level(double order, double t) {
  return order * math_expm1((order - 1) * t) - (order - 1) * math_expm1(-order * t);
}

/* V − 1 for randomized response is cosh((α−½)ε)/cosh(ε/2) − 1, here as a product. */
double renyi_of_pure(double order, double epsilon) {
  if (order * epsilon < 100) {
    double moment = spread(order, epsilon) / (math_exp(epsilon) + 1);
    return upwards(fmin(math_log1p(moment) / (order - 1), epsilon));
  }
  /* the same where that would overflow: log V = (α−1)ε + log(1 + e^{−(2α−1)ε}) − log(1 + e^{−ε}) */
  double less = math_log1p(math_exp(-epsilon)) - math_log1p(math_exp(-(2 * order - 1) * epsilon));
  return upwards(epsilon - less / (order - 1));
}

static double normal(double x) {
  return math_erfc(-x * half_root) / 2;
}

/* H(τ), δ_G(τ; m) of the corners added up, and more than what that can lose by cancelling. */
static double profile(const privacy_curve *c, double tau) {
  double sum = 0;
  for (size_t i = 0; i < c->corner_count; i++) {
    double m = c->corners[i].ratio, u = tau / m;
    double near = normal(m / 2 - u), far = math_exp(tau) * normal(-m / 2 - u);
    sum += c->corners[i].count * (near - far + 1e-14 * near);
  }
  return sum;
}

/* Of two records whose slopes move each has corners of its own beside the longest, which comes
 * first (curve_is_sound). */
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
  double noise = (delta - c->failure) / (fits * math_exp(c->epsilon_num)); /* gaussian.md 6 */
  if (c->fits == 0 || DEFECT("curve-believed")) {
    return true;
  }
  return each > 0 && c->apart <= epsilon && core >= -1e-8 * each && has_all_corners(c, adding) &&
         (c->mean == 0 ||
          c->mean >= fmin(c->slack, (adding ? 0.39 : 0.195) * c->corners[0].ratio)) &&
         c->epsilon_num * 1000 >= 0.99 * each &&
         c->failure >= 2 * fits * math_exp(-NOISE_TAIL) * (1 - relative) && c->failure <= delta &&
         profile(c, fmax(core, 0)) >= 0.4 * noise;
}

/* A sum whose terms cancel, and more than what that can lose: 1e-14 of their sizes, which is far
 * above a few units of 2^-53. Besides, the rounding of an argument x moves e^x by |x| units and a
 * normal tail by x^2 units: more than 1e-14 beyond 30 and 6. There tails are below 1e-9 of V, or
 * terms have a size of e^30 and do not cancel to less than a tenth, so that what is lost stays far
 * below the relative 1e-9 and absolute 1e-12 that costs are raised by
 * (tests/property/divergence_bound_test.c compares with 256 bits). */
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
  double m = corner->ratio, u = chord / m, grown = math_exp(order * (order - 1) * m * m / 2);
  double near = normal(m / 2 - u), far = normal(-m / 2 - u);
  const double above[] = {grown * normal((order - 0.5) * m - u),
                          -order * math_exp((order - 1) * chord) * near,
                          (order - 1) * math_exp(order * chord) * far};
  const double below[] = {grown * normal(-(order - 0.5) * m - u),
                          -order * math_exp(-(order - 1) * chord) * far,
                          (order - 1) * math_exp(-order * chord) * near};
  moment_add(v, corner->count * math_exp((order - 1) * slack), above);
  moment_add(v, corner->count * math_exp(-order * slack), below);
}

/* A loss of privacy t, a bound on both hockey sticks there, and the integrals up to it. */
typedef struct place {
  double t, rise, bound, spread, level; /* rise: e^t − 1 */
} place;

static place place_at(double order, double t, double bound) {
  return (place){t, math_expm1(t), bound, spread(order, t), level(order, t)};
}

/* The integral up to a place, below both chords: randomized response with its bound mixed in. */
static void add_middle(moment *v, const place *a) {
  v->sum += (1 - a->bound) / (a->rise + 2) * a->spread + a->bound * a->level;
}

/* From one place to the next, below the straight line between their bounds. */
static void add_between(moment *v, const place *a, const place *b) {
  double width = b->rise - a->rise, slope = (a->bound - b->bound) / width;
  v->sum += slope * (b->spread - a->spread - width * a->level) + b->bound * (b->level - a->level);
  v->error += 1e-13 * (fabs(slope) * (b->spread + width * a->level) + b->bound * b->level);
}

/* Places in units of the longest corner. Any are valid; all machines take the least V alike. */
static const double steps[] = {0,    0.125, 0.25, 0.375, 0.5,  0.625, 0.75, 0.875, 1,   1.125,
                               1.25, 1.375, 1.5,  1.625, 1.75, 1.875, 2,    2.25,  2.5, 2.75,
                               3,    3.25,  3.5,  3.75,  4,    4.5,   5,    6,     8};
enum { STEPS = sizeof steps / sizeof *steps };

/* What holds at t of Lemma C5: H(t) and the determinants' mean; behind K, H(t − K). */
static double stick_at(const privacy_curve *c, double t) {
  double by_mean = profile(c, t) + c->mean;
  return t < c->slack ? by_mean : fmin(by_mean, profile(c, t - c->slack));
}

/* The V − 1 of Lemma C4 with the tail behind `end`. */
static double least_before(const place *starts, size_t count, const place *end, moment tail) {
  moment v = tail;
  add_middle(&v, end);
  double least = v.sum + v.error;
  for (size_t i = 0; i < count && starts[i].t < end->t; i++) {
    v = tail;
    add_middle(&v, &starts[i]);
    add_between(&v, &starts[i], end);
    least = fmin(least, v.sum + v.error);
  }
  return least;
}

/* NaN where a factor is beyond doubles is no bound: fmin leaves it out, and so does this. */
static double least_moment(double order, const privacy_curve *c) {
  place starts[STEPS];
  size_t count = c->mean > 0 ? STEPS - 1 : 0;
  double longest = 0, least = (double)INFINITY;
  for (size_t i = 0; i < c->corner_count; i++) {
    longest = fmax(longest, c->corners[i].ratio);
  }
  for (size_t i = 0; i < count; i++) {
    double t = steps[i + 1] * longest;
    starts[i] = place_at(order, t, stick_at(c, t));
  }
  for (size_t i = 0; i < STEPS; i++) {
    double chord = steps[i] * longest;
    const place end = place_at(order, c->slack + chord, profile(c, chord));
    moment tail = {0, 0};
    for (size_t j = 0; j < c->corner_count; j++) {
      add_tail(&tail, order, c->slack, chord, &c->corners[j]);
    }
    least = fmin(least, least_before(starts, count, &end, tail));
  }
  return least;
}

/* Lemma C4 and the simpler bound of C5, whichever is smaller. */
static double one_fit(double order, const privacy_curve *given) {
  privacy_curve c = *given;
  double sum = 1;
  c.corner_count = DEFECT("corners-left-out") ? 1 : c.corner_count;
  for (size_t i = 0; i < c.corner_count; i++) {
    double m = c.corners[i].ratio;
    sum += c.corners[i].count * math_exp(order * (order - 1) * m * m / 2);
  }
  double most = least_moment(order, &c);
  double of_profile = isfinite(most) ? math_log1p(fmax(most, 0)) / (order - 1) : (double)INFINITY;
  double of_corners = isfinite(sum) ? c.slack + math_log(sum) / (order - 1) : (double)INFINITY;
  return fmin(of_profile, of_corners);
}

double renyi_of_curve(double order, const privacy_curve *c) {
  double lattice = (2 * order - 1) / (order - 1) * c->epsilon_num; /* Lemma C6 */
  double cost = c->pure > 0 ? renyi_of_pure(order, c->pure) : 0;
  if (c->fits > 0) {
    cost += (double)c->fits * (one_fit(order, c) + lattice);
  }
  return fmax(upwards(cost), c->apart > 0 ? renyi_of_pure(order, c->apart) : 0); /* Lemma C11 */
}

double renyi_budget(double order, double epsilon, double delta) {
  /* Lemma C2: δ = e^{(α−1)(R−ε)}·(1/α)(1−1/α)^{α−1} */
  double conversion = math_log1p(-1 / order) - (math_log(order) + math_log(delta)) / (order - 1);
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
