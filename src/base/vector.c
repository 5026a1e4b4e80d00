/* The vector operations as functions, for callers that are not compiled for each width. */
#include "base/vector.h"

#include <math.h>

FOR_EACH_WIDTH
static double dot(const double *a, const double *b, size_t count) {
  double sum;
  lanes_dots(a, b, 0, 1, count, &sum);
  return sum;
}

FOR_EACH_WIDTH
static void axpy(double *y, double a, const double *x, size_t count) {
  lanes_axpys(y, 0, 1, &a, x, count);
}

double vector_dot(const double *a, const double *b, size_t count, size_t stride) {
  if (stride == 1) {
    return dot(a, b, count);
  }
  double s[LANES] = {0}, rest = 0;
  for (size_t i = 0; i < count; i++) {
    double *sum = i < count - count % LANES ? &s[i % LANES] : &rest;
    *sum += a[i * stride] * b[i * stride];
  }
  return rest + (((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])));
}

double vector_norm(const double *v, size_t count, size_t stride) {
  return sqrt(vector_dot(v, v, count, stride));
}

void vector_axpy(double *y, double a, const double *x, size_t count) {
  axpy(y, a, x, count);
}
