/* The second stage: correlations of the columns, from a sum of products vvᵀ. A record's v is √(a/c)
 * times a constant and its u_j: a number's or a bit's z less its mean, a value's z, divided by the
 * column's width. */
#pragma once

#include "intervals/interval_law.h"

static const double interval_constant = 0.5;

/* Widths, and how long v may be. */
void interval_pairs_set(interval_law *law);
gram_noise interval_pairs_noise(const interval_law *law);
dperm_status interval_take_pairs(interval_law *law, const int64_t *released, dperm_error *err);
