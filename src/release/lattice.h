/* The only way that a private candidate becomes weights. */
#pragma once

#include "release/numerics.h"

/* weights = g·(round(candidate/g) + Y), Y independent discrete Laplace, P(y) ∝ exp(−|y|·ε_num/S).
 */
dperm_status release_weights(const release_plan *plan, const solution *from, size_t dims,
                             random_source *source, double *weights, dperm_error *err);
