/* The samplers of noise once more, from their definitions, with MPFR at 300 bits: they read the
 * same random bits as the library and, where it stops, more from a stream of their own. */
#ifndef DPERM_TESTS_EXACT_NOISE_H
#define DPERM_TESTS_EXACT_NOISE_H

#include <mpfr.h>

#include "noise_bodies.h"

enum { PRECISION = 300 };

typedef struct exact_source {
  random_source bits; /* what the library reads */
  random_source more; /* the bits after those */
  mpfr_t w, t;
} exact_source;

/* `bits` as the library will read them; `seed` is of those that follow. */
void exact_open(exact_source *s, const random_source *bits, uint64_t seed);
void exact_close(exact_source *s);

/* A word as a number. */
void exact_set_word(mpfr_t out, uint64_t word);
void exact_half_uniform(exact_source *s, mpfr_t w);
void exact_exponential(exact_source *s, mpfr_t e);
void exact_gamma(exact_source *s, size_t shape, mpfr_t g);
/* b has space for one number more than the plan's columns. */
void exact_noise(exact_source *s, const noise_plan *plan, mpfr_t *b);

#endif
