/* The public side of noisy descent (docs/proofs/descent.md), for classes that are learned jointly:
 * steps down the sum of all records' gradients, each cut to length C and the sum blurred by integer
 * noise. What a step sees of the records is released already, so T steps cost what one with noise
 * √T times shorter would, whatever the weights are meanwhile: no corners, no determinant.
 *
 * In a plan β is that of the noise of all steps as one, √T/σ for a step's deviation σ, and nΛ the
 * inverse of the time that the steps take together: weights that noise alone moves come as far as
 * with a penalty of nΛ and one noise. */
#pragma once

#include "base/status.h"

/* T; the smaller Λ is, the more. */
enum { DESCENT_STEPS_LEAST = 60, DESCENT_STEPS_MOST = 150 };

/* T; what sums are rounded to, in units of which a step's noise has the deviation 2^GAUSSIAN_BITS;
 * and how long the weights may be on the way. */
typedef struct descent_plan {
  size_t steps;
  double grid, furthest;
} descent_plan;

typedef struct descent_terms {
  const dperm_loss *loss; /* of several scores */
  uint64_t rows_most;
  size_t dims;      /* d, of each class */
  double norm;      /* R */
  bool shared;      /* rows have shares */
  double gradients; /* by how many of them neighbours differ */
} descent_terms;

/* The Λ at which noise of this rms norm in a class's mean gradient moves its weights by `length`
 * (NaN for the usual one); and the least: steps must bear the loss's curvature. */
double descent_lambda(double norm, double noise, double length);
double descent_lambda_least(double norm);
/* E, the most that a computed sum of gradients over the grid can be off, at weights of this norm:
 * of as many rows as there can be, in any order. */
double descent_sum_error(const descent_terms *terms, double norm);
/* For a Λ and a β. Fails where rounding could be seen. */
dperm_status descent_plan_make(const descent_terms *terms, double lambda, double beta,
                               descent_plan *out, dperm_error *err);
