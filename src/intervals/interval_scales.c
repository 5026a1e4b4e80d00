/* See interval_scales.h. */
#include "intervals/interval_scales.h"

#include <math.h>

#include "base/functions.h"

/* Chosen by experiments/coverage, on made families and real records. */
static const double doubt_most = 0.5; /* of a variance, to itself */
static const double doubt_wide =
    1.2; /* as columns with much doubt are there by luck: those with more are refused */
static const double narrowest = 4e-4;             /* variance of a number, in the unit of z */
static const double far = 5;                      /* deviations, beyond which none is looked for */
static const double shortest = 1e-3, longest = 2; /* way of a score, */
static const double steepest = 15;                /* from within this */
enum { STEPS = 64 };

/* Before anything is known all sizes of a number's variance are alike: one that is there by luck
 * may be a hundred times less. */
static double draw_number(const interval_law *law, size_t j, random_source *source) {
  const interval_group *g = &law->design->groups[law->design->group_of[j]];
  const double seen = law->scale[j], doubt = law->doubt[j], m = law->mean[j],
               most = law->h0 * (m - g->low) * (1 - m),
               low = fmax(fmin(narrowest * law->h0, seen / 2), seen - far * doubt),
               high = fmin(fmax(most, seen), seen + far * doubt),
               step = math_log(high / low) / STEPS;
  double weight[STEPS];
  for (size_t i = 0; i < STEPS; i++) {
    const double away = (low * math_exp(step * ((double)i + 0.5)) - seen) / doubt;
    weight[i] = math_exp(-away * away / 2);
  }
  const double at = (double)random_weighted(source, weight, STEPS);
  return low * math_exp(step * (at + random_unit(source)));
}

/* How many have a value; `doubt` is a part of it. */
static double draw_part(double part, double doubt, random_source *source) {
  const double tau = fmin(doubt, doubt_most);
  return part * math_exp(doubt_wide * tau * random_normal(source) - 2 * tau * tau);
}

void interval_scales_draw(const interval_law *law, random_source *source, double *scale,
                          double *rest, double *by) {
  for (size_t i = 0; i < law->design->group_count; i++) {
    const interval_group *g = &law->design->groups[i];
    const size_t first = g->first;
    for (size_t j = first; j < first + g->count; j++) {
      const bool number = g->kind == INTERVAL_NUMBER;
      scale[j] = number ? draw_number(law, j, source)
                        : draw_part(law->scale[j], law->doubt[j] / law->variance[j], source);
      by[j] = number ? sqrt(law->scale[j] / scale[j]) : 1;
    }
    if (g->kind == INTERVAL_BLOCK) {
      const double doubt = law->rest_doubt[first] / law->rest[first];
      rest[first] = draw_part(law->rest[first], doubt, source);
    }
  }
}

bool interval_scale_unsure(const interval_law *law, size_t j) {
  return law->doubt[j] > doubt_most * law->variance[j];
}

bool interval_reference_unsure(const interval_law *law, size_t j) {
  return law->rest_doubt[j] > doubt_most * law->rest[j];
}

static double probability(double score) {
  return 1 / (1 + math_exp(-score));
}

double interval_curvature_left(const interval_law *law, size_t j, double score, double step) {
  const interval_kind kind = law->design->groups[law->design->group_of[j]].kind;
  if (kind == INTERVAL_NUMBER || !law->design->logistic) {
    return 1;
  }
  const double way = copysign(fmin(fmax(fabs(step), shortest), longest), step),
               from = fmin(fmax(score, -steepest), steepest), before = probability(from);
  return (probability(from + way) - before) / (way * before * (1 - before));
}
