/* The law of ‖b‖₂, for people and planners: its mean and quantiles. Nothing here touches privacy.
 *
 * ‖b‖₂ = ‖b‖_K·V, where ‖b‖_K = ρ/β, ρ of shape d, is independent of V, the Euclidean length of
 * b/‖b‖_K. The law of ρ is exact. V is 1 for l2, and then mean and quantiles are exact, too. For
 * the other kinds V has no closed form: up to 256 values are drawn from a fixed public seed, fewer
 * in many dimensions where V hardly varies, and scaled to the mean square that is known exactly;
 * beyond 2^17 columns V is taken for its root mean square. Several copies have the norm Σ‖b_c‖_K
 * together, which is a ρ of shape kd, and V = √(Σ ρ_c²V_c²)/Σ ρ_c is drawn in the same way.
 * tests/statistical/noise_conformance_test.c compares with real draws: means agree within 0.5
 * percent, quantiles within 1. (Bodies with a few very long sides among many short ones: within 2
 * and 4 percent at 41 columns, less exact at thousands.) */
#pragma once

#include "random/noise.h"

enum { LAW_LENGTHS = 256 };

typedef struct noise_law {
  const radius_law *radius;
  double beta, shape;
  size_t count;
  double lengths[LAW_LENGTHS]; /* V */
} noise_law;

void noise_law_of(const noise_plan *plan, noise_law *out);
double noise_law_mean(const noise_law *law);
/* ‖b‖₂ is below this with probability p, 0 < p < 1. */
double noise_law_quantile(const noise_law *law, double p);
