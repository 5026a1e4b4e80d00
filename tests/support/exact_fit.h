/* A mechanism run on a problem, and how far its candidate is from the exact minimizer for the same
 * noise, by the 200-bit reference: what the release's theorem promises to bound. */
#ifndef DPERM_TESTS_EXACT_FIT_H
#define DPERM_TESTS_EXACT_FIT_H

#include "mechanism/mechanism.h"
#include "precise.h"
#include "release/numerics.h"

typedef struct exact_fit {
  double distance; /* ‖f̂ − f₀‖ at most, f₀ the minimizer for the noise as drawn */
  double unsure;   /* and this much less at least */
  double allowed;  /* τ, less the share of the noise's own error */
  double certified;
  double seconds; /* of the mechanism alone */
  release_plan release;
} exact_fit;

/* The rows, labels, loss and regularizer of `base`, whose model is not used. Fails the test where
 * the mechanism fails. */
exact_fit exact_fit_run(const problem *base, reference_loss loss, double h, dperm_mechanism kind,
                        double lambda, double epsilon, uint64_t seed);

#endif
