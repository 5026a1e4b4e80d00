/* The vector operations as functions, for callers that are not compiled for each width, and the
 * orthogonal factor of a matrix made of them. */
#include "base/vector.h"

#include <math.h>
#include <stdlib.h>

#include "base/thread_pool.h"

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

/* ---- Householder's reflections I − τ v vᵀ, where v has a leading 1 and is stored below the
 * diagonal, τ in the work space (Golub & Van Loan, 5.1 and 5.2). Columns are independent, so
 * threads share them */

enum { WIDE = VECTORS_WIDE, COLUMNS = 8 /* of a piece of a thread's work */ };

/* That of column j, on those behind it. */
typedef struct reflection {
  size_t d, count, j;
  double *q, tau;
} reflection;

LANE_INLINE void reflect(const reflection *r, double *columns, size_t wide) {
  size_t d = r->d, j = r->j, below = d - j - 1;
  const double *v = r->q + j * d + j + 1;
  double shares[WIDE];
  lanes_dots(v, columns + j + 1, d, wide, below, shares);
  for (size_t c = 0; c < wide; c++) {
    shares[c] = -r->tau * (columns[c * d + j] + shares[c]);
    columns[c * d + j] += shares[c];
  }
  lanes_axpys(columns + j + 1, d, wide, shares, v, below);
}

FOR_EACH_WIDTH
static void reflect_columns(const reflection *r, size_t from, size_t to) {
  for (; from + WIDE <= to; from += WIDE) { /* a constant, for the compiler to unroll */
    reflect(r, r->q + from * r->d, WIDE);
  }
  for (; from < to; from++) {
    reflect(r, r->q + from * r->d, 1);
  }
}

static void reflect_piece(void *context, size_t piece, size_t worker) {
  const reflection *r = context;
  size_t from = r->j + 1 + piece * COLUMNS;
  reflect_columns(r, from, from + COLUMNS < r->count ? from + COLUMNS : r->count);
}

static void reflect_behind(size_t d, size_t count, size_t j, double *q, double tau) {
  reflection r = {d, count, j, q, tau};
  pool_run((count - j - 1 + COLUMNS - 1) / COLUMNS, reflect_piece, &r);
}

/* Column j below its diagonal becomes v, the diagonal R's. */
FOR_EACH_WIDTH
static void make_reflection(double *column, size_t below, double *tau) {
  double first = column[0], rest;
  lanes_dots(column + 1, column + 1, 0, 1, below, &rest);
  *tau = 0;
  if (rest > 0) {
    double diagonal = -copysign(sqrt(first * first + rest), first), scale = first - diagonal;
    *tau = -scale / diagonal;
    for (size_t i = 1; i <= below; i++) {
      column[i] /= scale;
    }
    column[0] = diagonal;
  }
}

/* Down to R, and back to Q: the reflections, last first, on the columns of the unit matrix, each
 * with the sign of R's diagonal. Column j is its unit vector until reflection j. */
void householder_rotation(size_t d, size_t count, double *q, double *work) {
  for (size_t j = 0; j < count; j++) {
    make_reflection(q + j * d + j, d - j - 1, &work[j]);
    reflect_behind(d, count, j, q, work[j]);
  }
  for (size_t j = count; j-- > 0;) {
    double *column = q + j * d, sign = column[j] < 0 ? -1 : 1;
    reflect_behind(d, count, j, q, work[j]);
    for (size_t i = 0; i < j; i++) {
      column[i] = 0;
    }
    column[j] = sign * (1 - work[j]);
    for (size_t i = j + 1; i < d; i++) {
      column[i] *= -sign * work[j];
    }
  }
}
