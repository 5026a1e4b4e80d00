/* Intervals for the slopes of a model that released what they need (docs/proofs/intervals.md 4), by
 * drawing the known laws of all noise: the fit's, the scales', the correlations' and sampling's.
 * A file always gives the same table. */
#pragma once

#include "intervals/interval_design.h"
#include "model/model.h"

/* Why there is no interval. */
typedef enum interval_refusal {
  INTERVAL_GIVEN,
  INTERVAL_FEW,       /* too few records for its noise */
  INTERVAL_RARE,      /* too rare, or too narrow for its range */
  INTERVAL_REFERENCE, /* the value that others are compared with is too rare */
  INTERVAL_ALIKE,     /* too like other columns for its noise */
  INTERVAL_MANY       /* too many others have none */
} interval_refusal;
/* In words; NULL where there is one. */
const char *interval_refusal_words(interval_refusal refusal);

/* Of a column of the design, in the unit of a score for z = 1. */
typedef struct interval_row {
  interval_refusal refusal;
  double estimate, error, low, high;
  double noise;               /* the share of the variance that is privacy's, not sampling's */
  double p;                   /* of no effect, two-sided: at least 1 in the draws */
  double rank_low, rank_high; /* its place by the size of |effect| times the column's deviation */
} interval_row;

/* Of such a model: its design, for the caller to clear, and a row for each column. */
dperm_status interval_table_of(const dperm_model *model, interval_design *design,
                               interval_row **rows, dperm_error *err);
