/* The vector operations as functions, for callers that are not compiled for each width. */
#include "base/vector.h"

#include <math.h>
#include <stdlib.h>

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

double vector_dot(const double *a, const double *b, size_t count) {
  return dot(a, b, count);
}

double vector_norm(const double *v, size_t count) {
  return sqrt(dot(v, v, count));
}

void vector_axpy(double *y, double a, const double *x, size_t count) {
  axpy(y, a, x, count);
}

void vector_fold(double *y, double *x, size_t count) {
  axpy(y, 1, x, count);
  memset(x, 0, count * sizeof *x);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void vector_sort(double *v, size_t count) {
  qsort(v, count, sizeof *v, ascending);
}
