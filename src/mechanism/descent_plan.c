/* See descent_plan.h. The settings of steps, here and in descent.c, are the best of twenty on
 * seven generated sets of 3 to 26 classes (docs/proofs/descent.md). */
#include "mechanism/descent_plan.h"

#include <math.h>

#include "loss/link.h"
#include "mechanism/delta_rule.h"
#include "random/discrete_sampling.h"
#include "solve/certify.h"

/* How far noise alone may move a class's weights, and the longest step, in units of 1/R. */
static const double moved = 3, longest_step = 32;

double descent_lambda_least(double norm) {
  return norm * norm / (longest_step * DESCENT_STEPS_MOST);
}

double descent_lambda(double norm, double noise, double length) {
  return fmax(noise / (isnan(length) ? moved / norm : length), descent_lambda_least(norm));
}

/* Of a slope that is cut, (k + 8)u: its length, the product with a quotient, and that of a share is
 * rounded while it is √2 long. Of a sum one rounding more, the quotient by the grid. */
double descent_sum_error(const descent_terms *t, double f) {
  double rows = (double)t->rows_most, k = (double)link_scores(t->loss);
  dperm_loss cut = *t->loss;
  cut.slope_error += (k + 8) * 0x1p-53;
  const evaluation worst = {.loss = &cut,
                            .rows = rows,
                            .crowd = rows, /* sums, not means */
                            .entries = (double)t->dims,
                            .row_depth = (double)t->dims + 2,
                            .depth =
                                sum_depth_most(t->rows_most, t->dims, link_scores(t->loss)) + 1,
                            .norm = t->norm,
                            .slope = rows * descent_clip,
                            .shared = t->shared,
                            .curvature = rows * t->loss->smoothness,
                            .f = f};
  return evaluation_error(&worst, IN_DOUBLES);
}

/* Rounded sums of neighbours differ by at most (ΔCR + 2E)/grid + √m, m weights: each is off by E.
 * Integer noise of deviation s is worth a gaussian's √(s² − 64), T steps are within μ = ΔCRβ. */
dperm_status descent_plan_make(const descent_terms *t, double lambda, double beta,
                               descent_plan *out, dperm_error *err) {
  const double s = ldexp(1, GAUSSIAN_BITS), worth = sqrt(s * s - 64), up = 1 + 1e-9;
  const double one = descent_clip * t->norm, range = t->gradients * one;
  const double weights = (double)(t->dims * link_scores(t->loss));
  const double steps =
      fmin(fmax(ceil(t->norm * t->norm / (longest_step * lambda)), DESCENT_STEPS_LEAST),
           DESCENT_STEPS_MOST);
  double furthest = 1000 / t->norm;
  while (!(descent_sum_error(t, furthest) <= 0.01 * one) && furthest * t->norm > 1) {
    furthest /= 2;
  }
  double error = descent_sum_error(t, furthest);
  double points = range * beta * worth / sqrt(steps) - sqrt(weights) * up;
  FAIL_IF(!(error <= 0.01 * one && points > 1), err, DPERM_UNSUPPORTED,
          "rounding could be seen through the noise of classes that are learned jointly, at this "
          "epsilon and with so many rows or columns; choose the noise l1, or multiclass "
          "one-vs-rest");
  *out = (descent_plan){
      .steps = (size_t)steps, .grid = (range + 2 * error) / points * up, .furthest = furthest};
  return DPERM_OK;
}
