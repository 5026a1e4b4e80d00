/* What objective perturbation costs (privacy.md 4), as an interval whose upper end is a proved
 * bound: eps(A) = A·L + sup [A·s + log(1 + kappa·a)] over all margins, s = |slope|, a = curvature.
 * Derived anew here; it shares nothing with src/mechanism. */
#ifndef DPERM_VERIFY_EPSILON_BOUND_H
#define DPERM_VERIFY_EPSILON_BOUND_H

#include "verify/interval.h"

typedef enum sup_rule {
  SUP_LOGISTIC,
  SUP_SMOOTH_HINGE,
  SUP_CONSTANTS /* s ≤ L and a ≤ c, as if both were reached at one margin (for Huber they are) */
} sup_rule;

typedef struct loss_facts {
  sup_rule rule;
  const interval *lipschitz, *smoothness; /* L, c */
} loss_facts;

const interval *epsilon_bound(interval_arena *arena, const loss_facts *loss, const interval *kappa,
                              const interval *a);

#endif
