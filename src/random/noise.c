/* What all kinds of noise have in common. */
#include "random/noise.h"

#include <math.h>
#include <string.h>

#include "random/noise_shape.h"

enum { KINDS = DPERM_NOISE_MIXED + 1 };
static const noise_kind *const kinds[KINDS] = {NULL,        &noise_l2,   &noise_l1, &noise_group,
                                               &noise_linf, &noise_mixed}; /* by dperm_noise */

const noise_kind *noise_kind_of(dperm_noise which) {
  return (size_t)which < KINDS ? kinds[which] : NULL;
}

const char *dperm_noise_name(dperm_noise noise) {
  const noise_kind *kind = noise_kind_of(noise);
  return noise == DPERM_NOISE_AUTO ? "auto" : kind ? kind->name : NULL;
}

dperm_noise noise_by_name(const char *name) {
  for (size_t i = 1; i < KINDS; i++) {
    if (strcmp(kinds[i]->name, name) == 0) {
      return (dperm_noise)i;
    }
  }
  return DPERM_NOISE_AUTO;
}

/* E G² = k(k+1) for G ~ Gamma(k). */
double noise_rms_norm(const noise_plan *plan) {
  double k = (double)plan->kind->shape(plan);
  return sqrt(k * (k + 1.0) * plan->kind->mean_square(plan)) / plan->beta;
}

/* Gamma(k) has a sub-gamma tail, P(G > k + √(2kt) + t) ≤ e^−t (Boucheron, Lugosi & Massart 2013,
 * section 2.4). The few roundings here and noise_relative_error are below 2^−44. */
double noise_norm_limit(const noise_plan *plan, double t) {
  double k = (double)plan->kind->shape(plan);
  return (k + sqrt(2 * k * t) + t) / plan->beta * plan->kind->reach(plan) * (1 + 0x1p-44);
}

void noise_draw(const noise_plan *plan, random_source *source, double *b) {
  plan->kind->draw(plan, source, b);
}

double noise_relative_error(const noise_plan *plan) {
  return plan->kind->relative_error(plan);
}

static bool in_range(double beta) {
  return beta >= 0x1p-660 && beta <= 0x1p660;
}

bool noise_in_range(const noise_plan *plan) {
  bool good = in_range(plan->beta);
  bool body = plan->kind == &noise_group || plan->kind == &noise_linf;
  for (size_t i = 0; good && body && i < body_count(&plan->body); i++) {
    good = in_range(plan->beta / body_at(&plan->body, i)->radius);
  }
  return good && (plan->kind != &noise_mixed || in_range(plan->beta * mixed_weight(&plan->body)));
}
