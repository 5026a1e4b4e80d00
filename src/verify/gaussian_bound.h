/* What gaussian noise costs, as an interval whose upper end is a proved bound: delta at an epsilon
 * (docs/proofs/gaussian.md), and the divergence of a Renyi order (docs/proofs/composition.md, C3 to
 * C6). Both by the corners of the box that two records' slopes lie in, the most that determinants
 * add to a loss of privacy, and their mean. All derived anew; it shares nothing with src/privacy
 * and src/mechanism. */
#pragma once

#include "verify/epsilon_bound.h"

enum { CORNERS_MOST = 3 };
typedef struct noise_corner {
  double count;
  interval ratio; /* how far the noise is moved there, in deviations */
} noise_corner;

/* The longest corner comes first. */
typedef struct noise_profile {
  interval slack, mean;
  noise_corner corners[CORNERS_MOST];
  size_t count;
} noise_profile;

/* Of output perturbation, one Gaussian whose mean moves by `shift` deviations; of objective
 * perturbation, A = R_K/sigma, where one record's slope moves (`adding`) or two; of classes learned
 * jointly (docs/proofs/softmax.md, lemma S3). */
noise_profile profile_of_shift(interval shift);
noise_profile profile_of_loss(const loss_facts *loss, bool adding, interval kappa, interval a);
noise_profile profile_of_classes(size_t classes, bool adding, interval kappa, interval a);

/* Delta, by the corners with the whole slack, or less of a loss whose slope and curvature go
 * together; the whole line where nothing is proved. */
interval delta_of_noise(interval epsilon, const noise_profile *noise);
interval delta_of_loss(const loss_facts *loss, bool adding, interval kappa, interval epsilon,
                       interval a);

/* The divergence of this order, above 1: of what is pure, whatever it is, and of the noise. */
interval divergence_of_pure(interval order, interval epsilon);
interval divergence_of_noise(interval order, const noise_profile *noise);
