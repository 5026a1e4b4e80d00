/* How far the values of a regression are from labels, on private records, by sums with noise: of
 * distances, of their squares, and of those of the best constant (docs/proofs/evaluation.md 4).
 * All figures follow from the sums. */
#pragma once

#include "data/dataset.h"
#include "evaluate/figures.h"
#include "privacy/guarantee.h"
#include "random/random_source.h"

/* Over and under: distances value − label above and below 0, without sign. The first five are of
 * the model's values, then three of a constant in their place; the last is of the difference that
 * the model makes to a record's square. */
enum {
  SUM_OVER,
  SUM_UNDER,
  SUM_SQUARE,
  SUM_OVER_SQUARE,
  SUM_FOURTH,
  BASE_OVER,
  BASE_UNDER,
  BASE_SQUARE,
  SUM_GAIN,
  SUMS
};

/* A number with noise. */
typedef struct noisy_number {
  double value;
  double variance, fourth; /* second and fourth cumulant of the noise */
} noisy_number;

typedef struct number_sums {
  size_t rows;             /* where that is public; else 0 */
  double quantile;         /* that the constant is of; .5 for the median */
  double center;           /* the constant: about that quantile of the labels */
  double caps[2];          /* no distance of the model, or of the constant, counts as longer */
  double left;             /* of squares, as a part of the constant's, as it seemed; for SUM_GAIN */
  int64_t whole[2 + SUMS]; /* as they were released: labels up to the value, above it; the sums */
  noisy_number counts[2], sums[SUMS]; /* sums of distances by their cap, or of that to a power */
} number_sums;

/* For the claim's whole epsilon of a record. `values` and labels are in halves of the range from
 * its middle. On every process of a job. */
dperm_status number_sums_private(const dperm_data *data, const double *values, double quantile,
                                 const guarantee *claim, random_source *source, number_sums *out,
                                 dperm_error *err);

/* How many records there are, or seem to be. */
double number_records(const number_sums *s);
/* What is left of the constant's squares around their mean, and that mean. */
double base_squares(const number_sums *s, double *mean);
