/* The sup for logistic and smoothed hinge is that of φ(x) = A·s(x) + log(1 + κ·a(x)) on [0, 1],
 * with s and a concave, so φ is concave. A concave function lies below each of its tangents, so the
 * tangent at *any* point gives a rigorous bound on all of [0, 1]; bisection only looks for a point
 * where the bound is good, and need not be trusted. */
#include "verify/noise_bound.h"

#include <math.h>
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

/* x = s: a = c(1 − s²), c = 1/h (docs/proofs/residual.md). */
static loss_shape log_cosh_shape(interval x) {
  return (loss_shape){.s = x,
                      .s_rise = interval_of(1),
                      .a = interval_sub(interval_of(1), interval_mul(x, x)),
                      .a_rise = interval_mul(interval_of(-2), x)};
}

static const known_loss known_losses[] = {
    {"logistic", 1, 0.25, false, false, false, logistic_shape, 0.5},
    {"huber", 1, 0.5, true, false, false, NULL, 0},
    {"smooth-hinge", 1, 0.75, true, false, false, hinge_shape, 0},
    {"log-cosh", 1, 1, true, true, false, log_cosh_shape, 0},
    {"huber-regression", 1, 1, true, true, false, NULL, 0},
    {"quantile", 1, 0.25, true, true, true, logistic_shape, 0.5},
    {"poisson", 1, 1, false, true, false, NULL, 0},
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
  interval a, k;    /* A and κc, */
  interval less;    /* and 1 − L */
  interval classes; /* of a joint fit, whose k is κ */
};

static interval value_at(const curve *f, interval x) {
  loss_shape at = f->shape(x);
  return interval_add(interval_mul(f->a, interval_sub(at.s, f->less)),
                      interval_log1p(interval_mul(f->k, at.a)));
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
                   .k = interval_mul(kappa, loss->smoothness),
                   .less = interval_sub(interval_of(1), loss->lipschitz)};
  const interval sup = f.shape ? sup_on_unit(&f) : interval_add(steepest, interval_log1p(f.k));
  return adding ? sup : interval_add(steepest, sup);
}

/* ---- joint classes */

/* The k scores have slopes p − e_y, of l2 norm ≤ √2, and curvature Diag(p) − ppᵀ, of norm ≤ 1/2. */
loss_facts joint_facts(void) {
  return (loss_facts){
      .known = NULL, .lipschitz = interval_sqrt(interval_of(2)), .smoothness = interval_of(0.5)};
}

/* With x = 1 − p_y, det(I + κ(Diag(p) − ppᵀ)) is largest where the other classes are equally
 * probable: (1 + κx/(k−1))^{k−2}·(1 + κkx(1−x)/(k−1)), whose logarithms are concave in x. */
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

/* ---- gaussian noise
 *
 * The formulas of the lemmas as they stand: at 256 bits nothing is lost where their terms cancel.
 * Hockey sticks are convex, so between two places where they are bounded they lie below the chord;
 * any places will do, and the best of some is taken. The slack of the Jacobians is a line over the
 * slope s that stays above log(1 + kappa·a(s)): for losses with a shape a is a concave function of
 * s, so *any* tangent will do; bisection only looks for a good one, and need not be trusted. */

static interval number(double value) {
  return interval_of(value);
}

static interval times(double factor, interval a) {
  return interval_mul(number(factor), a);
}

/* ---- corners */

static noise_corner corner(double count, double square, interval a) {
  return (noise_corner){count, interval_mul(interval_sqrt(number(square)), a)};
}

/* Stein's identity bounds the mean of z/(1 + z), z what a determinant grows by, at most `most`; its
 * logarithm is at most (1 + most)·log(1 + most)/most times that. `steepest` is the mean of the
 * largest product of slopes and standard normals. */
static interval mean_of(interval most, interval a, interval steepest) {
  const interval whole = interval_mul(interval_add(number(1), most), interval_log1p(most));
  return interval_mul(interval_mul(a, steepest), interval_div(whole, most));
}

static const double normal_peak = 0.3989422804014328; /* above 1/sqrt(2 pi) */

