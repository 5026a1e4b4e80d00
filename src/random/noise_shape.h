/* What group and linf noise share (noise_body.c). `cut`: every column is a group of its own, with
 * the radius of the one it stands in. */
#ifndef DPERM_RANDOM_NOISE_SHAPE_H
#define DPERM_RANDOM_NOISE_SHAPE_H

#include "random/noise.h"

size_t body_shape(const noise_plan *plan);
double body_mean_square(const noise_plan *plan, bool cut);
double body_reach(const noise_plan *plan, bool cut);
double body_draw_length(const noise_plan *plan, random_source *source, bool cut);
double body_error(const noise_plan *plan);
void body_draw(const noise_plan *plan, random_source *source, double *b, bool cut);

#endif
