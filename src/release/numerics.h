/* What a release promises about the machine it runs on, from public numbers alone (privacy.md 6):
 * how close to the ideal mechanism's result every candidate will be, the lattice its weights are
 * rounded to, and the integer noise that hides the difference. */
#pragma once

#include "mechanism/privacy_plan.h"
#include "random/discrete_sampling.h"

/* ε = ε_core + 2ε_num: the mechanism gets the first, the lattice noise the second. */
typedef struct epsilon_split {
  double core;
  ratio num;
} epsilon_split;

/* ε_num is ε/1000, rounded down to a rational for integer noise; ε_core the rest, likewise. */
epsilon_split epsilon_divide(double epsilon);

typedef struct release_plan {
  epsilon_split epsilon;
  promise promised;
  double solution_error; /* τ: ‖f̂ − f₀‖₂ ≤ τ, always */
  int step_exponent;     /* the lattice's step is g = 2^this */
  uint64_t sensitivity;  /* S: lattice points for one f₀ and f̂ differ by at most S in l1 */
} release_plan;

/* The release of `plan`'s result for these public numbers. Fails where doubles cannot hold it. */
dperm_status release_plan_make(const public_numbers *given, const privacy_plan *plan,
                               release_plan *out, dperm_error *err);

/* The only way that a private candidate becomes weights: weights = g·(round(candidate/g) + Y), Y
 * independent discrete Laplace, P(y) ∝ exp(−|y|·ε_num/S). */
dperm_status release_weights(const release_plan *plan, const solution *from, size_t dims,
                             random_source *source, double *weights, dperm_error *err);
