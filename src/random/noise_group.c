/* group noise: the body as the schema has it, one l1-ball for every column of the file. Good where
 * rows are made of one-hot blocks (privacy.md 5). noise_body.c has the sampler and its budget. */
#include "random/noise_shape.h"

static double group_norm(const noise_plan *plan, const double *b) {
  return body_norm(plan, b, false);
}

static double group_mean_square(const noise_plan *plan) {
  return body_mean_square(plan, false);
}

static double group_reach(const noise_plan *plan) {
  return body_reach(plan, false);
}

static double group_draw_length(const noise_plan *plan, random_source *source) {
  return body_draw_length(plan, source, false);
}

static void group_draw(const noise_plan *plan, random_source *source, double *b) {
  body_draw(plan, source, b, false);
}

const noise_kind noise_group = {"group",     group_norm,        body_shape, group_mean_square,
                                group_reach, group_draw_length, body_error, group_draw};
