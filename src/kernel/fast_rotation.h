/* A random orthogonal n × n matrix Q that is applied in O(n log n) time and kept in O(n) memory:
 * three rounds of a random permutation with random signs and a Hadamard transform, Q = (H P₃)(H
 * P₂)(H P₁) (Yu et al., 2016, with permutations added). H for any n is made of blocks of powers of
 * two, the ones of n in binary; the permutations carry every entry through the large blocks. Unlike
 * zeros appended to x up to the next power of two, this keeps Q orthogonal for every n.
 *
 * Three rounds give an entry of Q the second and fourth moments of one of a uniformly random
 * rotation up to O(1/n²), so from FAST_ROTATION_LEAST on it stands in for it
 * (tests/property/hadamard_features_test.c). */
#pragma once

#include "random/random_source.h"

enum { FAST_ROTATION_LEAST = 64, FAST_ROTATION_STEPS = 3 };

/* FAST_ROTATION_STEPS · n numbers, each twice a place plus 1 for a minus; n < 2^31. */
void fast_rotation_draw(random_source *source, size_t n, uint32_t *places);

/* out = Q in, n numbers each, in `work` for n; none of the three overlap. */
void fast_rotation_apply(const uint32_t *places, size_t n, const double *in, double *out,
                         double *work);
/* out = Qᵀ in; `in` is used up. */
void fast_rotation_transposed(const uint32_t *places, size_t n, double *in, double *out,
                              double *work);

/* The fast Walsh–Hadamard transform: x becomes H x, in place: H_ij = (−1)^(number of ones in i &
 * j), n a power of two, without a scale (H H = n I). n log₂ n additions in an order of their own:
 * the bits depend neither on the processor nor on the compiler. */
void walsh_hadamard(double *x, size_t n);
