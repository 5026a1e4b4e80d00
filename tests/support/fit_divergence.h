/* The exact Renyi divergence of objective perturbation with Gaussian noise in one dimension, by
 * integration: one record of length `norm` beside others, against its opposite or against a row of
 * zeros. The others are rows of zeros, or such that hold the solution where the record is curved.
 */
#ifndef DPERM_TESTS_FIT_DIVERGENCE_H
#define DPERM_TESTS_FIT_DIVERGENCE_H

#include <stdbool.h>

typedef enum fit_loss { /* hinges with h = 1/2: curved between 1/2 and 3/2, */
                        FIT_LOGISTIC,
                        FIT_HUBER,
                        FIT_SMOOTH_HINGE,
                        FIT_LOG_COSH, /* and so are these of a label of 1 */
                        FIT_HUBER_REGRESSION,
                        FIT_LOSSES
} fit_loss;

typedef struct fit_pair {
  fit_loss loss;
  double norm, lambda, sigma;
  bool against_nothing;
  bool reversed; /* of the other law from this one */
  double prior;  /* where the ridge is least */
  double wall;   /* curvature of the others where the record of label 1 has none, of hinges */
} fit_pair;

/* c, the largest ℓ″. */
double fit_smoothness(fit_loss loss);
double fit_divergence(const fit_pair *pair, double order);
/* The mean of log(1 + x²ℓ″/H) for the record of label 1, under its own law, and the law's mass,
 * which is 1. */
double fit_mean_slack(const fit_pair *pair, double *mass);

#endif
