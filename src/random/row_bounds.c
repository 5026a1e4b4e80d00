/* See row_bounds.h. */
#include "random/row_bounds.h"

#include <math.h>

size_t body_dims(const noise_body *body) {
  size_t dims = 0;
  for (size_t i = 0; i < body_count(body); i++) {
    dims += body_at(body, i)->groups * body_at(body, i)->width;
  }
  return dims;
}

double root_upper(size_t count) {
  double n = (double)count, root = sqrt(n); /* counts are below 2^53 */
  return fma(root, root, -n) < 0 ? nextafter(root, INFINITY) : root;
}

row_bounds row_bounds_of_norm(size_t dims, double norm) {
  double one = root_upper(dims) * norm; /* ‖x‖₁ ≤ √d·‖x‖₂ */
  return (row_bounds){.norm2 = norm,
                      .norm1 = dims == 1 ? norm : nextafter(one, INFINITY),
                      .body = {NULL, 0, {dims, 1, norm}}};
}
