/* l1 noise: independent Laplace coordinates, ±E/β with E a unit exponential and a random sign. Then
 * ‖b‖₁ is Gamma(d, 1/β), and the direction b/‖b‖₁ independent of it.
 *
 * The budget behind noise_relative_error, in units of u = 2^−53 as in noise_l2.c: E 5.5, the
 * quotient 1, together 6.5. The claim, 64 + 4D as for all kinds, is far more. Left out is an event
 * of probability below 2^−250: that one of the d ≤ 2^31 exponentials is below 2^−300 or above
 * 2^40. */
#include <math.h>

#include "random/exponential.h"
#include "random/noise_kind.h"

static double l1_row_bound(const row_bounds *bounds, size_t dims) {
  (void)dims;
  return bounds->norm1;
}

static double l1_norm(const noise_plan *plan, const double *b) {
  double sum = 0;
  for (size_t j = 0; j < plan->dims; j++) {
    sum += fabs(b[j]);
  }
  return sum;
}

/* E‖b‖₂² = 2d/β² is d(d+1)/β² times this. */
static double l1_mean_square(const noise_plan *plan) {
  return 2.0 / ((double)plan->dims + 1.0);
}

static void l1_draw(const noise_plan *plan, random_source *source, double *b) {
  for (size_t j = 0; j < plan->dims; j++) {
    b[j] = random_laplace(source, plan->beta);
  }
}

/* No reach: ‖u‖₂ ≤ ‖u‖₁. */
const noise_kind noise_l1 = {.name = "l1",
                             .number = DPERM_NOISE_L1,
                             .radius = &radius_gamma,
                             .row_bound = l1_row_bound,
                             .norm = l1_norm,
                             .mean_square = l1_mean_square,
                             .draw = l1_draw};
