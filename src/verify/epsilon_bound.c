/* The sup for logistic and smoothed hinge is that of a concave function on [0, 1]. A concave
 * function lies below each of its tangents, so the tangent at *any* point gives a rigorous bound on
 * all of [0, 1]; bisection only looks for a point where the bound is good, and need not be trusted.
 */
#include "verify/epsilon_bound.h"

typedef struct curve curve;
struct curve {
  const interval *one, *a, *k; /* k: kappa times the loss's factor on the curvature */
  const interval *(*value)(interval_room *room, const curve *f, const interval *x);
  const interval *(*slope)(interval_room *room, const curve *f, const interval *x);
};

/* ---- logistic: a = s(1−s), so x = s and φ(s) = A·s + log(1 + κ·s(1−s)). The inside of the
 * logarithm is concave and positive, so φ is concave. */

static const interval *logistic_curvature(interval_room *room, const curve *f, const interval *s) {
  return interval_mul(room, f->k, interval_mul(room, s, interval_sub(room, f->one, s)));
}

static const interval *logistic_value(interval_room *room, const curve *f, const interval *s) {
  return interval_add(room, interval_mul(room, f->a, s),
                      interval_log1p(room, logistic_curvature(room, f, s)));
}

static const interval *logistic_slope(interval_room *room, const curve *f, const interval *s) {
  const interval *under = interval_add(room, f->one, logistic_curvature(room, f, s));
  const interval *tilt = interval_sub(room, f->one, interval_add(room, s, s));
  return interval_add(room, f->a, interval_div(room, interval_mul(room, f->k, tilt), under));
}

/* ---- smoothed hinge: x = u = (1−z)/h, φ(u) = A(2 + 3u − u³)/4 + log(1 + κc(1−u²)), c = 3/(4h).
 * For u ≤ 0 both terms rise with u, for u ≥ 1 φ stays at φ(1) = A: the sup is on [0, 1], where −u³
 * and −u² are concave. */

static const interval *hinge_curvature(interval_room *room, const curve *f, const interval *u) {
  return interval_mul(room, f->k, interval_sub(room, f->one, interval_mul(room, u, u)));
}

static const interval *hinge_value(interval_room *room, const curve *f, const interval *u) {
  const interval *cube = interval_mul(room, u, interval_mul(room, u, u));
  const interval *rise = interval_sub(room, interval_mul(room, interval_of(room, 3), u), cube);
  const interval *s =
      interval_mul(room, interval_of(room, 0.25), interval_add(room, interval_of(room, 2), rise));
  return interval_add(room, interval_mul(room, f->a, s),
                      interval_log1p(room, hinge_curvature(room, f, u)));
}

static const interval *hinge_slope(interval_room *room, const curve *f, const interval *u) {
  const interval *gap = interval_sub(room, f->one, interval_mul(room, u, u));
  const interval *rise = interval_mul(room, interval_of(room, 0.75), interval_mul(room, f->a, gap));
  const interval *fall = interval_mul(room, interval_of(room, 2), interval_mul(room, f->k, u));
  const interval *under = interval_add(room, f->one, hinge_curvature(room, f, u));
  return interval_sub(room, rise, interval_div(room, fall, under));
}

/* ---- the bound */

/* A point near the maximum on [0, 1]: 200 halvings, exact in 256 bits. */
static const interval *near_maximum(interval_room *room, const curve *f) {
  interval *low = interval_variable(room, 0), *high = interval_variable(room, 1);
  const interval *half = interval_of(room, 0.5);
  size_t mark = interval_mark(room);
  for (int i = 0; i < 200; i++) {
    const interval *middle = interval_mul(room, half, interval_add(room, low, high));
    bool rises = interval_above_zero(f->slope(room, f, middle));
    interval_set(room, rises ? low : high, middle);
    interval_release(room, mark);
  }
  return low;
}

/* φ(x) ≤ φ(p) + φ′(p)(x − p) for all x in [0, 1], which is largest at one of the ends. */
static const interval *sup_on_unit(interval_room *room, const curve *f) {
  const interval *p = near_maximum(room, f), *slope = f->slope(room, f, p);
  const interval *back = interval_sub(room, interval_of(room, 0), slope);
  const interval *up =
      interval_mul(room, interval_positive(room, slope), interval_sub(room, f->one, p));
  const interval *down = interval_mul(room, interval_positive(room, back), p);
  return interval_add(room, f->value(room, f, p), interval_add(room, up, down));
}

const interval *epsilon_bound(interval_room *room, const loss_facts *loss, const interval *kappa,
                              const interval *a) {
  const interval *whole = interval_mul(room, a, loss->lipschitz), *sup = NULL;
  curve f = {.one = interval_of(room, 1), .a = a};
  switch (loss->rule) {
  case SUP_LOGISTIC:
    f.k = kappa;
    f.value = logistic_value;
    f.slope = logistic_slope;
    sup = sup_on_unit(room, &f);
    break;
  case SUP_SMOOTH_HINGE:
    f.k = interval_mul(room, kappa, loss->smoothness);
    f.value = hinge_value;
    f.slope = hinge_slope;
    sup = sup_on_unit(room, &f);
    break;
  case SUP_CONSTANTS:
    sup = interval_add(room, whole,
                       interval_log1p(room, interval_mul(room, kappa, loss->smoothness)));
    break;
  }
  return interval_add(room, whole, sup);
}
