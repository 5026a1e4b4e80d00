/* The audit's constructions without sampling. Densities are written down again here, normalized and
 * integrated: they are densities, the pair's log-ratio is theirs, it never passes the claim, comes
 * close to it, and so does the ratio of the probabilities of an event that an audit would choose.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/worst_pair.h"
#include "loss/loss.h"
#include "mechanism/privacy_plan.h"
#include "reference.h"
#include "statistics.h"

static const double epsilons[] = {0.1, 0.5, 1, 3};
static const char *const losses[] = {
    "huber", "smooth-hinge", "logistic", "log-cosh", "huber-regression", "quantile", "poisson"};
enum { EPSILONS = 4, LOSSES = 7, DRAWS = 400000 };

static worst_pair make(int kind, const char *loss, double epsilon) {
  worst_pair pair;
  assert_ok(worst_pair_make(kind, loss, epsilon, 0, DRAWS, &pair, err));
  return pair;
}

static double length(const double *v, size_t dims) {
  double sum = 0;
  for (size_t j = 0; j < dims; j++) {
    sum += v[j] * v[j];
  }
  return sqrt(sum);
}

/* The density of the released f, all constants included: c·e^(−β‖b‖) |det ∂b/∂f| with c = β/2 in
 * one dimension and β²/(2π) in two. */
static double density(const worst_pair *p, int side, const double *f) {
  double front = p->dims == 1 ? p->beta / 2 : p->beta * p->beta / (2 * 3.14159265358979324);
  double b[PAIR_DIMS], z = 0, slope = 0, bend = 0;
  const double *w = p->w[side];
  for (size_t j = 0; j < p->dims; j++) {
    z += w[j] * f[j];
  }
  slope_at_score(&p->loss, loss_of_numbers(&p->loss) ? p->label[side] : 1, z, &slope, &bend);
  for (size_t j = 0; j < p->dims; j++) {
    b[j] = p->mechanism == DPERM_MECHANISM_OUTPUT
               ? f[j] - p->minimizer[side][j]
               : -slope * w[j] - p->lambda * (f[j] - p->centre[j]);
  }
  double volume = 1;
  if (p->mechanism == DPERM_MECHANISM_OBJECTIVE) {
    double square = length(w, p->dims) * length(w, p->dims);
    volume = (p->lambda + bend * square) * (p->dims == 2 ? p->lambda : 1);
  }
  return front * exp(-p->beta * length(b, p->dims)) * volume;
}

/* How far the result strays, in units of f. */
static double reach(const worst_pair *p) {
  return p->mechanism == DPERM_MECHANISM_OUTPUT ? 1 / p->beta : 1 / p->beta / p->lambda;
}

typedef struct integrals {
  double mass[2], event[2], most;
} integrals;

/* Sums over a fine grid around the centre, wide enough for all but e^−12 or so. */
static integrals integrate(const worst_pair *p, double threshold) {
  size_t steps = p->dims == 1 ? 100000 : 600;
  double half = 12 * reach(p) + 2 * p->norm / p->lambda, step = 2 * half / (double)steps;
  double cell = p->dims == 1 ? step : step * step, middle[PAIR_DIMS] = {0};
  integrals sums = {{0, 0}, {0, 0}, -INFINITY};
  for (size_t j = 0; j < p->dims; j++) {
    middle[j] = (p->minimizer[0][j] + p->minimizer[1][j]) / 2;
  }
  for (size_t i = 0; i < (p->dims == 1 ? 1 : steps); i++) {
    for (size_t k = 0; k < steps; k++) {
      double f[PAIR_DIMS] = {middle[0] - half + step * ((double)k + 0.5), 0, 0};
      f[1] = p->dims == 2 ? middle[1] - half + step * ((double)i + 0.5) : 0;
      double first = density(p, 0, f), second = density(p, 1, f), ratio = pair_log_ratio(p, f);
      if (first > 1e-200 && second > 1e-200) {
        assert_close(ratio, log(first / second), 1e-6 * (1 + fabs(ratio)));
      }
      sums.mass[0] += first * cell;
      sums.mass[1] += second * cell;
      sums.most = fmax(sums.most, ratio);
      if (ratio >= threshold) {
        sums.event[0] += first * cell;
        sums.event[1] += second * cell;
      }
    }
  }
  return sums;
}

/* What the log-ratio and the event's reach at least, in shares of ε. */
static void check(int kind, const char *loss, double epsilon, double most, double event) {
  worst_pair p = make(kind, loss, epsilon);
  integrals sums = integrate(&p, 0.9 * epsilon);
  assert_close(sums.mass[0], 1, 0.01);
  assert_close(sums.mass[1], 1, 0.01);
  double bound = log(sums.event[0] / sums.event[1]);
  assert_true(sums.most <= epsilon * (1 + 1e-9) && bound <= epsilon * (1 + 1e-9));
  if (!(sums.most >= most * epsilon && bound >= event * epsilon && sums.event[0] > 0.003)) {
    fail_msg("%s, epsilon %g: at most %g, event %g of probability %g", loss, epsilon,
             sums.most / epsilon, bound / epsilon, sums.event[0]);
  }
}

