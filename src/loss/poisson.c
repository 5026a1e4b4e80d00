/* Counts: with y' = (1 + y)/2, a count as part of the most that there is, and u = z − 2, the loss
 * is φ(u) − y'u, φ(u) = e^u up to u = 0 and 1 + u beyond (loss/link.h). Up to there it is the
 * Poisson law's, whose mean is e^u of the most; the line beyond bounds slopes, and a fit that
 * predicts more than the most is as wrong as one that predicts the most (docs/proofs/residual.md,
 * 5). Here is φ: its slope lies in [0, 1], and so φ′ − y' in [−1, 1].
 *
 * Slope and curvature of e^u are 4 units at most from theirs (exp_lanes, the product with the low
 * half and its sum), those of a line are exact; the label takes a rounding of its own. 8 are
 * declared. */
#include <math.h>

#include "base/functions.h"
#include "loss/loss_simd.h"

static dperm_loss poisson_constants(double h) {
  (void)h;
  return (dperm_loss){.lipschitz = 1.0, .smoothness = 1.0, .slope_error = 8 * 0x1p-53};
}

LANE_INLINE void poisson_slopes_of(const dperm_loss *loss, const double *z, const double *rest,
                                   double *slope, double *curvature) {
  (void)loss;
  lanes u, low, zero = {0};
  LANES_LOAD(u, z);
  lane_bits line = u > zero;
  lanes s = LANES_CHOOSE(line, zero, u);
  exp_lanes(&s);
  lanes a = LANES_CHOOSE(line, zero, s);
  if (rest) {
    LANES_LOAD(low, rest);
    s += a * low;
  }
  s = LANES_CHOOSE(s > 1.0, zero + 1.0, s);
  LANES_STORE(slope, s);
  LANES_STORE(curvature, a);
}

static inline double poisson_value(const dperm_loss *loss, double u) {
  (void)loss;
  return u > 0 ? 1 + u : math_exp(u);
}

LOSS_FUNCTIONS(poisson_slopes, poisson_eval, poisson_slopes_of, poisson_value)

const loss_kind loss_poisson = {.name = "poisson",
                                .numbers = true,
                                .counts = true,
                                .constants = poisson_constants,
                                .eval = poisson_eval,
                                .slopes = poisson_slopes,
                                .model = "a regression of counts"};
