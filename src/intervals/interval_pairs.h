/* The second stage: correlations of the columns. For interval_law.c alone. */
#pragma once

#include "intervals/interval_law.h"

/* What a stage released, read in order as means. */
typedef struct interval_reader {
  const integer_body *body;
  const int64_t *released;
  double rows, epsilon;
  size_t block, within;
} interval_reader;
double interval_next(interval_reader *r, double *deviation);

/* Of every two groups the products of their columns, of every number its own and its square. */
dperm_status interval_pairs_body(const interval_law *law, integer_body *out, dperm_error *err);
dperm_status interval_take_pairs(interval_law *law, interval_reader *r, dperm_error *err);
