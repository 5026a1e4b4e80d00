/* The noise seam: a plan from public numbers, and draws from it. Today one kind, l2, with density
 * ∝ exp(−β‖b‖₂): ‖b‖₂ ~ Gamma(dims, 1/β), direction uniform. */
#ifndef DPERM_RANDOM_NOISE_H
#define DPERM_RANDOM_NOISE_H

#include "random/source.h"

typedef struct noise_plan {
  const char *kind; /* static text: "l2" */
  size_t dims;
  double beta;
} noise_plan;

/* Mean and root mean square of ‖b‖₂. */
double noise_mean_norm(const noise_plan *plan);
double noise_rms_norm(const noise_plan *plan);
/* ‖b‖₂ is below this with probability p: exact up to rounding, for 0 < p < 1. */
double noise_norm_quantile(const noise_plan *plan, double p);

double noise_relative_error(const noise_plan *plan);
double noise_norm_limit(const noise_plan *plan, double t);

/* Fills b with `dims` numbers. */
void noise_draw(const noise_plan *plan, random_source *source, double *b);

#endif