TEST(pairs_are_tight_or_nearly_and_never_beyond_the_claim) {
  static const struct {
    int kind;
    const char *loss;
    double most, event;
  } list[] = {{PAIR_OUTPUT, "huber", 1 - 1e-9, 0.99},
              {PAIR_OUTPUT, "smooth-hinge", 1 - 1e-9, 0.99},
              {PAIR_OUTPUT, "logistic", 0.99, 0.9},
              {PAIR_OUTPUT + PAIR_ADD, "huber", 1 - 1e-9, 0.99},
              {PAIR_OUTPUT + PAIR_ADD, "smooth-hinge", 1 - 1e-9, 0.99},
              {PAIR_OUTPUT + PAIR_ADD, "logistic", 0.98, 0.9},
              {PAIR_OBJECTIVE, "huber", 0.99, 0.99},
              {PAIR_OBJECTIVE, "smooth-hinge", 0.99, 0.99},
              {PAIR_OBJECTIVE, "logistic", 0.99, 0.9},
              {PAIR_OBJECTIVE + PAIR_ADD, "huber", 0.99, 0.99},
              {PAIR_OBJECTIVE + PAIR_ADD, "smooth-hinge", 0.98, 0.98},
              {PAIR_OBJECTIVE + PAIR_ADD, "logistic", 0.98, 0.9},
              {PAIR_OUTPUT, "log-cosh", 0.99, 0.99},
              {PAIR_OUTPUT, "huber-regression", 1 - 1e-9, 0.99},
              {PAIR_OUTPUT, "quantile", 0.99, 0.99},
              {PAIR_OBJECTIVE, "log-cosh", 0.99, 0.99},
              {PAIR_OBJECTIVE, "huber-regression", 0.99, 0.99},
              {PAIR_OBJECTIVE, "quantile", 0.99, 0.99},
              {PAIR_OUTPUT + PAIR_ADD, "log-cosh", 0.99, 0.99},
              {PAIR_OBJECTIVE + PAIR_ADD, "huber-regression", 0.98, 0.98},
              {PAIR_OBJECTIVE + PAIR_ADD, "quantile", 0.98, 0.98},
              {PAIR_OUTPUT, "poisson", 0.99, 0.9},
              {PAIR_OUTPUT + PAIR_ADD, "poisson", 0.98, 0.9},
              {PAIR_OBJECTIVE, "poisson", 0.99, 0.9},
              {PAIR_OBJECTIVE + PAIR_ADD, "poisson", 0.98, 0.9}};
  for (size_t e = 0; e < EPSILONS; e++) {
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
      check(list[i].kind, list[i].loss, epsilons[e], list[i].most, list[i].event);
    }
    for (size_t l = 0; l < LOSSES; l++) {
      const bool counts = strcmp(losses[l], "poisson") == 0; /* bends hard at one end only */
      check(PAIR_JACOBIAN, losses[l], epsilons[e], counts ? 0.97 : 0.99, 0.9);
      check(PAIR_JACOBIAN + PAIR_ADD, losses[l], epsilons[e], counts ? 0.96 : 0.98, 0.9);
    }
  }
}

/* With ε′ = ε in place of ε − slack the ratio would pass the claim by all of it. */
TEST(jacobian_pairs_need_their_slack) {
  for (size_t l = 0; l < LOSSES; l++) {
    worst_pair p = make(PAIR_JACOBIAN, losses[l], 1);
    p.beta = 1 / (2 * p.norm * p.loss.lipschitz);
    integrals sums = integrate(&p, 1.05);
    assert_true(sums.most > 1.15 && sums.event[0] > 0.01);
  }
}

/* A pair has rows of exactly its norm, or next to it, and pulls that real fits could have. */
TEST(pairs_are_neighbours_within_the_bound) {
  for (int kind = PAIR_OUTPUT; kind <= PAIR_JACOBIAN + PAIR_ADD; kind++) {
    if (kind > PAIR_WEIGHTS && kind < PAIR_ADD) {
      continue;
    }
    for (size_t l = 0; l < LOSSES; l++) {
      for (size_t e = 0; e < EPSILONS; e++) {
        worst_pair p = make(kind, losses[l], epsilons[e]);
        assert_true(p.lambda > 0 && p.beta > 0 && p.dims >= 1 && p.dims <= PAIR_DIMS);
        assert_close(length(p.w[0], p.dims), p.norm, 1e-12);
        assert_true(fabs(p.label[0]) <= 1 && fabs(p.label[1]) <= 1);
        assert_close(length(p.w[1], p.dims), kind & PAIR_ADD ? 0 : p.norm, 1e-12);
      }
    }
  }
}
