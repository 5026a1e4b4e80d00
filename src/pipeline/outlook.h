/* What would have to change for a plan to promise more: a search over ε or the number of rows, all
 * else equal. Public numbers in, public numbers out. */
#pragma once

#include "mechanism/calibrate.h"

typedef struct outlook {
  public_numbers given; /* of a row, with the kind of noise that was chosen */
  double q95;           /* the noise's 0.95-quantile times β: the same for every β */
  double guess;         /* by how much ε, or n, would have to grow, roughly */
} outlook;

outlook outlook_of(const public_numbers *given, const privacy_plan *plan, double noise_norm_q95);

/* The smallest ε, for a row, and the smallest number of rows at which excess_loss is below
 * coin_loss with probability 0.95; NaN and 0 for none. */
double outlook_epsilon(const outlook *o);
size_t outlook_rows(const outlook *o);

/* The smallest number of rows that halve noise_to_signal, from what it is now; 0 for none. */
size_t outlook_rows_to_halve(const outlook *o, double noise_to_signal);
