/* Midpoints of even grids. Where densities are smooth these converge faster than any power, at the
 * edge of {p > e^ε·p′} with the square of a step, and where a loss's curvature jumps in proportion
 * to it: two grids that agree are within twice their difference of the integral. */
#include "density_integral.h"

#include <math.h>

typedef struct sums {
  double mass, delta;
} sums;

/* The i-th midpoint of this many in coordinate j. */
static double midpoint(const density_range *r, size_t j, size_t i, size_t steps) {
  return r->centre[j] + r->width[j] * (2 * ((double)i + 0.5) / (double)steps - 1);
}

static double cell_of(const density_range *r, size_t steps) {
  double side = 2 / (double)steps;
  return side * r->width[0] * (r->dims == 2 ? side * r->width[1] : 1);
}

static sums sum_up(densities_at *at, const void *pair, const density_range *r, double epsilon,
                   size_t steps) {
  sums found = {0, 0};
  double f[2] = {0, 0}, both[2], e = exp(epsilon), cell = cell_of(r, steps);
  for (size_t i = 0; i < steps; i++) {
    f[0] = midpoint(r, 0, i, steps);
    for (size_t k = 0; k < (r->dims == 2 ? steps : 1); k++) {
      f[1] = r->dims == 2 ? midpoint(r, 1, k, steps) : 0;
      at(pair, f, both);
      found.mass += both[0] * cell;
      found.delta += fmax(0, both[0] - e * both[1]) * cell;
    }
  }
  return found;
}

/* The box around the cells of a coarse grid that have something worth counting, and a cell more. */
static density_range zoom(integrand_at *value, const void *context, density_range r) {
  const double nothing = 1e-13;
  size_t steps = r.dims == 2 ? 64 : 1000;
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, f[2] = {0, 0};
  for (size_t i = 0; i < steps; i++) {
    f[0] = midpoint(&r, 0, i, steps);
    for (size_t k = 0; k < (r.dims == 2 ? steps : 1); k++) {
      f[1] = r.dims == 2 ? midpoint(&r, 1, k, steps) : 0;
      double there = value(context, f) * cell_of(&r, steps);
      for (size_t j = 0; j < 2 && there > nothing; j++) {
        low[j] = fmin(low[j], f[j]);
        high[j] = fmax(high[j], f[j]);
      }
    }
  }
  for (size_t j = 0; j < r.dims && low[j] <= high[j]; j++) {
    double more = 3 * r.width[j] / (double)steps;
    r.centre[j] = (low[j] + high[j]) / 2;
    r.width[j] = fmin(r.width[j], (high[j] - low[j]) / 2 + more);
  }
  return r;
}

typedef struct two_densities {
  densities_at *at;
  const void *pair;
} two_densities;

static double first_of(const void *context, const double f[2]) {
  const two_densities *two = context;
  double both[2];
  two->at(two->pair, f, both);
  return both[0];
}

double delta_integrated(densities_at *at, const void *pair, density_range range, double epsilon,
                        double goal) {
  size_t steps = range.dims == 2 ? 80 : 2000, most = range.dims == 2 ? 2500 : 3000000;
  const two_densities two = {at, pair};
  range = zoom(first_of, &two, zoom(first_of, &two, range));
  sums before = sum_up(at, pair, &range, epsilon, steps), now = before;
  do {
    before = now;
    steps = steps * 3 / 2;
    now = sum_up(at, pair, &range, epsilon, steps);
    if (fabs(now.mass - 1) <= 1e-3 && fabs(now.delta - before.delta) <= 1e-3 * goal) {
      return now.delta;
    }
  } while (steps <= most);
  if (fabs(now.mass - 1) <= 1e-2 && fmax(now.delta, before.delta) <= goal / 2) {
    return now.delta; /* edges too many for this grid, but a factor of two from where it matters */
  }
  fail_msg("grids do not agree: delta = %g and %g of %g, mass %g", before.delta, now.delta, goal,
           now.mass);
  return (double)NAN;
}

static double sum_of(integrand_at *value, const void *context, const density_range *r,
                     size_t steps) {
  double sum = 0, f[2] = {0, 0};
  for (size_t i = 0; i < steps; i++) {
    f[0] = midpoint(r, 0, i, steps);
    for (size_t k = 0; k < (r->dims == 2 ? steps : 1); k++) {
      f[1] = r->dims == 2 ? midpoint(r, 1, k, steps) : 0;
      sum += value(context, f);
    }
  }
  return sum * cell_of(r, steps);
}

double smooth_integrated(integrand_at *value, const void *context, density_range range,
                         double tolerance) {
  size_t steps = range.dims == 2 ? 96 : 2000, most = range.dims == 2 ? 2500 : 3000000;
  range = zoom(value, context, zoom(value, context, range));
  double before, now = sum_of(value, context, &range, steps);
  do {
    before = now;
    steps = steps * 3 / 2;
    now = sum_of(value, context, &range, steps);
    if (fabs(now - before) <= tolerance) {
      return now;
    }
  } while (steps <= most);
  fail_msg("grids do not agree: %g and %g", before, now);
  return (double)NAN;
}
