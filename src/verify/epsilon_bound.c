/* The sup for logistic and smoothed hinge is that of a concave function on [0, 1]. A concave
 * function lies below each of its tangents, so the tangent at *any* point gives a rigorous bound on
 * all of [0, 1]; bisection only looks for a point where the bound is good, and need not be trusted.
 */
#include "verify/epsilon_bound.h"

typedef struct curve curve;
struct curve {
  const interval *one, *a, *k; /* k: kappa times the loss's factor on the curvature */
  const interval *(*value)(interval_arena *arena, const curve *f, const interval *x);
  const interval *(*slope)(interval_arena *arena, const curve *f, const interval *x);
};

/* ---- logistic: a = s(1−s), so x = s and φ(s) = A·s + log(1 + κ·s(1−s)). The inside of the
 * logarithm is concave and positive, so φ is concave. */

static const interval *logistic_curvature(interval_arena *arena, const curve *f,
                                          const interval *s) {
  return interval_mul(arena, f->k, interval_mul(arena, s, interval_sub(arena, f->one, s)));
}

static const interval *logistic_value(interval_arena *arena, const curve *f, const interval *s) {
  return interval_add(arena, interval_mul(arena, f->a, s),
                      interval_log1p(arena, logistic_curvature(arena, f, s)));
}

static const interval *logistic_slope(interval_arena *arena, const curve *f, const interval *s) {
  const interval *under = interval_add(arena, f->one, logistic_curvature(arena, f, s));
  const interval *tilt = interval_sub(arena, f->one, interval_add(arena, s, s));
  return interval_add(arena, f->a, interval_div(arena, interval_mul(arena, f->k, tilt), under));
}

/* ---- smoothed hinge: x = u = (1−z)/h, φ(u) = A(2 + 3u − u³)/4 + log(1 + κc(1−u²)), c = 3/(4h).
 * For u ≤ 0 both terms rise with u, for u ≥ 1 φ stays at φ(1) = A: the sup is on [0, 1], where −u³
 * and −u² are concave. */

static const interval *hinge_curvature(interval_arena *arena, const curve *f, const interval *u) {
  return interval_mul(arena, f->k, interval_sub(arena, f->one, interval_mul(arena, u, u)));
}

static const interval *hinge_value(interval_arena *arena, const curve *f, const interval *u) {
  const interval *cube = interval_mul(arena, u, interval_mul(arena, u, u));
  const interval *rise = interval_sub(arena, interval_mul(arena, interval_of(arena, 3), u), cube);
  const interval *s = interval_mul(arena, interval_of(arena, 0.25),
                                   interval_add(arena, interval_of(arena, 2), rise));
  return interval_add(arena, interval_mul(arena, f->a, s),
                      interval_log1p(arena, hinge_curvature(arena, f, u)));
}

static const interval *hinge_slope(interval_arena *arena, const curve *f, const interval *u) {
  const interval *gap = interval_sub(arena, f->one, interval_mul(arena, u, u));
  const interval *rise =
      interval_mul(arena, interval_of(arena, 0.75), interval_mul(arena, f->a, gap));
  const interval *fall = interval_mul(arena, interval_of(arena, 2), interval_mul(arena, f->k, u));
  const interval *under = interval_add(arena, f->one, hinge_curvature(arena, f, u));
  return interval_sub(arena, rise, interval_div(arena, fall, under));
}

/* ---- the bound */

/* A point near the maximum on [0, 1]: 200 halvings, exact in 256 bits. */
static const interval *near_maximum(interval_arena *arena, const curve *f) {
  interval *low = interval_variable(arena, 0), *high = interval_variable(arena, 1);
  const interval *half = interval_of(arena, 0.5);
  size_t mark = interval_mark(arena);
  for (int i = 0; i < 200; i++) {
    const interval *middle = interval_mul(arena, half, interval_add(arena, low, high));
    bool rises = interval_above_zero(f->slope(arena, f, middle));
    interval_set(arena, rises ? low : high, middle);
    interval_release(arena, mark);
  }
  return low;
}

/* φ(x) ≤ φ(p) + φ′(p)(x − p) for all x in [0, 1], which is largest at one of the ends. */
static const interval *sup_on_unit(interval_arena *arena, const curve *f) {
  const interval *p = near_maximum(arena, f), *slope = f->slope(arena, f, p);
  const interval *back = interval_sub(arena, interval_of(arena, 0), slope);
  const interval *up =
      interval_mul(arena, interval_positive(arena, slope), interval_sub(arena, f->one, p));
  const interval *down = interval_mul(arena, interval_positive(arena, back), p);
  return interval_add(arena, f->value(arena, f, p), interval_add(arena, up, down));
}

const interval *epsilon_bound(interval_arena *arena, const loss_facts *loss, const interval *kappa,
                              const interval *a) {
  const interval *whole = interval_mul(arena, a, loss->lipschitz), *sup = NULL;
  curve f = {.one = interval_of(arena, 1), .a = a};
  switch (loss->rule) {
  case SUP_LOGISTIC:
    f.k = kappa;
    f.value = logistic_value;
    f.slope = logistic_slope;
    sup = sup_on_unit(arena, &f);
    break;
  case SUP_SMOOTH_HINGE:
    f.k = interval_mul(arena, kappa, loss->smoothness);
    f.value = hinge_value;
    f.slope = hinge_slope;
    sup = sup_on_unit(arena, &f);
    break;
  case SUP_CONSTANTS:
    sup = interval_add(arena, whole,
                       interval_log1p(arena, interval_mul(arena, kappa, loss->smoothness)));
    break;
  }
  return interval_add(arena, whole, sup);
}
