/* What gaussian noise costs (docs/proofs/gaussian.md), as an interval whose upper end is a proved
 * bound: delta at a given epsilon, by the corners of the box that two records' slopes lie in. All
 * derived anew; it shares nothing with src/mechanism. */
#pragma once

#include "verify/epsilon_bound.h"

/* Of output perturbation: one Gaussian against another whose mean is `shift` deviations away. */
interval delta_of_shift(interval epsilon, interval shift);
/* Of objective perturbation, A = R_K/sigma; the whole line where nothing is proved. `adding`: one
 * record's slope moves, and not two. */
interval delta_bound(const loss_facts *loss, bool adding, interval kappa, interval epsilon,
                     interval a);
/* Of classes that are learned jointly (docs/proofs/softmax.md, lemma S3). */
interval joint_delta_bound(size_t classes, bool adding, interval kappa, interval epsilon,
                           interval a);
