/* How far the privacy noise may have moved each released weight, from public numbers and the
 * released weights alone.
 *
 * With noise b in the objective the weights are those without it, less H⁻¹b; H = λI + Σ a x xᵀ,
 * λ = n(Λ + Δ). Only λ is public: ‖H⁻¹b‖₂ ≤ ‖b‖₂/λ whatever the records are, and no coordinate is
 * expected to move by more than rms(b_j)/λ. Nothing less can be proved without more of the records.
 * So the deviation is *estimated*, as rms(b_j)/(λ + the curvature of that weight): the mean
 * curvature of the loss at scores like the model's own, times what of the records has an entry
 * there. Cells of a number are made to hold like parts; categories are taken to be as rare as 1/k²
 * of the records for k of them; of a line some of the mean square is left beside the intercept.
 * Neighbouring cells of a number have like effects and independent noise, so their second
 * differences correct the estimate upwards (docs/reproduction.md has what it is worth). What is
 * compared with the middle of its part has a part of the noise of those. */
#pragma once

#include "report/weight_parts.h"

typedef enum weight_verdict {
  WEIGHT_GREY,     /* cannot be told from the noise */
  WEIGHT_STANDS,   /* more than the noise as it is estimated */
  WEIGHT_BEYOND,   /* more than all noise, whatever the records are, in 95 fits of 100 */
  WEIGHT_NO_NOISE, /* there was none */
  WEIGHT_UNKNOWN   /* not examined */
} weight_verdict;

typedef struct weight_noise {
  size_t dims, fits;
  dperm_mechanism mechanism;
  double lambda; /* λ; 0 where the noise stands on the solution, or there is none */
  double beyond; /* what ‖noise in a fit's weights‖₂ passes once in 20 fits; NaN if unknown */
  double *largest;   /* of each weight: the deviation that is the most there can be, */
  double *value;     /* of each weight of each fit: the weight as it is compared (weight_part), */
  double *estimate;  /* and the noise's deviation in that; NaN if not examined; */
  double *spread;    /* what comparing makes of its noise: times so much */
  double *centre;    /* of each part of each fit: what its weights are compared with, else 0; */
  double *curvature; /* of each fit: Σ of the loss's curvature over the rows; NaN if unknown */
} weight_noise;

/* A value is grey up to so many deviations. */
extern const double weight_noise_multiple;

/* Of a model without a kernel. */
dperm_status weight_noise_of(const dperm_model *model, const weight_parts *parts, weight_noise *out,
                             dperm_error *err);
void weight_noise_free(weight_noise *noise);

/* Of weight j of a fit. The intercept and "missing" are compared with sums of weights, of which the
 * bound on the noise says less: they are never called beyond it. */
weight_verdict weight_noise_verdict(const weight_noise *noise, const weight_part *part, size_t fit,
                                    size_t j);
/* The part of the records that must have an entry there for the value to stand out: 0 if it does
 * however few have, NaN if it would not if all had, or where nobody can say. */
double weight_noise_share(const weight_noise *noise, const weight_part *part, size_t fit, size_t j);