noise_profile profile_of_shift(interval shift) {
  return (noise_profile){number(0), number(0), {{1, shift}}, 1};
}

static bool both_signs(const loss_facts *loss) {
  return !loss->known || loss->known->numbers;
}

noise_profile profile_of_loss(const loss_facts *loss, bool adding, interval kappa, interval a) {
  const interval most = interval_mul(kappa, loss->smoothness),
                 step = interval_mul(a, loss->lipschitz);
  const double signs = both_signs(loss) ? 2 : 1;
  noise_profile p = {.slack = interval_log1p(most)};
  p.mean = mean_of(most, step, number(signs * normal_peak));
  if (adding) {
    p.corners[p.count++] = corner(signs, 1, step);
    return p;
  }
  p.corners[p.count++] = corner(signs, 4, step);
  p.corners[p.count++] = both_signs(loss) ? corner(2, 2, step) : corner(2, 1, step);
  return p;
}

/* ---- delta */

/* One Gaussian against another whose mean is `shift` deviations away. */
static interval delta_of_shift(interval epsilon, interval shift) {
  const interval two = number(2), root = interval_sqrt(two);
  const interval ratio = interval_div(epsilon, shift), half = interval_div(shift, two);
  interval near = interval_erfc(interval_div(interval_sub(ratio, half), root));
  interval far = interval_erfc(interval_div(interval_add(ratio, half), root));
  return interval_div(interval_sub(near, interval_mul(interval_exp(epsilon), far)), two);
}

/* The corners' hockey stick at a loss t. */
static interval stick(const noise_profile *p, interval t) {
  interval sum = number(0);
  for (size_t i = 0; i < p->count; i++) {
    sum = interval_add(sum, times(p->corners[i].count, delta_of_shift(t, p->corners[i].ratio)));
  }
  return sum;
}

interval delta_of_proof(interval epsilon, const noise_proof *p) {
  interval sum = number(0);
  for (size_t i = 0; i < p->count; i++) {
    const interval left = interval_sub(epsilon, p->slack[i]);
    sum = interval_add(sum, times(p->corners[i].count, delta_of_shift(left, p->corners[i].ratio)));
  }
  return interval_at_most(p->most, epsilon) ? sum : number(INFINITY);
}

noise_proof proof_of_profile(const noise_profile *p) {
  noise_proof out = {.most = p->slack, .count = p->count};
  for (size_t i = 0; i < p->count; i++) {
    out.corners[i] = p->corners[i];
    out.slack[i] = p->slack;
  }
  return out;
}

/* The ends of a line, at slopes of 0 and of L. */
typedef struct line {
  interval zero, steepest;
} line;

/* The tangent at a place of the shape where a falls with s. */
static line tangent_at(const loss_facts *loss, interval k, double place) {
  /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) */
  const loss_shape at = loss->known->shape(number(place));
  const interval bend = interval_add(number(1), interval_mul(k, at.a));
  const interval value = interval_log1p(interval_mul(k, at.a));
  interval fall = interval_mul(k, interval_sub(number(0), at.a_rise));
  fall = interval_div(interval_div(fall, bend), at.s_rise);
  const interval less = interval_sub(number(1), loss->lipschitz);
  return (line){interval_add(value, interval_mul(fall, interval_sub(at.s, less))),
                interval_sub(value, interval_mul(fall, interval_sub(number(1), at.s)))};
}

/* What a line proves: the corners of two records' slopes, each with what the slack leaves of
 * epsilon; s = 0 adds nothing to a record more. Of both signs there are two boxes, which meet at s
 * = 0: two corners each of (L, L), (L, −L) and (0, L). */
static noise_proof proof_of_line(bool both, bool adding, const line *l, interval step) {
  noise_proof p = {.most = l->zero};
  const double signs = both ? 2 : 1;
  const interval level = both && !adding ? interval_mul(interval_sqrt(number(2)), step) : step;
  const noise_corner corners[] = {{signs, level}, {signs, step}, {signs, times(2, step)}};
  const interval slack[] = {l->steepest, l->zero, l->steepest};
  for (p.count = 0; p.count < (adding ? 1 : 3); p.count++) {
    p.corners[p.count] = corners[p.count];
    p.slack[p.count] = slack[p.count];
  }
  return p;
}

