/* Delta of gaussian noise and of the pure steps before it (docs/proofs/gaussian.md 7), as an
 * interval whose upper end is a proved bound; without steps, that of the noise alone. Derived anew,
 * like noise_bound.h. */
#pragma once

#include "verify/noise_bound.h"

enum { COUNTS_MOST = 32 };

typedef struct step_law {
  double questions[2];  /* the epsilon of each; 0 for none */
  double pick, each;    /* epsilon of each of these, if the answers lead to them: */
  size_t picks, counts; /* at most COUNTS_MOST */
} step_law;

/* What they cost if they are added up: the questions, or the counts as well. */
interval steps_cost(const step_law *law, bool counted);

/* Proofs about the noise of one way; none where nothing leads there. */
typedef struct way_proofs {
  noise_proof proofs[PROOFS_MOST];
  size_t count;
} way_proofs;

/* Ways without counts, and with them. */
interval delta_of_ways(interval epsilon, const step_law *law, const way_proofs ways[2]);
