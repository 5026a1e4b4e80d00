/* What would have to change for a plan to promise more: a search over ε or the number of rows, all
 * else equal. Public numbers in, public numbers out. */
#pragma once

#include "mechanism/calibrate.h"

typedef struct outlook {
  double epsilon;       /* the smallest ε, for a row, and */
  size_t rows;          /* the smallest number of rows at which excess_loss is below coin_loss with
                         * probability 0.95; NaN and 0 for none */
  size_t rows_to_halve; /* the smallest number of rows that halve noise_to_signal; 0 for none */
} outlook;

outlook outlook_of(const public_numbers *given, const privacy_plan *plan, double noise_norm_q95);