/* Whether a corner with the slack at s = 0 costs no more than one twice as far with the other. */
static bool pays(const line *l, bool both, bool adding, interval epsilon) {
  const double part = adding ? 0 : both ? 0.5 : 0.55;
  const interval wide = times(part, interval_sub(epsilon, l->steepest));
  return interval_at_most(wide, interval_sub(epsilon, l->zero));
}

/* Each line is a proof of its own: the flat one, the profile's, as kappa·a <= k; the best at this
 * epsilon of all tangents that are met; and the last of them, next to which the noise's own is. */
size_t proofs_of_loss(const loss_facts *loss, bool adding, interval kappa, interval epsilon,
                      interval a, noise_proof out[PROOFS_MOST]) {
  const interval k = interval_mul(kappa, loss->smoothness);
  const interval step = interval_mul(a, loss->lipschitz);
  const noise_profile flat = profile_of_loss(loss, adding, kappa, a);
  double least = INFINITY;
  bool shaped = loss->known && loss->known->shape;
  double low = shaped ? loss->known->peak : 1, high = 1, place = high;
  out[0] = proof_of_profile(&flat);
  for (int i = 0; i < 45 && low < high; i++) {
    const line next = tangent_at(loss, k, place);
    const noise_proof proof = proof_of_line(both_signs(loss), adding, &next, step);
    const double proved = interval_upper(delta_of_proof(epsilon, &proof));
    bool paid = pays(&next, both_signs(loss), adding, epsilon);
    if (proved < least || i == 0) {
      least = proved;
      out[1] = proof;
    }
    if (paid || i == 0) {
      out[2] = proof;
    }
    *(paid ? &low : &high) = place;
    place = (low + high) / 2;
  }
  return shaped ? 3 : 1;
}

/* ---- integrals */

/* The standard normal law up to x. */
static interval normal(interval x) {
  const interval minus = interval_sub(number(0), x);
  return times(0.5, interval_erfc(interval_div(minus, interval_sqrt(number(2)))));
}

static interval power(interval exponent, interval t) { /* e^(exponent·t) */
  return interval_exp(interval_mul(exponent, t));
}

/* alpha(alpha - 1) times the integral from 0 to t of e^{(alpha-1)x} + e^{-alpha x}, spread with a
 * factor e^t - e^x and level without. */
static interval spread(interval order, interval t) {
  const interval one = number(1);
  interval ends = interval_add(one, interval_exp(t));
  interval powers = interval_add(power(order, t), power(interval_sub(one, order), t));
  return interval_sub(powers, ends);
}

static interval level(interval order, interval t) {
  const interval one = number(1), less = interval_sub(order, one);
  interval up = interval_mul(order, interval_sub(power(less, t), one));
  interval down = power(interval_sub(number(0), order), t);
  return interval_add(up, interval_mul(less, interval_sub(one, down)));
}

/* The integrals behind tau of a corner, of e^{(alpha-1)t} and of e^{-alpha t} (C4). */
static interval tail_of(interval order, interval slack, interval tau, const noise_corner *c) {
  const interval one = number(1), less = interval_sub(order, one), m = c->ratio;
  const interval half = times(0.5, m), u = interval_div(tau, m), zero = number(0);
  const interval near = normal(interval_sub(half, u));
  const interval far = normal(interval_sub(interval_sub(zero, half), u));
  const interval square = interval_mul(interval_mul(order, less), interval_mul(m, m));
  const interval grown = interval_exp(times(0.5, square));
  const interval moved = interval_mul(interval_sub(order, number(0.5)), m);
  interval above = interval_mul(grown, normal(interval_sub(moved, u)));
  above = interval_sub(above, interval_mul(interval_mul(order, power(less, tau)), near));
  above = interval_add(above, interval_mul(interval_mul(less, power(order, tau)), far));
  const interval back = interval_sub(zero, tau);
  interval below = interval_mul(grown, normal(interval_sub(interval_sub(zero, moved), u)));
  below = interval_sub(below, interval_mul(interval_mul(order, power(less, back)), far));
  below = interval_add(below, interval_mul(interval_mul(less, power(order, back)), near));
  above = interval_mul(above, power(less, slack));
  below = interval_mul(below, power(order, interval_sub(zero, slack)));
  return times(c->count, interval_add(above, below));
}

