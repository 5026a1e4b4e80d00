/* Objective perturbation without sampling: the map from weights f to the noise b that gives them is
 * explicit, so the density of the released weights is e^(−β‖b‖)·|det ∂b/∂f| up to a constant, for a
 * data set and for its neighbour. Random pairs of neighbours, and a climb to the worst ratio. */
#ifndef DPERM_TESTS_DENSITY_PAIR_H
#define DPERM_TESTS_DENSITY_PAIR_H

#include "mechanism/privacy_plan.h"
#include "reference.h"
#include "statistics.h"

enum { MOST_DIMS = 5, USUAL_DIMS = 3, MOST_OTHERS = 5, LOSSES = 8 };

/* Two neighbours and the weights at which they are compared. Records are w = y·x, or x and a label
 * for losses of numbers. */
typedef struct pair {
  size_t dims, others;
  double w[2][MOST_DIMS]; /* the record that differs */
  double other[MOST_OTHERS][MOST_DIMS];
  double label[2], other_label[MOST_OTHERS];
  double f[MOST_DIMS];
  double prior[MOST_DIMS], weight[MOST_DIMS]; /* of the regularizer */
  bool absent;  /* the second data set has no record in place of the first's, */
  bool removed; /* and log_ratio is that of the second to the first */
} pair;

/* What a record may be: ‖w‖₂ ≤ R₂ and, where the noise has another norm, ‖w‖_K ≤ R_K; for mixed
 * noise instead one entry in each block, and all within the body's radii. The body takes the first
 * `count` of the runs, wherever the limits then lie. */
typedef struct limits {
  row_bounds bounds;
  dperm_noise kind;
  body_run runs[3];
  size_t count;
} limits;

/* log of the ratio of the densities of f under the two data sets. */
double log_ratio(const pair *p, const dperm_loss *loss, const privacy_plan *plan);
/* The library's losses of margins; 7 times the logistic one, which is priced by its constants; and
 * those of numbers, with h a tenth. */
dperm_loss loss_number(int which, double h);
public_numbers numbers_for(const pair *p, double norm, const dperm_loss *loss, double epsilon,
                           double lambda);
void draw_vector(random_source *r, double scale, double *v, size_t dims);
/* Moves f along the record w so that its margin, or score, becomes z. */
void set_margin(pair *p, const double *w, double z);
/* The prior that makes b = 0 under the first data set: the most favourable place for it. */
void centre_noise(pair *p, const dperm_loss *loss, const privacy_plan *plan);
pair draw_pair(random_source *r, size_t dims, const limits *within);
/* Climbs on log_ratio; the neighbours may change places, so upwards is enough. */
double climb(random_source *r, pair *p, const limits *within, const dperm_loss *loss,
             const privacy_plan *plan, int steps);
/* Fails where the ratio passes epsilon. */
void check_ratio(double ratio, double epsilon, const dperm_loss *loss, double norm, const pair *p);
/* Bounds in all norms, each of which may be the one that counts: R₁ from a half of R₂ to √d of it,
 * radii from a fifth of R₂ to twice as much. */
limits draw_limits(random_source *r, size_t dims, double norm, dperm_noise kind);

#endif
