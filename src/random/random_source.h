/* Where random bits come from. The secure source is the operating system's, through libsodium; it
 * is the only one that protects anybody. The seeded one is a ChaCha20 stream for tests and made-up
 * records, and marks itself. */
#pragma once

#include <stdbool.h>

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
/* Fails if the system's source has failed since `source` was made. Draws cannot fail, so that
 * samplers stay simple: from then on they get bits that protect nobody, and this check stands
 * before every release. */
dperm_status random_check(const random_source *source, dperm_error *err);
/* Forgets what was drawn ahead, but not a failure. */
void random_wipe(random_source *source);

uint64_t random_bits(random_source *source);
/* What follows is for made-up records, the public directions of kernels and tests. Nothing that
 * protects people may use it: the grids have gaps that tell draws apart. Noise is made of
 * random_exponential and random_half_uniform, choices of random_below. */
/* Uniform on [0, 1), a multiple of 2^−53. */
double random_unit(random_source *source);
/* Standard normal. */
double random_normal(random_source *source);
/* The length of a standard gaussian vector of n ≥ 2 entries, in time that does not grow with n.
 * Made of sums, products, quotients and square roots only, so that all machines draw the same bits.
 */
double random_chi(random_source *source, size_t n);
