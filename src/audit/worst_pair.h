/* The worst pairs of neighbouring data sets that are known, and the theory of fits on them
 * (docs/audit.md): of two classes (worst_pair.c), and of three learned jointly (joint_pair.c). */
#pragma once

#include "base/status.h"

/* Comes with a kind: a record is in one data set only, and noise is gaussian at (ε, δ). */
enum { PAIR_ADD = 8, PAIR_GAUSSIAN = 16 };

/* The β of a right plan for rows of this norm; κ = R²/λ, or 0 if the determinants are forgotten. */
double claimed_beta(const dperm_loss *loss, dperm_mechanism mechanism, dperm_neighbours neighbours,
                    double norm, double lambda, double kappa, double epsilon, double delta);
/* −x, or −x²/2 for gaussian noise: log of a density at x = β‖b‖, up to a constant. */
double noise_log_density(double delta, double x);
double pair_distance(const double *a, const double *b, size_t dims);

/* ---- two classes, or a number. All rows are zero but one, which is w = y·x in the first data set
 * and w′ in the second, or is not there at all (w′ = 0); of a loss of numbers w = x, and its
 * label comes beside it. A regularizer that pulls towards a public place takes the part that other
 * records could play */

enum { PAIR_DIMS = 3, PAIR_ROWS = 4 };

typedef enum pair_kind {
  PAIR_OUTPUT,    /* output perturbation: the minimizers are as far apart as can be */
  PAIR_OBJECTIVE, /* objective perturbation: so are the noise vectors for one result */
  PAIR_JACOBIAN,  /* and the map from noise to result stretches differently besides */
  PAIR_SHAPE,     /* output perturbation in three dimensions, seen close to a minimizer */
  PAIR_INTERCEPT, /* output perturbation of a constant column */
  PAIR_WEIGHTS    /* objective perturbation; both records are of the class that counts most */
} pair_kind;

typedef struct worst_pair {
  pair_kind kind;
  dperm_mechanism mechanism;
  dperm_neighbours neighbours;
  dperm_loss loss;
  size_t dims;
  double norm;              /* R: not 1, so that a forgotten or unsquared R shows */
  double w[2][PAIR_DIMS];   /* the record that differs, */
  double label[2];          /* and of a number its label; else 0 */
  double centre[PAIR_DIMS]; /* p: the penalty is λ/2·‖f − p‖² */
  double lambda;            /* λ = nΛ_t */
  double delta;             /* of gaussian noise; 0 for l2 */
  double beta;              /* of the noise that the claim calls for, */
  double bare_beta;         /* or would, if determinants were the same; gaussian Jacobian only */
  double minimizer[2][PAIR_DIMS];
} worst_pair;

/* Of the sum of a kind and what comes with it: both with the first three, but a gaussian Jacobian
 * is for hinges and a replaced record, and class weights are for classes. `delta` is that of
 * gaussian noise, 0 for the usual one: 1/50, or 1/500 for the Jacobian, so large that it is seen;
 * `draws` decides what can be. */
dperm_status worst_pair_make(int kind, const char *loss, double epsilon, double delta, size_t draws,
                             worst_pair *out, dperm_error *err);

/* log of the result's density under the first data set over the second's, if the claim is tight. */
double pair_log_ratio(const worst_pair *pair, const double *f);
/* What an attack judges by: the same, or for the gaussian Jacobian with the noise of a claim that
 * forgets it; for the shape, large near the first minimizer and very negative near the second. */
double pair_score(const worst_pair *pair, const double *f);

/* ---- three classes learned jointly (docs/proofs/softmax.md). One record of the first class
 * differs, or is in one data set only; others may hold the scores where a gradient is long */

enum { JOINT_CLASSES = 3, JOINT_COLUMNS = 2, JOINT_WEIGHTS = JOINT_CLASSES * JOINT_COLUMNS };
enum { JOINT_OTHERS = 2 };

typedef enum joint_kind {
  JOINT_OBJECTIVE, /* one column, x = 1 against −1, where both gradients are long */
  JOINT_JACOBIAN,  /* one-hot records of two columns: the determinant has most of ε */
  JOINT_OUTPUT,    /* two columns: the minimizers are far apart */
  JOINT_DESCENT,   /* as the first, for noisy descent (docs/proofs/descent.md) */
  JOINT_KINDS
} joint_kind;

/* So many rows alike. */
typedef struct joint_rows {
  double x[JOINT_COLUMNS];
  size_t label, count;
} joint_rows;

typedef struct joint_pair {
  joint_kind kind;
  dperm_mechanism mechanism;
  dperm_neighbours neighbours;
  double delta;                    /* of gaussian noise; else 0 */
  size_t columns;                  /* one or two; weights are a class's after the other's */
  joint_rows others[JOINT_OTHERS]; /* in both data sets */
  joint_rows record[2];            /* in each; not there if its count is 0 */
  size_t rows;                     /* with those that are zero */
  double lambda, beta, bare_beta;  /* as above */
  double minimizer[2][JOINT_WEIGHTS];
} joint_pair;

/* As above; the usual delta is 1/50. */
joint_pair joint_pair_make(int kind, double epsilon, double delta);
double joint_log_ratio(const joint_pair *pair, const double *weights);
/* The Jacobians have the noise of a claim that forgets them; of descent it is no ratio. */
double joint_score(const joint_pair *pair, const double *weights);
