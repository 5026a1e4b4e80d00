/* What objective perturbation costs (privacy.md 4), as an interval whose upper end is a proved
 * bound: eps(A) = A·L + sup [A·s + log(1 + kappa·a)] over all margins, s = |slope|, a = curvature,
 * for a replaced record; for one that is added or removed the supremum alone
 * (docs/proofs/neighbours.md). For k classes that are learned jointly (docs/proofs/softmax.md) A·L
 * is 2A, and the supremum that of 2A·(1 - p) + log det(I + kappa·S) over the probabilities of
 * classes. Also the losses that are known here by name. All derived anew; it shares nothing with
 * src/loss and src/mechanism. */
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
  /* The sup of A·s + log(1 + kappa·a) is reached for some x in [0, 1], where s and a are concave in
   * x. NULL: s = L and a = c at one margin, as far as is known. */
  loss_shape (*shape)(interval x);
  double peak; /* where a is largest; from there to 1 it is a concave, falling function of s */
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
