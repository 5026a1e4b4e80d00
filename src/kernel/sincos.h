/* Cosines and sines of many angles, as random features need them. */
#pragma once

#include <stddef.h>

/* scale·cos and scale·sin of `count` angles. Before the scale each is within 2^−52 of the true
 * value for angles up to 10^5, and of libm's beyond; a pair's squares sum to 1 within 2^−50 always.
 * The bits depend on the angle alone, not on its neighbours, and not on the processor. */
void sincos_scaled(const double *angles, size_t count, double scale, double *cosines,
                   double *sines);
