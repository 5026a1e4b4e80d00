/* See rings.h. */
#include "rings.h"

#include <math.h>
#include <stdlib.h>

dperm_data *rings(size_t rows, uint64_t seed) {
  dperm_data *data = NULL;
  double *x = calloc(2 * rows, sizeof *x), *labels = calloc(rows, sizeof *labels);
  assert_true(x && labels);
  random_source r = seeded(seed);
  for (size_t i = 0; i < rows; i++) {
    labels[i] = random_unit(&r) < 0.5 ? -1 : 1;
    double radius = (labels[i] > 0 ? 0.75 : 0.25) + 0.06 * (2 * random_unit(&r) - 1);
    double angle = 6.283185307179586 * random_unit(&r);
    x[2 * i] = radius * cos(angle);
    x[2 * i + 1] = radius * sin(angle);
  }
  assert_ok(dperm_data_from_dense(rows, 2, x, labels, 1.0, &data, err));
  free(x);
  free(labels);
  return data;
}
