/* Three classes learned jointly with gaussian noise, without sampling. With one column a class has
 * one weight, and only the differences of weights count for the loss: the mean of the three has the
 * same law on both sides, so what tells two neighbours apart is the density of the weights in the
 * plane where they sum to zero, which is explicit. */
#ifndef DPERM_TESTS_JOINT_DENSITIES_H
#define DPERM_TESTS_JOINT_DENSITIES_H

#include "density_integral.h"

enum { JOINT_CLASSES = 3, JOINT_OTHERS = 4 };

/* x = 0: no record. */
typedef struct labelled {
  double x;
  size_t label;
} labelled;

typedef struct joint_neighbours {
  size_t others;
  labelled w[2], other[JOINT_OTHERS]; /* w: the record that differs */
  double prior[2], lambda, sigma;     /* prior: in the plane */
} joint_neighbours;

/* Records with |x| ≤ norm, as far apart as they can be every other time; lambda and sigma are left
 * to the caller. */
joint_neighbours joint_neighbours_drawn(random_source *r, double norm);

/* A prior far out on the way from the third class to the first: a record of the second class pulls
 * from it to the first, its opposite −x to the third, whatever the noise is, so that their slopes
 * are √6·norm apart; with one column no two are further. `adding`: against no record, √2·norm. */
joint_neighbours joint_neighbours_far_out(double norm, bool adding);

/* ∫ max(0, p − e^ε·p′), to be compared with `goal`. */
double joint_delta(const joint_neighbours *p, double epsilon, double goal);
/* The Renyi divergence log ∫ p^α p′^(1−α)/(α−1), to be compared with `goal`: within a thousandth
 * of it. */
double joint_divergence(const joint_neighbours *p, double order, double goal);
/* The mean under p of how much the record of p adds to the logarithm of the determinant, to be
 * compared with `goal`. */
double joint_mean_slack(const joint_neighbours *p, double goal);

#endif
