/* A run that looks at records, privately, before it fits a model with gaussian noise: what both
 * cost together is less than the sum of their epsilons (docs/proofs/gaussian.md 7). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* So many steps, at most STEPS_MOST, each private at this epsilon given those before it. */
enum { STEPS_MOST = 32 };
typedef struct pure_steps {
  double epsilon;
  size_t count;
} pure_steps;

/* What may follow them: a fit whose κ = R₂²/λ and A = R_K/σ are at most these, whatever schema the
 * steps have led to. */
typedef struct noise_way {
  double kappa, reach;
} noise_way;

/* Without counts, and with them. */
enum { QUESTIONS_MOST = 2, NOISE_WAYS = 2 };

typedef struct composition {
  pure_steps questions[QUESTIONS_MOST]; /* always asked; count 0 for none */
  pure_steps picks, counts;             /* made if the answers say so */
  noise_way ways[NOISE_WAYS];           /* [counted]; reach 0 for one that nothing leads to */
  /* What a claim has where the noise is gaussian (privacy/guarantee.h); epsilon 0: that of pure
   * noise, to which the steps' epsilons are added, and there are none of them here. */
  double epsilon, delta_numerics, delta_class;
} composition;
