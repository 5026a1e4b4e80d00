/* See interval_blocks.h. With t_j the curvature in value j, h₀ in all, and v_j = √(t_j/h₀), a
 * block's covariance is T^½(I − vvᵀ)T^½, and |v|² = 1 − p, p the reference's part. A reflection R
 * takes v to the first coordinate, so D·R·T^−½ with D = diag(p^−½, 1, …, 1) makes it the identity.
 * Where the reference is rare that coordinate, all values together, says little: correlations of
 * the values themselves, cleaned one by one, would hide that. */
#include "intervals/interval_blocks.h"

#include <math.h>

#include "base/vector.h"

static double square(double x) {
  return x * x;
}

/* R = I − uuᵀ with u = (v/|v| + e)·√(1/(1 + v₁/|v|)), e the first coordinate. */
void interval_block_set(interval_law *law, const interval_group *g) {
  double sum = 0, squares = 0;
  for (size_t j = g->first; j < g->first + g->count; j++) {
    sum += law->mean[j];
    squares += square(law->first_noise[j] / law->h0);
  }
  const double first = sqrt(law->mean[g->first] / sum), by = 1 / sqrt(1 + first);
  for (size_t j = g->first; j < g->first + g->count; j++) {
    law->mirror[j] = by * (sqrt(law->mean[j] / sum) + (j == g->first ? 1 : 0));
    law->rest_doubt[j] = sqrt(squares);
    law->rest[j] = fmax(1 - sum, law->rest_doubt[j] / 2);
  }
}

static const interval_group *group_at(const interval_law *law, size_t j) {
  return &law->design->groups[law->design->group_of[j]];
}

double interval_block_entry(const interval_law *law, size_t i, size_t k) {
  const interval_group *g = group_at(law, i);
  const double own = i == k ? 1 : 0;
  if (g->kind != INTERVAL_BLOCK) {
    return own;
  }
  return (own - law->mirror[i] * law->mirror[k]) * (i == g->first ? 1 / sqrt(law->rest[i]) : 1);
}

void interval_block_columns(const interval_law *law, const interval_group *g, double rest,
                            double *rows) {
  const size_t d = law->d;
  if (g->kind != INTERVAL_BLOCK) {
    return;
  }
  for (size_t c = 0; c < d; c++) {
    rows[g->first * d + c] /= sqrt(rest);
  }
  for (size_t c = 0; c < d; c++) {
    double dot = 0;
    for (size_t j = g->first; j < g->first + g->count; j++) {
      dot += law->mirror[j] * rows[j * d + c];
    }
    for (size_t j = g->first; j < g->first + g->count; j++) {
      rows[j * d + c] -= law->mirror[j] * dot;
    }
  }
}
