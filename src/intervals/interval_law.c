/* See interval_law.h. */
#include "intervals/interval_law.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

dperm_status interval_law_new(const interval_design *design, interval_law *out, dperm_error *err) {
  const size_t d = design->columns;
  interval_law law = {.design = design, .d = d};
  double **const vectors[] = {&law.first,  &law.first_noise, &law.mean, &law.variance,
                              &law.doubt,  &law.width,       &law.low,  &law.high,
                              &law.length, &law.excess,      &law.phi,  &law.excess_noise,
                              &law.scale,  &law.mirror,      &law.rest, &law.rest_doubt};
  double **const squares[] = {&law.pair, &law.pair_noise, &law.left, &law.root, &law.inverse};
  const size_t vector_count = sizeof vectors / sizeof *vectors,
               square_count = sizeof squares / sizeof *squares;
  law.count = vector_count * d + square_count * d * d;
  TRY(memory_new(law.count, sizeof *law.numbers, &law.numbers, err));
  double *at = law.numbers;
  for (size_t i = 0; i < vector_count; i++, at += d) {
    *vectors[i] = at;
  }
  for (size_t i = 0; i < square_count; i++, at += d * d) {
    *squares[i] = at;
  }
  *out = law;
  return DPERM_OK;
}

void interval_law_free(interval_law *law) {
  free(law->numbers);
  *law = (interval_law){0};
}

dperm_status interval_law_share(interval_law *law, ranks *spread, dperm_error *err) {
  double some[] = {law->h0, law->spread_most, law->omega};
  TRY(ranks_share(spread, DPERM_OK, some, sizeof some, err));
  law->h0 = some[0];
  law->spread_most = some[1];
  law->omega = some[2];
  return ranks_share(spread, DPERM_OK, law->numbers, law->count * sizeof *law->numbers, err);
}

/* ---- means of what was released */

/* In order, with the deviation of their noise. */
double interval_next(interval_reader *r, double *deviation) {
  const double unit = ldexp(1, -INTERVAL_UNIT_BITS) / r->rows;
  while (r->within == r->body->blocks[r->block].entries) {
    r->block++;
    r->within = 0;
  }
  *deviation = unit * integer_body_deviation(r->body, r->block, r->epsilon);
  r->within++;
  return unit * (double)*r->released++;
}

/* ---- eigenvalues, by rotations (Jacobi): at most some hundred columns, where LAPACK would be one
 * more library that whoever embeds this one has to carry */

static double square(double x) {
  return x * x;
}

static void rotate(size_t d, double *a, double *vectors, size_t p, size_t q) {
  const double apq = a[p * d + q], theta = (a[q * d + q] - a[p * d + p]) / (2 * apq);
  const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)),
               c = 1 / sqrt(t * t + 1), s = t * c;
  for (size_t k = 0; k < d; k++) {
    const double kp = a[k * d + p], kq = a[k * d + q];
    a[k * d + p] = c * kp - s * kq;
    a[k * d + q] = s * kp + c * kq;
  }
  for (size_t k = 0; k < d; k++) {
    const double pk = a[p * d + k], qk = a[q * d + k];
    a[p * d + k] = c * pk - s * qk;
    a[q * d + k] = s * pk + c * qk;
  }
  for (size_t k = 0; k < d; k++) {
    const double kp = vectors[k * d + p], kq = vectors[k * d + q];
    vectors[k * d + p] = c * kp - s * kq;
    vectors[k * d + q] = s * kp + c * kq;
  }
}

static void swap(double *a, double *b) {
  const double kept = *a;
  *a = *b;
  *b = kept;
}

void interval_eigen(size_t d, double *a, double *values, double *vectors) {
  enum { SWEEPS = 60 };
  double whole = 0;
  for (size_t i = 0; i < d * d; i++) {
    vectors[i] = i % (d + 1) == 0;
    whole += square(a[i]);
  }
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double outside = 0;
    for (size_t p = 0; p < d; p++) {
      for (size_t q = p + 1; q < d; q++) {
        outside += square(a[p * d + q]);
      }
    }
    if (!(outside > 1e-26 * whole)) {
      break;
    }
    for (size_t p = 0; p < d; p++) {
      for (size_t q = p + 1; q < d; q++) {
        if (square(a[p * d + q]) > 1e-32 * whole / (double)(d * d)) {
          rotate(d, a, vectors, p, q);
        }
      }
    }
  }
  for (size_t i = 0; i < d; i++) {
    values[i] = a[i * d + i];
  }
  for (size_t i = 0; i < d; i++) { /* in ascending order */
    size_t least = i;
    for (size_t k = i + 1; k < d; k++) {
      least = values[k] < values[least] ? k : least;
    }
    swap(&values[i], &values[least]);
    for (size_t k = 0; k < d && least != i; k++) {
      swap(&vectors[k * d + i], &vectors[k * d + least]);
    }
  }
}
