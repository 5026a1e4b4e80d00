/* The sup for logistic and smoothed hinge is that of φ(x) = A·s(x) + log(1 + κ·a(x)) on [0, 1],
 * with s and a concave, so φ is concave. A concave function lies below each of its tangents, so the
 * tangent at *any* point gives a rigorous bound on all of [0, 1]; bisection only looks for a point
 * where the bound is good, and need not be trusted. */
#include "verify/epsilon_bound.h"

#include <string.h>

/* ---- the losses */

/* x = s; a = s(1−s), and c = 1/4. */
static loss_shape logistic_shape(interval x) {
  const interval one = interval_of(1), four = interval_of(4), rest = interval_sub(one, x);
  return (loss_shape){.s = x,
                      .s_rise = one,
                      .a = interval_mul(four, interval_mul(x, rest)),
                      .a_rise = interval_mul(four, interval_sub(rest, x))};
}

/* x = u = (1−z)/h: s = (2 + 3u − u³)/4, a = c(1 − u²). For u ≤ 0 both rise with u, for u ≥ 1 φ
 * stays at φ(1) = A: the sup is on [0, 1], where −u³ and −u² are concave. */
static loss_shape hinge_shape(interval x) {
  const interval two = interval_of(2), a = interval_sub(interval_of(1), interval_mul(x, x));
  const interval odd = interval_mul(x, interval_add(two, a)); /* 3u − u³ */
  return (loss_shape){.s = interval_mul(interval_of(0.25), interval_add(two, odd)),
                      .s_rise = interval_mul(interval_of(0.75), a),
                      .a = a,
                      .a_rise = interval_mul(interval_of(-2), x)};
}

static const known_loss known_losses[] = {
    {"logistic", 1, 0.25, false, logistic_shape, 0.5},
    {"huber", 1, 0.5, true, NULL, 0},
    {"smooth-hinge", 1, 0.75, true, hinge_shape, 0},
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

typedef struct curve curve;
struct curve {
  interval (*value)(const curve *f, interval x);
  interval (*slope)(const curve *f, interval x); /* its derivative */
  loss_shape (*shape)(interval x);
  interval a, k;    /* A and κc */
  interval classes; /* of a joint fit, whose k is κ */
};

static interval value_at(const curve *f, interval x) {
  loss_shape at = f->shape(x);
  return interval_add(interval_mul(f->a, at.s), interval_log1p(interval_mul(f->k, at.a)));
}

/* φ′ = A·s′ + κa′/(1 + κa). */
static interval slope_at(const curve *f, interval x) {
  loss_shape at = f->shape(x);
  interval bend = interval_add(interval_of(1), interval_mul(f->k, at.a));
  return interval_add(interval_mul(f->a, at.s_rise),
                      interval_div(interval_mul(f->k, at.a_rise), bend));
}

/* A point near the maximum on [0, 1]: 200 halvings, exact in 256 bits. */
static interval near_maximum(const curve *f) {
  interval low = interval_of(0), high = interval_of(1);
  for (int i = 0; i < 200; i++) {
    interval middle = interval_mul(interval_of(0.5), interval_add(low, high));
    *(interval_above_zero(f->slope(f, middle)) ? &low : &high) = middle;
  }
  return low;
}

/* φ(x) ≤ φ(p) + φ′(p)(x − p) for all x in [0, 1], which is largest at one of the ends. */
static interval sup_on_unit(const curve *f) {
  const interval p = near_maximum(f), slope = f->slope(f, p), zero = interval_of(0);
  interval up = interval_mul(interval_max(zero, slope), interval_sub(interval_of(1), p));
  interval down = interval_mul(interval_max(zero, interval_sub(zero, slope)), p);
  return interval_add(f->value(f, p), interval_add(up, down));
}

interval epsilon_bound(const loss_facts *loss, bool adding, interval kappa, interval a) {
  const interval steepest = interval_mul(a, loss->lipschitz);
  const curve f = {.value = value_at,
                   .slope = slope_at,
                   .shape = loss->known ? loss->known->shape : NULL,
                   .a = a,
                   .k = interval_mul(kappa, loss->smoothness)};
  const interval sup = f.shape ? sup_on_unit(&f) : interval_add(steepest, interval_log1p(f.k));
  return adding ? sup : interval_add(steepest, sup);
}

/* ---- joint classes */

/* The k scores of a record have slopes p − e_y, of l2 norm at most √2, and curvature Diag(p) − ppᵀ,
 * of norm at most 1/2. */
loss_facts joint_facts(void) {
  return (loss_facts){
      .known = NULL, .lipschitz = interval_sqrt(interval_of(2)), .smoothness = interval_of(0.5)};
}

/* With x = 1 − p_y the determinant of I + κ(Diag(p) − ppᵀ) is largest where the other classes are
 * equally probable, and is then (1 + κx/(k−1))^{k−2}·(1 + κkx(1−x)/(k−1)). Both logarithms are
 * concave in x. */
static interval joint_value(const curve *f, interval x) {
  const interval one = interval_of(1), rest = interval_sub(f->classes, one);
  interval share = interval_div(interval_mul(f->k, x), rest);
  interval last = interval_mul(share, interval_mul(f->classes, interval_sub(one, x)));
  interval others = interval_mul(interval_sub(rest, one), interval_log1p(share));
  interval slopes = interval_mul(interval_of(2), interval_mul(f->a, x));
  return interval_add(slopes, interval_add(others, interval_log1p(last)));
}

static interval joint_slope(const curve *f, interval x) {
  const interval one = interval_of(1), two = interval_of(2), rest = interval_sub(f->classes, one),
                 all = interval_mul(f->k, f->classes);
  interval others = interval_div(interval_mul(interval_sub(rest, one), f->k),
                                 interval_add(rest, interval_mul(f->k, x)));
  interval bend = interval_add(rest, interval_mul(all, interval_mul(x, interval_sub(one, x))));
  interval last = interval_div(interval_mul(all, interval_sub(one, interval_mul(two, x))), bend);
  return interval_add(interval_mul(two, f->a), interval_add(others, last));
}

interval joint_epsilon_bound(size_t classes, bool adding, interval kappa, interval a) {
  const curve f = {.value = joint_value,
                   .slope = joint_slope,
                   .a = a,
                   .k = kappa,
                   .classes = interval_of((double)classes)};
  return adding ? sup_on_unit(&f) : interval_add(interval_mul(interval_of(2), a), sup_on_unit(&f));
}
