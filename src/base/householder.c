/* Reflections I − τ v vᵀ, where v has a leading 1 and is stored below the diagonal, τ in the
 * work space (Golub & Van Loan, 5.1 and 5.2). A panel of them goes over each other column at once,
 * while the column is in cache; columns are independent, so threads share them. */
#include "base/householder.h"

#include <math.h>
#include <stdbool.h>

#include "base/thread_pool.h"
#include "base/vector.h"

enum { PANEL = 16, WIDE = VECTORS_WIDE, COLUMNS = 8 /* of a piece of a thread's work */ };

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

typedef struct reflections {
  size_t d, from, to; /* those of columns from, …, to − 1 */
  const double *q, *tau;
} reflections;

/* All of them on some columns, in their order or the other way round. */
LANE_INLINE void reflect(const reflections *r, bool backward, double *columns, size_t wide) {
  for (size_t k = r->from; k < r->to; k++) {
    size_t j = backward ? r->to - 1 - (k - r->from) : k, below = r->d - j - 1;
    const double *v = r->q + j * r->d + j + 1;
    double shares[WIDE];
    lanes_dots(v, columns + j + 1, r->d, wide, below, shares);
    for (size_t c = 0; c < wide; c++) {
      shares[c] = -r->tau[j] * (columns[c * r->d + j] + shares[c]);
      columns[c * r->d + j] += shares[c];
    }
    lanes_axpys(columns + j + 1, r->d, wide, shares, v, below);
  }
}

FOR_EACH_WIDTH
static void reflect_columns(const reflections *r, int backward, double *q, size_t from, size_t to) {
  size_t j = from;
  for (; j + WIDE <= to; j += WIDE) { /* a constant, for the compiler to unroll */
    reflect(r, backward, q + j * r->d, WIDE);
  }
  for (; j < to; j++) {
    reflect(r, backward, q + j * r->d, 1);
  }
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

/* ---- the columns of other panels, by threads */

typedef struct others {
  reflections r;
  int backward;
  double *q;
  size_t to;
} others;

static void reflect_piece(void *context, size_t piece, size_t worker) {
  const others *o = context;
  size_t from = o->r.to + piece * COLUMNS;
  (void)worker;
  reflect_columns(&o->r, o->backward, o->q, from, smaller(o->to, from + COLUMNS));
}

/* Columns behind the panel, up to `count`. */
static void reflect_others(const reflections *r, int backward, double *q, size_t count) {
  others o = {*r, backward, q, count};
  pool_run((count - r->to + COLUMNS - 1) / COLUMNS, reflect_piece, &o);
}

/* ---- the two halves: down to R, and back to Q */

static void factor(size_t d, size_t count, double *q, double *tau) {
  for (size_t from = 0; from < count; from += PANEL) {
    size_t to = smaller(count, from + PANEL);
    for (size_t j = from; j < to; j++) {
      make_reflection(q + j * d + j, d - j - 1, &tau[j]);
      reflect_columns(&(reflections){d, j, j + 1, q, tau}, 0, q, j + 1, to);
    }
    reflect_others(&(reflections){d, from, to, q, tau}, 0, q, count);
  }
}

/* The reflections, last first, on the columns of the unit matrix, each with the sign of R's
 * diagonal: column j is its unit vector until reflection j, where it is stored. */
static void unfold(size_t d, size_t count, double *q, double *tau) {
  for (size_t to = count, from; to > 0; to = from) {
    from = (to - 1) / PANEL * PANEL;
    reflect_others(&(reflections){d, from, to, q, tau}, 1, q, count);
    for (size_t j = to; j-- > from;) {
      double *column = q + j * d, sign = column[j] < 0 ? -1 : 1;
      reflect_columns(&(reflections){d, j, j + 1, q, tau}, 1, q, j + 1, to);
      for (size_t i = 0; i < j; i++) {
        column[i] = 0;
      }
      column[j] = sign * (1 - tau[j]);
      for (size_t i = j + 1; i < d; i++) {
        column[i] *= -sign * tau[j];
      }
    }
  }
}

void householder_rotation(size_t d, size_t count, double *q, double *work) {
  factor(d, count, q, work);
  unfold(d, count, q, work);
}
