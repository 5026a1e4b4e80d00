/* linf noise: a box, every encoded column an interval of its own (privacy.md 5). Good for dense
 * rows with a bound on each entry. noise_body.c has the sampler and its budget. */
#include "random/noise_shape.h"

static double linf_norm(const noise_plan *plan, const double *b) {
  return body_norm(plan, b, true);
}

static double linf_mean_square(const noise_plan *plan) {
  return body_mean_square(plan, true);
}

static double linf_reach(const noise_plan *plan) {
  return body_reach(plan, true);
}

static double linf_draw_length(const noise_plan *plan, random_source *source) {
  return body_draw_length(plan, source, true);
}

static void linf_draw(const noise_plan *plan, random_source *source, double *b) {
  body_draw(plan, source, b, true);
}

const noise_kind noise_linf = {"linf",     linf_norm,        body_shape, linf_mean_square,
                               linf_reach, linf_draw_length, body_error, linf_draw};
