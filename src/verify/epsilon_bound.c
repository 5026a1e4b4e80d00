/* The sup for logistic and smoothed hinge is that of φ(x) = A·s(x) + log(1 + κ·a(x)) on [0, 1],
 * with s and a concave, so φ is concave. A concave function lies below each of its tangents, so the
 * tangent at *any* point gives a rigorous bound on all of [0, 1]; bisection only looks for a point
 * where the bound is good, and need not be trusted. */
#include "verify/epsilon_bound.h"

#include <string.h>

/* ---- the losses */

/* x = s; a = s(1−s), and c = 1/4. */
static loss_shape logistic_shape(interval_arena *arena, const interval *x) {
  const interval *one = interval_of(arena, 1), *four = interval_of(arena, 4);
  const interval *rest = interval_sub(arena, one, x);
  return (loss_shape){.s = x,
                      .s_rise = one,
                      .a = interval_mul(arena, four, interval_mul(arena, x, rest)),
                      .a_rise = interval_mul(arena, four, interval_sub(arena, rest, x))};
}

/* x = u = (1−z)/h: s = (2 + 3u − u³)/4, a = c(1 − u²). For u ≤ 0 both rise with u, for u ≥ 1 φ
 * stays at φ(1) = A: the sup is on [0, 1], where −u³ and −u² are concave. */
static loss_shape hinge_shape(interval_arena *arena, const interval *x) {
  const interval *one = interval_of(arena, 1), *two = interval_of(arena, 2);
  const interval *square = interval_mul(arena, x, x), *a = interval_sub(arena, one, square);
  const interval *odd = interval_mul(arena, x, interval_add(arena, two, a)); /* 3u − u³ */
  return (loss_shape){
      .s = interval_mul(arena, interval_of(arena, 0.25), interval_add(arena, two, odd)),
      .s_rise = interval_mul(arena, interval_of(arena, 0.75), a),
      .a = a,
      .a_rise = interval_mul(arena, interval_of(arena, -2), x)};
}

static const known_loss known_losses[] = {
    {"logistic", 1, 0.25, false, logistic_shape},
    {"huber", 1, 0.5, true, NULL},
    {"smooth-hinge", 1, 0.75, true, hinge_shape},
};

const known_loss *known_loss_find(const char *name) {
  for (size_t i = 0; i < sizeof known_losses / sizeof *known_losses; i++) {
    if (strcmp(known_losses[i].name, name) == 0) {
      return &known_losses[i];
    }
  }
  return NULL;
}

/* ---- the bound */

typedef struct curve {
  loss_shape (*shape)(interval_arena *arena, const interval *x);
  const interval *a, *k; /* A and κc */
} curve;

static const interval *value_at(interval_arena *arena, const curve *f, const interval *x) {
  loss_shape at = f->shape(arena, x);
  return interval_add(arena, interval_mul(arena, f->a, at.s),
                      interval_log1p(arena, interval_mul(arena, f->k, at.a)));
}

/* φ′ = A·s′ + κa′/(1 + κa). */
static const interval *slope_at(interval_arena *arena, const curve *f, const interval *x) {
  loss_shape at = f->shape(arena, x);
  const interval *one = interval_of(arena, 1), *bend = interval_mul(arena, f->k, at.a);
  const interval *inner =
      interval_div(arena, interval_mul(arena, f->k, at.a_rise), interval_add(arena, one, bend));
  return interval_add(arena, interval_mul(arena, f->a, at.s_rise), inner);
}

/* A point near the maximum on [0, 1]: 200 halvings, exact in 256 bits. */
static const interval *near_maximum(interval_arena *arena, const curve *f) {
  interval *low = interval_variable(arena, 0), *high = interval_variable(arena, 1);
  const interval *half = interval_of(arena, 0.5);
  size_t mark = interval_mark(arena);
  for (int i = 0; i < 200; i++) {
    const interval *middle = interval_mul(arena, half, interval_add(arena, low, high));
    bool rises = interval_above_zero(slope_at(arena, f, middle));
    interval_set(arena, rises ? low : high, middle);
    interval_release(arena, mark);
  }
  return low;
}

/* φ(x) ≤ φ(p) + φ′(p)(x − p) for all x in [0, 1], which is largest at one of the ends. */
static const interval *sup_on_unit(interval_arena *arena, const curve *f) {
  const interval *p = near_maximum(arena, f), *slope = slope_at(arena, f, p);
  const interval *back = interval_sub(arena, interval_of(arena, 0), slope);
  const interval *rest = interval_sub(arena, interval_of(arena, 1), p);
  const interval *up = interval_mul(arena, interval_positive(arena, slope), rest);
  const interval *down = interval_mul(arena, interval_positive(arena, back), p);
  return interval_add(arena, value_at(arena, f, p), interval_add(arena, up, down));
}

const interval *epsilon_bound(interval_arena *arena, const loss_facts *loss, const interval *kappa,
                              const interval *a) {
  const interval *steepest = interval_mul(arena, a, loss->lipschitz);
  const curve f = {.shape = loss->known ? loss->known->shape : NULL,
                   .a = a,
                   .k = interval_mul(arena, kappa, loss->smoothness)};
  const interval *sup =
      f.shape ? sup_on_unit(arena, &f) : interval_add(arena, steepest, interval_log1p(arena, f.k));
  return interval_add(arena, steepest, sup);
}
