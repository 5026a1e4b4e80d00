/* Uniform, exponential and gamma variables with a bounded *relative* error: what vector noise is
 * made of. Each stands for a real number: the one that the same random bits, followed by infinitely
 * many more, would give in exact arithmetic, and whose law is exactly the one named. The bounds are
 * in units of u = 2^−53; they assume log and log1p within 2 ulp (relative 4u; measured by
 * tests/full/libm_test.c) and leave out an event of probability below 2^−900 per draw, an exponent
 * beyond all reason. tests/property/sampling_error_test.c compares with 300 bits. */
#pragma once

#include "random/random_source.h"

/* Uniform on (0, ½), relative error at most 1.01u. */
double random_half_uniform(random_source *source);
/* Unit exponential, relative error at most 5.5u. */
double random_exponential(random_source *source);
/* Gamma(shape, 1) for a whole shape ≥ 1: a pairwise sum of exponentials, relative error at most
 * 5.5u + ⌈log₂ shape⌉u. */
double random_gamma(random_source *source, size_t shape);
/* Laplace(1/β): a unit exponential over β with a random sign, relative error at most 6.5u. */
double random_laplace(random_source *source, double beta);
