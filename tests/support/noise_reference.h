/* Norms of noise from their definitions, and mixed noise once more, from privacy.md 5 and
 * proofs/planning.md alone: the weights of the blocks and of the columns alone, and the longest row
 * in their norm, in long doubles and by other ways than the library's. */
#ifndef DPERM_TESTS_NOISE_REFERENCE_H
#define DPERM_TESTS_NOISE_REFERENCE_H

#include "random/noise.h"

enum { REFERENCE_RUNS = 96 };

/* ‖b‖_K, with the weights that the plan states. */
long double defined_norm(const noise_plan *plan, const long double *b);

typedef struct mixed_reference {
  double weight[REFERENCE_RUNS]; /* of the blocks in each run of the body; NaN in runs without */
  double alone;                  /* t; NaN without columns alone */
  double mean_square;            /* β²·E‖b‖₂² with these */
} mixed_reference;

/* The weights with the least R_K²·E‖b‖₂² for R₂ = 1, the largest 1, of eight bits. */
mixed_reference mixed_weights_best(const noise_body *body);
/* Those of a plan, as the library has them. */
mixed_reference mixed_weights_of(const noise_plan *plan);
/* max Σ ω_g|x_g| + t‖rest‖₂ over all rows within the bounds that have one entry a block at most. */
long double mixed_longest_row(const row_bounds *bounds, const mixed_reference *weights);

#endif
