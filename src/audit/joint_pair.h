/* The worst pairs that are known for classes that are learned jointly (docs/proofs/softmax.md), and
 * the theory of what a fit of three of them does there. One record of the first class differs, or
 * is there in one data set only; further records may hold the scores where a gradient is long. */
#pragma once

#include <stddef.h>

#include "base/status.h"

enum { JOINT_CLASSES = 3, JOINT_COLUMNS = 2, JOINT_WEIGHTS = JOINT_CLASSES * JOINT_COLUMNS };
enum { JOINT_OTHERS = 3 };

typedef enum joint_kind {
  JOINT_OBJECTIVE, /* one column, x = 1 against −1, where both gradients are long */
  JOINT_JACOBIAN,  /* one-hot records of two columns: the determinant has most of ε */
  JOINT_OUTPUT,    /* two columns: the minimizers are far apart */
  JOINT_PULLED,    /* the Jacobian for gaussian noise: one column is pulled, another holds */
  JOINT_KINDS,
  JOINT_ADD = 8,      /* and with the record and without it, */
  JOINT_GAUSSIAN = 16 /* and with gaussian noise at (ε, δ) */
} joint_kind;

/* So many rows alike. */
typedef struct joint_rows {
  double x[JOINT_COLUMNS];
  size_t label, count;
} joint_rows;

typedef struct joint_pair {
  joint_kind kind; /* the first four */
  dperm_mechanism mechanism;
  dperm_neighbours neighbours;
  double delta;                    /* of gaussian noise; else 0 */
  size_t columns;                  /* one or two; weights are a class's after the other's */
  joint_rows others[JOINT_OTHERS]; /* in both data sets */
  joint_rows record[2];            /* in each; not there if its count is 0 */
  size_t rows;                     /* with those that are zero */
  double lambda, beta;             /* λ = nΛ_t, and the noise that the claim calls for, */
  double bare_beta;                /* or would, if determinants were the same for both */
  double minimizer[2][JOINT_WEIGHTS];
} joint_pair;

/* Of the sum of a kind and what comes with it; a `delta` of 0 is the usual one, 1/50, or 3/500 for
 * JOINT_PULLED, which is for gaussian noise and an added record only. */
joint_pair joint_pair_make(int kind, double epsilon, double delta);
/* log of the density of these weights under the first data set over that under the second, if the
 * claim is right and exhausted. */
double joint_log_ratio(const joint_pair *pair, const double *weights);
/* What an attack judges by: the same, or for the Jacobians with the noise of a claim that forgets
 * them. */
double joint_score(const joint_pair *pair, const double *weights);
/* The minimizers' distance over the largest that the claim allows for: 1 would be tight. Output
 * only. */
double joint_distance(const joint_pair *pair);
