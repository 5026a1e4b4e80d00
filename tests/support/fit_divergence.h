/* The exact Renyi divergence of objective perturbation with Gaussian noise in one dimension, by
 * integration: one record of length `norm` beside others, against its opposite or against a row of
 * zeros. The others are rows of zeros, or such that hold the solution where the record is curved.
 */
#ifndef DPERM_TESTS_FIT_DIVERGENCE_H
#define DPERM_TESTS_FIT_DIVERGENCE_H

#include <stdbool.h>

typedef struct fit_pair {
  bool huber; /* with h = 1/2, c = 1; else logistic */
  double norm, lambda, sigma;
  bool against_nothing;
  bool reversed; /* of the other law from this one */
  double prior;  /* where the ridge is least */
  double wall;   /* curvature of the others where the record of label 1 has none, of Huber's */
} fit_pair;

double fit_divergence(const fit_pair *pair, double order);
/* The mean of log(1 + x²ℓ″/H) for the record of label 1, under its own law, and the law's mass,
 * which is 1. */
double fit_mean_slack(const fit_pair *pair, double *mass);

#endif
