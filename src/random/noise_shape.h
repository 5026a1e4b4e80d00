/* What group and linf noise share (noise_body.c), and mixed noise needs. `cut`: every column is a
 * group of its own, with the radius of the one it stands in. */
#ifndef DPERM_RANDOM_NOISE_SHAPE_H
#define DPERM_RANDOM_NOISE_SHAPE_H

#include "random/noise_kind.h"

/* What mixed noise sees of a body (noise_mixed.c): groups of several columns, their columns, and
 * the columns that stand alone. */
typedef struct mixed_counts {
  size_t groups, grouped, alone;
} mixed_counts;
mixed_counts mixed_count(const noise_body *body);
/* t, the weight of the columns that stand alone. Both kinds of columns must be there. */
double mixed_weight(const noise_body *body);

double body_norm(const noise_plan *plan, const double *b, bool cut);
size_t body_shape(const noise_plan *plan);
double body_mean_square(const noise_plan *plan, bool cut);
double body_reach(const noise_plan *plan, bool cut);
double body_draw_length(const noise_plan *plan, random_source *source, bool cut);
double body_error(const noise_plan *plan);
void body_draw(const noise_plan *plan, random_source *source, double *b, bool cut);

/* l2 noise in some of the columns: density ∝ exp(−β‖b‖₂). */
void noise_draw_sphere(random_source *source, size_t dims, double beta, double *b);

#endif
