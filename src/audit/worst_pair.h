/* The worst pairs of neighbouring data sets that are known, and the theory of what a fit does on
 * them (docs/audit.md has the mathematics). All rows are zero but one, which is w = y·x in the
 * first data set and w′ in the second, or is not there at all (w′ = 0); a regularizer that pulls
 * towards a public place takes the part that other records could play. */
#pragma once

#include <stdbool.h>

#include "base/status.h"

enum { PAIR_DIMS = 3, PAIR_ROWS = 4 };

typedef enum pair_kind {
  PAIR_OUTPUT,     /* output perturbation: the minimizers are as far apart as can be */
  PAIR_OBJECTIVE,  /* objective perturbation: so are the noise vectors for one result */
  PAIR_JACOBIAN,   /* and the map from noise to result stretches differently besides */
  PAIR_SHAPE,      /* output perturbation in three dimensions, seen close to a minimizer */
  PAIR_INTERCEPT,  /* output perturbation of a constant column */
  PAIR_WEIGHTS,    /* objective perturbation; both records are of the class that counts most */
  PAIR_ADD_OUTPUT, /* the first three with one record, and without it */
  PAIR_ADD_OBJECTIVE,
  PAIR_ADD_JACOBIAN,
  PAIR_GAUSSIAN_OUTPUT, /* the first three with gaussian noise at (ε, δ), */
  PAIR_GAUSSIAN_OBJECTIVE,
  PAIR_GAUSSIAN_JACOBIAN,   /* of hinges */
  PAIR_ADD_GAUSSIAN_OUTPUT, /* and the first two of those with one record, and without it */
  PAIR_ADD_GAUSSIAN_OBJECTIVE
} pair_kind;

typedef struct worst_pair {
  pair_kind kind;
  dperm_mechanism mechanism;
  dperm_neighbours neighbours;
  dperm_loss loss;
  size_t dims;
  double norm;              /* R: not 1, so that a forgotten or unsquared R shows */
  double w[2][PAIR_DIMS];   /* the record that differs */
  double centre[PAIR_DIMS]; /* p: the penalty is λ/2·‖f − p‖² */
  double lambda;            /* λ = nΛ_t */
  double delta;             /* of gaussian noise; 0 for l2 */
  double beta;              /* of the noise that the claim calls for, */
  double bare_beta;         /* or would, if determinants were the same; gaussian Jacobian only */
  double minimizer[2][PAIR_DIMS];
} worst_pair;

/* Whether the claim has a δ. */
bool pair_is_gaussian(pair_kind kind);
/* `delta` is that of gaussian noise, 0 for the usual one: 1/50, or 1/500 for the Jacobian, so large
 * that what happens then is seen. `draws` decides how small an effect can be detected. */
dperm_status worst_pair_make(pair_kind kind, const char *loss, double epsilon, double delta,
                             size_t draws, worst_pair *out, dperm_error *err);

/* log of the density of the result f under the first data set over that under the second, if the
 * claim is right and exhausted. */
double pair_log_ratio(const worst_pair *pair, const double *f);
/* What an attack judges by: the same, or for the gaussian Jacobian with the noise of a claim that
 * forgets it. */
double pair_score(const worst_pair *pair, const double *f);
/* Large where f is close to the first minimizer, very negative close to the second. */
double pair_closeness(const worst_pair *pair, const double *f);
/* The coordinate of f along the axis on which the data sets differ. */
double pair_place(const worst_pair *pair, const double *f);
