/* The exact Renyi divergence of objective perturbation with Gaussian noise in one dimension, by
 * integration: one record of length `norm` beside rows of zeros, against its opposite or against
 * a row of zeros. */
#ifndef DPERM_TESTS_FIT_DIVERGENCE_H
#define DPERM_TESTS_FIT_DIVERGENCE_H

#include <stdbool.h>

typedef struct fit_pair {
  bool huber; /* with h = 1/2, c = 1; else logistic */
  double norm, lambda, sigma;
  bool against_nothing;
  bool reversed; /* of the other law from this one */
} fit_pair;

double fit_divergence(const fit_pair *pair, double order);

#endif
