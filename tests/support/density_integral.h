/* Integrals over a line or a plane, δ(ε) of two densities among them: grids are laid over the part
 * where there is something to count, and made finer until nothing changes. */
#ifndef DPERM_TESTS_DENSITY_INTEGRAL_H
#define DPERM_TESTS_DENSITY_INTEGRAL_H

#include "support.h"

/* Both at a place. */
typedef void densities_at(const void *pair, const double f[2], double out[2]);

/* Within ±width of the centre, in `dims` (1 or 2) coordinates, the first has all of its mass. */
typedef struct density_range {
  size_t dims;
  double centre[2], width[2];
} density_range;

/* What the result may be above the integral, relative to the goal: grids agree to a fifth of it,
 * and errors fall with their steps at least in proportion. */
#define INTEGRAL_SLACK 5e-3

/* ∫ max(0, p − e^ε·p′). `goal` is what it is compared with: a thousandth of it is small. Fails
 * where grids that are fine enough to afford do not agree, or miss more than 0.001 of p. */
double delta_integrated(densities_at *at, const void *pair, density_range range, double epsilon,
                        double goal);

/* Of something smooth and positive that has nothing outside of the range. Fails where two grids do
 * not agree to `tolerance`. */
typedef double integrand_at(const void *context, const double f[2]);
double smooth_integrated(integrand_at *value, const void *context, density_range range,
                         double tolerance);

#endif
