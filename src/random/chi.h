/* Lengths of gaussian vectors, for the public directions of kernels: nothing that protects people
 * may use them (see random/random_source.h). */
#pragma once

#include "random/random_source.h"

/* The length of a standard gaussian vector of n ≥ 2 entries, in time that does not grow with n.
 * Made of sums, products, quotients and square roots only, so that all machines draw the same bits.
 */
double random_chi(random_source *source, size_t n);
