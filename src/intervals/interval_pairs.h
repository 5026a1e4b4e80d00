/* The second stage: correlations of the columns. */
#pragma once

#include "intervals/interval_law.h"

/* What the product a·u·v of two groups' columns can be, as pairs count them. */
void interval_pair_ends(const interval_law *law, size_t a, size_t b, double *low, double *high);

/* Of every two groups the products of their columns, of every number its own and its square. */
dperm_status interval_pairs_body(const interval_law *law, integer_body *out, dperm_error *err);
dperm_status interval_take_pairs(interval_law *law, interval_reader *r, dperm_error *err);
