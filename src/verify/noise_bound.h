/* What objective perturbation costs (privacy.md 4), as an interval whose upper end is a proved
 * bound: eps(A) = A·L + sup [A·s + log(1 + kappa·a)] over all margins, s = |slope|, a = curvature,
 * for a replaced record; for one added or removed the supremum alone (docs/proofs/neighbours.md).
 * For k classes learned jointly (docs/proofs/softmax.md) A·L is 2A, and the supremum that of
 * 2A·(1 - p) + log det(I + kappa·S) over the probabilities of classes. Also the losses known here
 * by name. All is derived anew, and shares nothing with src/loss and src/mechanism. */
#pragma once

#include "verify/interval.h"

/* How slope and curvature go together: s and a/c at a place x, and their derivatives by x. */
typedef struct loss_shape {
  interval s, s_rise, a, a_rise;
} loss_shape;

typedef struct known_loss {
  const char *name;
  double lipschitz, smoothness; /* L; c, which is to be divided by h if there is one */
  bool has_h;
  bool numbers;  /* of a numeric label: slopes of both signs */
  bool quantile; /* L is the larger of the quantile and what is left to 1 */
  /* The sup of A·s + log(1 + kappa·a) is reached for some x in [0, 1], where s and a are concave in
   * x. NULL: s = L and a = c at one margin, as far as is known. */
  loss_shape (*shape)(interval x);
  double peak; /* where a is largest; from there to 1 it is a concave, falling function of s. With
                  an L below 1 the slope is s − (1 − L) */
} known_loss;

/* NULL for a loss that is not known here. */
const known_loss *known_loss_find(const char *name);

typedef struct loss_facts {
  const known_loss *known;        /* NULL: L and c are only declared */
  interval lipschitz, smoothness; /* L, c */
} loss_facts;

/* For L and c of a joint fit `known` is NULL. */
loss_facts joint_facts(void);
interval joint_epsilon_bound(size_t classes, bool adding, interval kappa, interval a);

interval epsilon_bound(const loss_facts *loss, bool adding, interval kappa, interval a);

/* ---- gaussian noise: delta at an epsilon (docs/proofs/gaussian.md), and the divergence of a Renyi
 * order (docs/proofs/composition.md, C3 to C6), as intervals whose upper ends are proved bounds, by
 * the corners of the box of two records' slopes, and most and mean of what determinants add */

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

/* Of output perturbation and noisy descent, one Gaussian whose mean moves by `shift` deviations; of
 * objective perturbation, A = R_K/sigma, where one record's slope moves (`adding`) or two. */
noise_profile profile_of_shift(interval shift);
noise_profile profile_of_loss(const loss_facts *loss, bool adding, interval kappa, interval a);

/* What bounds delta at every epsilon from `most` on: corners, each with a slack of its own. */
typedef struct noise_proof {
  noise_corner corners[CORNERS_MOST];
  interval slack[CORNERS_MOST], most;
  size_t count;
} noise_proof;
/* The whole line where nothing is proved. */
interval delta_of_proof(interval epsilon, const noise_proof *proof);
/* By corners that all have the whole slack; and those of a loss whose slope and curvature go
 * together, that may be better near this epsilon. */
enum { PROOFS_MOST = 3 };
noise_proof proof_of_profile(const noise_profile *noise);
size_t proofs_of_loss(const loss_facts *loss, bool adding, interval kappa, interval epsilon,
                      interval a, noise_proof out[PROOFS_MOST]);

/* The divergence of this order, above 1: of what is pure, whatever it is, and of the noise. */
interval divergence_of_pure(interval order, interval epsilon);
interval divergence_of_noise(interval order, const noise_profile *noise);
