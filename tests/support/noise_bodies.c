/* See noise_bodies.h. */
#include "noise_bodies.h"

#include <math.h>

static const body_run different_runs[] = {{1, 3, 0.5}, {2, 1, 0.2}, {1, 4, 0.9}, {2, 2, 3.0}};
static const body_run census_runs[] = {{1, 1, 0.35},  {1, 7, 0.35}, {2, 1, 0.35}, {1, 16, 0.35},
                                       {1, 14, 0.35}, {3, 1, 0.35}, {1, 41, 0.35}};
static const body_run woven_runs[] = {{1, 1, 1}, {1, 2, 1}, {2, 1, 1}, {1, 3, 1}};
static const body_run long_runs[] = {{1, 1, 1.0}, {40, 1, 1e-3}};
static const body_run block_runs[] = {{1, 2, 0.6}, {2, 4, 0.3}, {1, 20, 0.6}};
static const body_run light_runs[] = {{1, 3, 0.5}, {1, 1, 0.5},  {1, 8, 0.02},
                                      {1, 1, 0.5}, {1, 8, 0.02}, {1, 1, 0.5}};

static const noise_body bodies[BODIES] = {
    {NULL, 0, {1, 1, 2.0}},         {NULL, 0, {1, 5, 0.7}},      {NULL, 0, {6, 1, 0.3}},
    {different_runs, 4, {0, 0, 0}}, {census_runs, 7, {0, 0, 0}}, {woven_runs, 4, {0, 0, 0}},
    {long_runs, 2, {0, 0, 0}},      {block_runs, 3, {0, 0, 0}},  {light_runs, 6, {0, 0, 0}},
};

noise_plan plan_for(const noise_kind *kind, size_t body, double beta) {
  return (noise_plan){kind, body_dims(&bodies[body]), beta, bodies[body], 1};
}

row_bounds bounds_of_body(size_t body) {
  row_bounds out = {.body = bodies[body]};
  double squares = 0;
  for (size_t i = 0; i < body_count(&out.body); i++) {
    const body_run *run = body_at(&out.body, i);
    squares += (double)run->groups * run->radius * run->radius;
    out.norm1 += 0.9 * (double)run->groups * run->radius;
  }
  out.norm2 = 0.8 * sqrt(squares);
  return out;
}

bool body_fits(const noise_kind *kind, size_t body) {
  const row_bounds bounds = bounds_of_body(body);
  return kind->row_bound(&bounds, body_dims(&bounds.body)) > 0;
}

size_t groups_of(const noise_plan *plan, bool cut, group *out) {
  size_t count = 0, at = 0;
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run *run = body_at(&plan->body, i);
    size_t width = cut ? 1 : run->width;
    for (size_t g = 0; g < run->groups * run->width / width; g++, at += width) {
      out[count++] = (group){at, width, run->radius};
    }
  }
  assert_int_equal(at, plan->dims);
  return count;
}

double l1_of(const double *b, size_t count) {
  double sum = 0;
  for (size_t j = 0; j < count; j++) {
    sum += fabs(b[j]);
  }
  return sum;
}

double l2_of(const double *b, size_t count) {
  long double sum = 0;
  for (size_t j = 0; j < count; j++) {
    sum += (long double)b[j] * b[j];
  }
  return (double)sqrtl(sum);
}

double gamma_law(double x, const void *shape) {
  return gamma_cdf(*(const double *)shape, x);
}

void check_law(double *sample, size_t count, law *f, const void *context, const char *what) {
  double distance = ks_distance(sample, count, f, context), limit = ks_limit(count, 1e-9);
  if (!(distance <= limit)) {
    fail_msg("%s: distance %g, limit %g", what, distance, limit);
  }
}