/* ---- the bound */

/* A loss of privacy, what its hockey sticks are at most, and the integrals up to it. */
typedef struct place {
  interval t, bound, spread, level;
} place;

static place place_at(interval order, interval t, interval bound) {
  return (place){t, bound, spread(order, t), level(order, t)};
}

/* Up to a place, below the chord of both orders of the neighbours. */
static interval up_to(const place *a) {
  const interval one = number(1), ends = interval_add(interval_exp(a->t), one);
  interval chord = interval_div(interval_mul(interval_sub(one, a->bound), a->spread), ends);
  return interval_add(chord, interval_mul(a->bound, a->level));
}

/* From a place to another, below the chord. */
static interval from_to(const place *a, const place *b) {
  const interval width = interval_sub(interval_exp(b->t), interval_exp(a->t));
  const interval slope = interval_div(interval_sub(a->bound, b->bound), width);
  interval rest = interval_sub(interval_sub(b->spread, a->spread), interval_mul(width, a->level));
  interval flat = interval_mul(b->bound, interval_sub(b->level, a->level));
  return interval_add(interval_mul(slope, rest), flat);
}

/* In units of the longest corner. */
static double step_of(size_t i) {
  return i <= 16   ? 0.125 * (double)i
         : i <= 24 ? 2 + 0.25 * (double)(i - 16)
                   : (const double[]){4.5, 5, 6, 8}[i - 25];
}
enum { PLACES = 29 };

/* V - 1 of C4 at its best. */
static interval least_moment(interval order, const noise_profile *p) {
  const interval longest = p->corners[0].ratio;
  place starts[PLACES];
  size_t count = 0;
  interval least = number(0);
  for (size_t i = 1; i < PLACES; i++) {
    interval t = times(step_of(i), longest), bound = interval_add(stick(p, t), p->mean);
    if (interval_at_most(p->slack, t)) {
      bound = interval_min(bound, stick(p, interval_sub(t, p->slack)));
    }
    starts[count++] = place_at(order, t, bound);
  }
  for (size_t i = 0; i < PLACES; i++) {
    const interval tau = times(step_of(i), longest);
    const place end = place_at(order, interval_add(p->slack, tau), stick(p, tau));
    interval tail = number(0);
    for (size_t j = 0; j < p->count; j++) {
      tail = interval_add(tail, tail_of(order, p->slack, tau, &p->corners[j]));
    }
    interval best = up_to(&end);
    for (size_t j = 0; j < count; j++) {
      if (interval_above_zero(interval_sub(end.t, starts[j].t))) {
        best = interval_min(best, interval_add(up_to(&starts[j]), from_to(&starts[j], &end)));
      }
    }
    best = interval_add(best, tail);
    least = i == 0 ? best : interval_min(least, best);
  }
  return least;
}

interval divergence_of_pure(interval order, interval epsilon) {
  const interval one = number(1), ends = interval_add(interval_exp(epsilon), one);
  interval moment = interval_div(spread(order, epsilon), ends);
  return interval_div(interval_log1p(moment), interval_sub(order, one));
}

/* C4, or what the corners add up to with the whole slack (C5). */
interval divergence_of_noise(interval order, const noise_profile *p) {
  const interval less = interval_sub(order, number(1));
  interval sum = number(0);
  for (size_t i = 0; i < p->count; i++) {
    const interval m = p->corners[i].ratio;
    interval square = interval_mul(interval_mul(order, less), interval_mul(m, m));
    sum = interval_add(sum, times(p->corners[i].count, interval_exp(times(0.5, square))));
  }
  interval crude = interval_add(p->slack, interval_div(interval_log1p(sum), less));
  return interval_min(interval_div(interval_log1p(least_moment(order, p)), less), crude);
}
