/* See composed_delta.h. */
#include "mechanism/composed_delta.h"

#include <math.h>

#include "base/defect.h"
#include "base/functions.h"

/* ---- the law of steps, ΣX_i = (2j − m)ε with binomial probability */

typedef struct law {
  size_t count;
  double values[STEPS_MOST + 1], masses[STEPS_MOST + 1]; /* masses are rounded up */
} law;

static law law_of(const pure_steps *steps) {
  const double m = (double)steps->count, e = steps->epsilon * (1 + 1e-12), guard = 1 + 1e-9;
  law out = {.count = steps->count + 1};
  for (size_t k = 0; k < out.count; k++) {
    const double j = (double)k;
    const double choices =
        math_log_gamma(m + 1) - math_log_gamma(j + 1) - math_log_gamma(m - j + 1);
    out.values[k] = (2 * j - m) * e;
    out.masses[k] =
        math_exp(choices - j * math_log1p(math_exp(-e)) - (m - j) * math_log1p(math_exp(e))) *
        guard;
  }
  return out;
}

/* The most that they can be. */
static double reach_of(const law *l) {
  return l->values[l->count - 1];
}

/* ---- δ of all ways */

typedef struct way_law {
  law questions[QUESTIONS_MOST], picks, counts;
  delta_corners corners[NOISE_WAYS];
  double a[NOISE_WAYS]; /* 0: nothing leads there */
  double epsilon;
} way_law;

/* E h(ε − ΣX) over picks and counts. */
static double counted_delta(const way_law *w, double epsilon, double a) {
  double sum = 0;
  for (size_t i = 0; i < w->picks.count; i++) {
    for (size_t j = 0; j < w->counts.count; j++) {
      const double left = epsilon - w->picks.values[i] - w->counts.values[j];
      sum += w->picks.masses[i] * w->counts.masses[j] * delta_of(&w->corners[1], left, a);
    }
  }
  return sum;
}

/* With both A multiplied by this. */
static double delta_of_ways(const way_law *w, double factor) {
  const law *first = &w->questions[0], *second = &w->questions[1];
  double sum = 0;
  for (size_t i = 0; i < first->count; i++) {
    for (size_t j = 0; j < second->count; j++) {
      const double left = w->epsilon - first->values[i] - second->values[j];
      const double plain = w->a[0] > 0 ? delta_of(&w->corners[0], left, factor * w->a[0]) : 0;
      const double counted = w->a[1] > 0 ? counted_delta(w, left, factor * w->a[1]) : 0;
      sum += first->masses[i] * second->masses[j] * fmax(plain, counted);
    }
  }
  return sum * (1 + 1e-12);
}

/* What the steps may leave of ε. */
static double least_left(const way_law *w, int way) {
  const double asked = reach_of(&w->questions[0]) + reach_of(&w->questions[1]);
  return w->epsilon - asked - (way ? reach_of(&w->picks) + reach_of(&w->counts) : 0);
}

/* h is convex in e^ε as far as no slack is above it and it is below 1: so must it be everywhere. */
static bool is_convex(const way_law *w, double factor) {
  bool convex = true;
  for (int i = 0; i < NOISE_WAYS; i++) {
    const double left = least_left(w, i);
    convex = convex &&
             (w->a[i] == 0 || (left >= 0 && delta_of(&w->corners[i], left, factor * w->a[i]) < 1));
  }
  return convex;
}

/* The largest factor up to 1 at which they cost at most delta, within 1e-6; 0 if there is none. */
static double largest_factor(const way_law *w, double delta) {
  double low = 0x1p-20, high = 1;
  if (is_convex(w, high) && delta_of_ways(w, high) <= delta) {
    return high;
  }
  if (!is_convex(w, low) || delta_of_ways(w, low) > delta) {
    return 0;
  }
  while (high > low * (1 + 1e-6)) {
    const double middle = sqrt(low * high);
    *(is_convex(w, middle) && delta_of_ways(w, middle) <= delta ? &low : &high) = middle;
  }
  return low;
}

/* One way alone, by the corners of the flat line of slack or those of a tangent that is good where
 * the steps leave least: from the A of a fit without any steps, which is more. */
static void settle_way(const composed_terms *t, int i, double kappa, way_law *w) {
  way_law best = *w;
  best.a[i] = 0;
  bool tangents = t->mechanism == DPERM_MECHANISM_OBJECTIVE;
  for (int tangent = 0; tangent < (tangents ? 2 : 1); tangent++) {
    way_law alone = *w;
    alone.a[!i] = 0;
    alone.corners[i] = delta_corners_of(t->mechanism, t->loss, t->neighbours, kappa,
                                        tangent ? fmax(least_left(w, i), 0) : 0);
    alone.a[i] = delta_invert(&alone.corners[i], t->epsilon, t->delta);
    alone.a[i] *= alone.a[i] > 0 ? largest_factor(&alone, t->delta) : 0;
    if (alone.a[i] > best.a[i]) {
      best.a[i] = alone.a[i];
      best.corners[i] = alone.corners[i];
    }
  }
  *w = best;
}

void compose_ways(const composed_terms *t, composition *c) {
  const pure_steps none = {0};
  const bool unpaid = DEFECT("steps-free");
  way_law w = {.questions = {law_of(unpaid ? &none : &c->questions[0]),
                             law_of(unpaid ? &none : &c->questions[1])},
               .picks = law_of(unpaid ? &none : &c->picks),
               .counts = law_of(unpaid ? &none : &c->counts),
               .epsilon = t->epsilon};
  for (int i = 0; i < NOISE_WAYS; i++) {
    if (c->ways[i].kappa > 0) {
      settle_way(t, i, c->ways[i].kappa, &w);
    }
  }
  const double factor = largest_factor(&w, t->delta);
  for (int i = 0; i < NOISE_WAYS; i++) {
    c->ways[i].reach = factor * w.a[i];
  }
}
