/* The fast Walsh–Hadamard transform. */
#pragma once

#include <stddef.h>

/* x becomes H x, in place: H_ij = (−1)^(number of ones in i & j), n a power of two, without a
 * scale (H H = n I). n log₂ n additions in an order of their own: the bits depend neither on the
 * processor nor on the compiler. */
void walsh_hadamard(double *x, size_t n);
