/* What stands between a mechanism and the release of its result: a promise, made from public
 * numbers before any work, and a solution that keeps it. */
#pragma once

/* What the release will rely on, from public numbers alone (release/numerics.h). */
typedef struct promise {
  double gradient;   /* the certified gradient, with what the noise's own error adds to it */
  double noise_norm; /* ‖b‖₂; longer noise is refused, with probability e^−100 */
} promise;

/* Within (promise.gradient)/Λ_t of what the mechanism would have given in real numbers: f + rest,
 * the rest too small for doubles to hold it. Not to be seen by anybody. */
typedef struct solution {
  double *f, *rest; /* dims numbers each; those of several solutions one after the other */
} solution;
