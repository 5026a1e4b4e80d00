/* Bodies that rows may lie in, for tests of noise: plans of every kind on each of them. */
#ifndef DPERM_TESTS_NOISE_BODIES_H
#define DPERM_TESTS_NOISE_BODIES_H

#include "random/noise.h"
#include "statistics.h"

/* One column; one block; columns alone; blocks and columns, of equal and of different radii; one
 * side far longer than the others; blocks alone, of different widths and radii; light blocks beside
 * columns, as bins beside a line. None has more than MOST columns. */
enum {
  ONE_BLOCK = 1,
  DIFFERENT = 3,
  CENSUS = 4,
  WOVEN = 5,
  LONG = 6,
  BLOCKS = 7,
  LIGHT = 8,
  BODIES = 9,
  MOST = 128
};

noise_plan plan_for(const noise_kind *kind, size_t body, double beta);
/* Bounds of rows in a body that also keep R₂ and R₁ somewhat below what the body allows. */
row_bounds bounds_of_body(size_t body);
/* For kinds on a body whose bounds are enough for them. */
bool body_fits(const noise_kind *kind, size_t body);

typedef struct group {
  size_t first, width;
  double radius;
} group;

/* The body's groups one by one, as group or (`cut`) linf noise has them; their number. */
size_t groups_of(const noise_plan *plan, bool cut, group *out);

double l1_of(const double *b, size_t count);
double l2_of(const double *b, size_t count);

/* P(Gamma(shape, 1) ≤ x), shape a double. */
double gamma_law(double x, const void *shape);
/* Fails where the law of a sample is further from f than once in 10^9 samples. */
void check_law(double *sample, size_t count, law *f, const void *context, const char *what);

#endif
