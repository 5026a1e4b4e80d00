/* Laws and distances for tests of random numbers, independent of the library's own: the gamma
 * distribution by its series, the Kolmogorov–Smirnov distance, and bounds on it that hold for
 * every sample size, so that a stated false-alarm rate is a proved one. */
#ifndef DPERM_TESTS_STATISTICS_H
#define DPERM_TESTS_STATISTICS_H

#include "support.h"

/* P(Gamma(shape, 1) ≤ x), from γ(a, x) = xᵃ e⁻ˣ Σ_k xᵏ/(a(a+1)…(a+k)) in long double. */
double gamma_cdf(double shape, double x);

typedef double law(double x, const void *context); /* a distribution function */

/* sup |F_n − F| of a sample, which is sorted on the way. */
double ks_distance(double *sample, size_t count, law *f, const void *context);
/* A true law is further away than this with probability at most `rate`: Dvoretzky, Kiefer and
 * Wolfowitz with Massart's constant, P(distance > t) ≤ 2 exp(−2nt²) for every n. */
double ks_limit(size_t count, double rate);

/* The mean of `count` independent variables within ±bound of their mean and of this variance
 * strays further than this with probability at most `rate`: Bernstein's inequality. */
double bernstein_limit(size_t count, double variance, double bound, double rate);

/* Log-uniform between two positive numbers. */
double random_scale(random_source *r, double low, double high);

#endif
