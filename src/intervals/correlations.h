/* The law of the columns' correlations, given what was released of them: most are from a normal law
 * around 0 of a spread that is drawn with them, a few are strong, from anywhere; and all of them
 * together are positive (docs/proofs/intervals.md 2). Post-processing: sees released numbers only.
 */
#pragma once

#include "intervals/interval_law.h"
#include "random/random_source.h"

enum {
  CORRELATION_CLASSES = 3, /* by how many of the two columns are in blocks */
  CORRELATION_SPREADS = 40
};

/* Of two columns in different groups. */
typedef struct correlation_pair {
  size_t at, mirrored; /* places in d × d */
  unsigned class;
  bool strong;          /* as drawn */
  double given, noise;  /* as released, with its noise's deviation; */
  double by;            /* times this, where columns have other scales: */
  double rho, variance; /* of that law */
  double within;        /* the part from -1 to 1 */
} correlation_pair;

typedef struct correlations {
  const interval_law *law;
  size_t count;
  correlation_pair *pairs;
  double strong;                      /* the share of pairs, before anything is known */
  double spread[CORRELATION_CLASSES]; /* of the others, as drawn, from these; and logarithms, */
  double spreads[CORRELATION_SPREADS], logs[CORRELATION_SPREADS];
  double before[CORRELATION_SPREADS]; /* of their density, too, before anything is known */
  double *matrix;                     /* d × d, as drawn */
  double *inverse, *root;             /* upper triangles: the inverse is root·rootᵀ */
  double *slopes;                     /* of the column that is drawn, on the others */
} correlations;

/* At what is most likely of each pair by itself, drawn together until all are positive. */
dperm_status correlations_open(const interval_law *law, correlations *out, dperm_error *err);
void correlations_close(correlations *c);

/* Before a sweep: whether some other group may say the same as this column's. */
bool correlations_alike(const correlations *c, size_t j);
/* What was released of pairs, where the root of column j's variance is by[j] times less than
 * thought. */
void correlations_rescale(correlations *c, const double *by);
/* Draws each pair anew, given the others, and the spreads. */
void correlations_sweep(correlations *c, random_source *source);
/* The inverse of the columns' own covariance, in units of z, where they have these scales and the
 * references of blocks these parts; `rows` is space, d × d as well. */
void correlations_slopes(const correlations *c, const double *scale, const double *rest,
                         double *rows, double *out);
