/* What the released sums say of the records, with the noise in it: scales of the columns and how
 * much is known of them, their correlations as they were released, and how much more
 * slopes spread than the loss's curvature says (docs/proofs/intervals.md 3). Post-processing: sees
 * public and released numbers only. A stage's sums are made by what the stages before it said. */
#pragma once

#include "base/ranks.h"
#include "intervals/interval_design.h"

/* Columns as the design has them, but for the intercept; d of them. */
typedef struct interval_law {
  const interval_design *design;
  size_t d;
  double *numbers; /* where all of these stand */
  size_t count;
  double h0;                       /* the mean curvature */
  double *first, *first_noise;     /* of the curvature times z, and its noise's deviation */
  double *mean, *variance, *doubt; /* of z; the variance times h0, and its deviation */
  double *width;                   /* of a column, as pairs count it, */
  double squares;                  /* all of whose squares have this sum at most, in units of c */
  double *scale;                   /* a column is divided by its root: the variance, or the
                                      curvature in a value of a block (interval_blocks.h), */
  double *mirror, *rest, *rest_doubt; /* whose coordinates are mirrored; a block's reference has
                                         this part of it, with this deviation */
  double *pair, *pair_noise;     /* d × d: correlations of coordinates as they were released; 0 of
                                    noise within a group */
  double *inverse;               /* d × d: of the covariance, as it is expected */
  double spread_most, omega;     /* leverages count up to this; of a curvature, in a slope² */
  double *excess, *excess_noise; /* of the spread of slopes, as a part of omega */
  double *phi;
} interval_law;

dperm_status interval_law_new(const interval_design *design, interval_law *out, dperm_error *err);
void interval_law_free(interval_law *law);
/* As the process has it that leads: mathematics libraries differ in last bits, and what a record
 * adds must be within the body that the noise is for. */
dperm_status interval_law_share(interval_law *law, ranks *spread, dperm_error *err);

/* What a stage released, read in order as means. */
typedef struct interval_reader {
  const integer_body *body;
  const int64_t *released;
  double rows, epsilon;
  size_t block, within;
} interval_reader;
double interval_next(interval_reader *r, double *deviation);
