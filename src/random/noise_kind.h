/* What a kind of noise has to know, and what the kinds share; random/noise.h is for everybody else.
 */
#ifndef DPERM_RANDOM_NOISE_KIND_H
#define DPERM_RANDOM_NOISE_KIND_H

#include "random/noise_body.h"
#include "random/random_source.h"

typedef struct noise_kind noise_kind;

typedef struct noise_plan {
  const noise_kind *kind;
  size_t dims;
  double beta;
  noise_body body; /* group, linf and mixed: of `dims` columns */
} noise_plan;

/* What a kind has to know; b = (G/β)·U with G ~ Gamma(shape) and a direction U, independent of each
 * other. */
struct noise_kind {
  const char *name;                                        /* as a model file says it */
  double (*norm)(const noise_plan *plan, const double *b); /* ‖b‖_K, up to rounding */
  size_t (*shape)(const noise_plan *plan);
  double (*mean_square)(const noise_plan *plan); /* E‖U‖₂², exact up to rounding */
  double (*reach)(const noise_plan *plan);       /* ‖U‖₂ ≤ this, always; rounded up */
  /* ‖U‖₂/‖U‖_K of one random direction, for the planner's figures; NULL where it is 1. */
  double (*draw_length)(const noise_plan *plan, random_source *source);
  double (*relative_error)(const noise_plan *plan);
  void (*draw)(const noise_plan *plan, random_source *source, double *b);
};

/* The kinds, one file each. */
extern const noise_kind noise_l2, noise_l1, noise_group, noise_linf, noise_mixed;

/* Laplace(1/β): a unit exponential over β with a random sign. */
double noise_laplace(random_source *source, double beta);
/* ⌈log₂ n⌉. */
int noise_ceiling_log2(size_t n);
/* Pairwise, so that rounding grows with the logarithm of the count. */
double noise_pairwise_sum(const double *x, size_t count);

#endif
