/* The δ of pure steps and of the gaussian noise of the fit that follows them, together
 * (docs/proofs/gaussian.md 7): with X_i = ±ε_i, the upper sign e^ε_i times as likely,
 *
 *   δ(ε) = E max over ways of h(ε − ΣX_i),
 *
 * h the sum over corners of delta_rule.h, and the sum without the counts where none are made. */
#pragma once

#include "mechanism/delta_rule.h"
#include "privacy/composition.h"

typedef struct composed_terms {
  const dperm_loss *loss;
  dperm_neighbours neighbours;
  dperm_mechanism mechanism;
  double epsilon, delta; /* of steps and noise together */
} composed_terms;

/* Sets the reach of each way that has a κ above zero, so that all together cost at most delta, and
 * little less; 0 where that cannot be. */
void compose_ways(const composed_terms *terms, composition *composed);
