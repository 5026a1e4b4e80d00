/* l2 noise: a direction from normal variables, a radius from a gamma variable. The normal ones come
 * in pairs √(2E)·(cos φ, sin φ). E is exponential; φ = (π/2)·W with W uniform on (0, ½) covers an
 * eighth of the circle, and one random bit that swaps the two and two that are their signs carry it
 * to the others. So no angle is near a zero of sin or cos but 0 itself, where W is as exact as
 * anywhere, and each coordinate has a small relative error of its own.
 *
 * The budget behind noise_relative_error. Relative errors in units of u = 2^−53 against what the
 * same bits give in exact arithmetic; + − × / √ rounded correctly, 1 each; log, log1p, sin and
 * cos (base/functions.h) within 2 ulp, 4 each; D = ⌈log₂ d⌉:
 *
 *   W             1.01             random_half_uniform
 *   E             5.5              random_exponential
 *   √(2E)         5.5/2 + 1        < 3.8
 *   φ             1.01 + 0.4 + 1   < 2.5: W, the double next to π/2, the product
 *   sin φ, cos φ  2.5 + 4          = 6.5: on (0, π/4] φ·cot φ ≤ 1 and φ·tan φ ≤ π/4 < 1
 *   coordinate x  3.8 + 6.5 + 1    = 11.3
 *   length ‖x‖    11.3 + (1 + D)/2 + 1 = 12.8 + D/2: the coordinates; squares and their pairwise
 *                                  sum, all positive, halved by the root; the root
 *   gamma G       5.5 + D          a pairwise sum of d exponentials
 *   G/β/‖x‖       (5.5 + D) + 1 + (12.8 + D/2) + 1 = 20.3 + 1.5D
 *   x·that        11.3 + 20.3 + 1.5D + 1 = 32.6 + 1.5D
 *
 * The claim is 64 + 4D, 1.96 times as much at d = 1 and more beyond; products of errors, below
 * 2^14·u² each, do not matter. Left out is an event of probability below 2^−250: that one of the
 * d ≤ 2^31 coordinates x, or G, or the product of the two, is below 2^−300, or G or ‖x‖ above
 * 2^40. Without it, and with β between 2^−660 and 2^660, no square, quotient or product leaves the
 * normal doubles. */
#include <math.h>
#include <string.h>

#include "base/defect.h"
#include "base/functions.h"
#include "random/noise.h"

/* Pairwise, so that rounding grows with the logarithm of the count. */
static double sum_of_squares(const double *x, size_t count) {
  size_t half = count / 2;
  return count == 1 ? x[0] * x[0]
                    : sum_of_squares(x, half) + sum_of_squares(x + half, count - half);
}

static double l2_row_bound(const row_bounds *bounds, size_t dims) {
  return bounds->norm2;
}

static double l2_norm(const noise_plan *plan, const double *b) {
  return sqrt(sum_of_squares(b, plan->dims));
}

void noise_draw_normals(random_source *source, size_t count, double *x) {
  const double half_pi = 1.5707963267948966;
  for (size_t j = 0; j < count; j += 2) {
    double pair[2], radius = sqrt(2.0 * random_exponential(source));
    double angle = half_pi * random_half_uniform(source);
    double s = 0, c = 0;
    math_sincos(angle, &s, &c);
    c *= radius;
    s *= radius;
    uint64_t bits = random_bits(source);
    size_t swap = bits >> 63;
    pair[swap] = bits >> 62 & 1 ? -c : c;
    pair[1 - swap] = bits >> 61 & 1 ? -s : s;
    memcpy(x + j, pair, (count - j < 2 ? 1 : 2) * sizeof *x); /* an odd one out drops a half */
  }
}

/* A direction uniform on the unit sphere, up to its length, times a radius. */
void noise_draw_sphere(random_source *source, size_t dims, double beta, double *b) {
  double length = 0;
  while (!(length > 0)) { /* zero belongs to the event that is left out */
    noise_draw_normals(source, dims, b);
    b[0] *= DEFECT("direction-biased") ? 1.5 : 1;
    length = sqrt(sum_of_squares(b, dims));
  }
  bool fewer = dims > 1 && DEFECT("gamma-shape");
  double scale = random_gamma(source, dims - fewer) / beta / length;
  scale /= DEFECT("noise-small") ? 1.2 : DEFECT("deviation-for-scale") ? sqrt(2) : 1;
  for (size_t j = 0; j < dims; j++) {
    b[j] *= scale;
  }
}

static void l2_draw(const noise_plan *plan, random_source *source, double *b) {
  noise_draw_sphere(source, plan->dims, plan->beta, b);
}

/* Directions have length 1. */
const noise_kind noise_l2 = {.name = "l2",
                             .number = DPERM_NOISE_L2,
                             .radius = &radius_gamma,
                             .output = true,
                             .row_bound = l2_row_bound,
                             .norm = l2_norm,
                             .draw = l2_draw};

/* ---- l1 noise: independent Laplace coordinates, ±E/β with E a unit exponential and a random sign.
 * Then ‖b‖₁ is Gamma(d, 1/β), and the direction b/‖b‖₁ independent of it.
 *
 * The budget behind noise_relative_error, in units of u as above: E 5.5, the quotient 1, together
 * 6.5; the claim, 64 + 4D, is far more. Left out is an event of probability below 2^−250: that one
 * of the d ≤ 2^31 exponentials is below 2^−300 or above 2^40. */

static double l1_row_bound(const row_bounds *bounds, size_t dims) {
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
