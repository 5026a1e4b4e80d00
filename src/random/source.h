/* Where random bits come from. The seeded source is a ChaCha20 stream, for records that are made
 * up and for tests; what it touches protects nobody. */
#ifndef DPERM_RANDOM_SOURCE_H
#define DPERM_RANDOM_SOURCE_H

#include "base/status.h"

typedef struct random_source {
  unsigned char key[32];
  uint64_t block;
  unsigned char buffer[1024];
  size_t used;
} random_source;

dperm_status random_seeded(uint64_t seed, random_source *out, dperm_error *err);

uint64_t random_bits(random_source *source);
/* Uniform on [0, 1), a multiple of 2^−53. */
double random_unit(random_source *source);
/* Standard normal by the polar method; good enough for made-up records, not for privacy. */
double random_normal(random_source *source);

#endif
