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
/* A public bound, (d + √(2dt) + t)/β rounded up, that ‖b‖₂ passes with probability at most e^−t,
 * and so does the norm of what noise_draw gives. t ≥ 0. */
double noise_norm_limit(const noise_plan *plan, double t);

/* Fills b with `dims` numbers. */
void noise_draw(const noise_plan *plan, random_source *source, double *b);
/* How far they are from real ones: η = (64 + 4⌈log₂ d⌉)·2^−53. The draws b̂ can be coupled with a
 * real vector b of exactly the density above so that ‖b̂ − b‖₂ ≤ η‖b̂‖₂, and |b̂_j − b_j| ≤ η|b̂_j|
 * for each coordinate. b is what the same random bits and infinitely many more give in exact
 * arithmetic. For d ≤ 2^31 and 2^−290 ≤ β ≤ 2^290; noise.c has the budget, the assumptions and the
 * event of probability below 2^−300 that is left out. */
double noise_relative_error(const noise_plan *plan);

#endif
