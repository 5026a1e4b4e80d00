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

static double l1_norm(const noise_plan *plan, const double *b) {
  double sum = 0;
  for (size_t j = 0; j < plan->dims; j++) {
    sum += fabs(b[j]);
  }
  return sum;
}

static size_t l1_shape(const noise_plan *plan) {
  return plan->dims;
}

/* E‖b‖₂² = 2d/β² is d(d+1)/β² times this. */
static double l1_mean_square(const noise_plan *plan) {
  return 2.0 / ((double)plan->dims + 1.0);
}

/* ‖u‖₂ ≤ ‖u‖₁. */
static double l1_reach(const noise_plan *plan) {
  (void)plan;
  return 1;
}

static double l1_draw_length(const noise_plan *plan, random_source *source) {
  double sum = 0, squares = 0;
  for (size_t j = 0; j < plan->dims; j++) {
    double e = random_exponential(source);
    sum += e;
    squares += e * e;
  }
  return sqrt(squares) / sum;
}

static double l1_error(const noise_plan *plan) {
  return (64 + 4 * noise_ceiling_log2(plan->dims)) * 0x1p-53;
}

static void l1_draw(const noise_plan *plan, random_source *source, double *b) {
  for (size_t j = 0; j < plan->dims; j++) {
    b[j] = noise_laplace(source, plan->beta);
  }
}

const noise_kind noise_l1 = {"l1",     l1_norm,        l1_shape, l1_mean_square,
                             l1_reach, l1_draw_length, l1_error, l1_draw};
