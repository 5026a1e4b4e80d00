/* Where random bits come from. The secure source is the operating system's, through libsodium; it
 * is the only one that protects anybody. The seeded one is a ChaCha20 stream for tests and made-up
 * records, and marks itself. */
#pragma once

#include "base/status.h"

typedef struct random_source {
  bool seeded; /* whatever was drawn from it is not private */
  bool failed; /* the system's source failed once: nothing drawn since may be released */
  unsigned long drawn_after; /* so many forks; a child must not use its parent's bits */
  unsigned char key[32];
  uint64_t block;
  unsigned char buffer[1024];
  size_t used;
} random_source;

/* The public handle. */
struct dperm_random {
  random_source source;
};

/* Fails, and never falls back, where the system has no secure source. */
dperm_status random_secure(random_source *out, dperm_error *err);
dperm_status random_seeded(uint64_t seed, random_source *out, dperm_error *err);
/* The caller's source, or where there is none a secure one in `own`, for the caller to wipe. */
dperm_status random_given(dperm_random *given, random_source *own, random_source **out,
                          dperm_error *err);
/* A seeded stream that no other purpose or seed shares: `purpose` is a short word. */
dperm_status random_public(uint64_t seed, const char *purpose, random_source *out,
                           dperm_error *err);
/* Fails if the system's source has failed since `source` was made. Draws cannot fail: from then on
 * they get bits that protect nobody, and this check stands before every release. */
dperm_status random_check(const random_source *source, dperm_error *err);
/* Forgets what was drawn ahead, but not a failure. */
void random_wipe(random_source *source);

uint64_t random_bits(random_source *source);

/* ---- what vector noise is made of: variables with a bounded *relative* error. Each stands for a
 * real number: the one that the same random bits, followed by infinitely many more, would give in
 * exact arithmetic, and whose law is exactly the one named. The bounds are in units of u = 2^−53;
 * they take log and log1p within 2 ulp (relative 4u; base/functions.h has less), and leave out an
 * event of probability below 2^−900 per draw, an exponent beyond all reason.
 * tests/property/sampling_error_test.c compares with 300 bits. */

/* Uniform on (0, ½), relative error at most 1.01u. */
double random_half_uniform(random_source *source);
/* Unit exponential, relative error at most 5.5u. */
double random_exponential(random_source *source);
/* Gamma(shape, 1), shape whole: a pairwise sum of exponentials, 5.5u + ⌈log₂ shape⌉u. */
double random_gamma(random_source *source, size_t shape);
/* Laplace(1/β): a unit exponential over β with a random sign, relative error at most 6.5u. */
double random_laplace(random_source *source, double beta);

/* ---- for made-up records, the public directions of kernels and tests. Nothing that protects
 * people may use it: the grids have gaps that tell draws apart */

/* Uniform on [0, 1), a multiple of 2^−53. */
double random_unit(random_source *source);
/* An index below count, as often as its weight says. */
size_t random_weighted(random_source *source, const double *weights, size_t count);
/* Standard normal. */
double random_normal(random_source *source);
/* The length of a standard gaussian vector of n ≥ 2 entries, in time that does not grow with n.
 * Sums, products, quotients and square roots only, so that all machines draw the same bits. */
double random_chi(random_source *source, size_t n);
