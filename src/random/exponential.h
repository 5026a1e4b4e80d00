/* Exponential and gamma variables with a bounded *relative* error: what vector noise is made of. */
#ifndef DPERM_RANDOM_EXPONENTIAL_H
#define DPERM_RANDOM_EXPONENTIAL_H

#include "random/source.h"

/* Unit exponential, within a few units in the last place of an exact one. */
double random_exponential(random_source *source);
/* Gamma(shape, 1) for a whole shape ≥ 1: a pairwise sum of exponentials. */
double random_gamma(random_source *source, size_t shape);

#endif
