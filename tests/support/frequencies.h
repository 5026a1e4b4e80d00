/* Counts of outcomes against exact probabilities. A correct sampler fails a check with probability
 * at most FALSE_ALARM: the chi-square tail is taken at a tenth of that, since its law is only
 * approximate for finite counts, and cells are pooled until at least 50 outcomes are expected in
 * each. What is too rare even then is held to Chernoff's bound, which is no approximation. */
#ifndef DPERM_TESTS_FREQUENCIES_H
#define DPERM_TESTS_FREQUENCIES_H

#include "support.h"

#define FALSE_ALARM 1e-6

/* P(χ² with `freedom` degrees ≥ x). */
double chi_square_tail(double freedom, double x);

/* `counts` of draws that fall in `cells` cells with these probabilities, which sum to 1 (a last
 * cell for "anything else" is fine). `what` names the case when it fails. */
void assert_frequencies(const char *what, const uint64_t *counts, const double *probabilities,
                        size_t cells);
/* The same for `hits` of `draws` with probability p. */
void assert_frequency(const char *what, uint64_t hits, uint64_t draws, double p);

#endif
