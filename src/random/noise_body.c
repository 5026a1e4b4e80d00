/* group and linf noise: uniform in a body, times a gamma variable. group takes the body as the
 * schema has it, one l1-ball for every column of the file: for rows of one-hot blocks. linf takes
 * the box, every encoded column an interval of its own: for dense rows with a bound on each entry.
 *
 * The density of G·U/β, with U uniform in {‖u‖ ≤ 1} and G ~ Gamma(d+1), is
 * ∝ ∫_{β‖b‖}^∞ g^d e^−g·g^−d dg = exp(−β‖b‖). U is uniform in each group's l1-ball independently:
 * of m + 1 unit exponentials, E_i/(E_1 + … + E_{m+1}), i ≤ m, is uniform in the simplex {x ≥ 0, Σx
 * ≤ 1}, and m random signs extend it to the ball.
 *
 * The budget behind noise_relative_error, in units of u = 2^−53 as in noise_l1_l2.c, with
 * D = ⌈log₂(d+1)⌉, m ≤ d:
 *
 *   gamma G       5.5 + D          of d + 1 exponentials
 *   G/β·r_g       5.5 + D + 2
 *   sum T         5.5 + D + 1      a pairwise sum of m exponentials and one more
 *   (G/β·r_g)/T   15 + 2D
 *   E_i·that      5.5 + 15 + 2D + 1 = 21.5 + 2D
 *
 * The claim is 64 + 4D. Left out is an event of probability below 2^−250: that one of the at most
 * 2^33 exponentials, or G, or the product of G and an exponential, is below 2^−300, or G above
 * 2^40. Without it, and with β and β/r_g between 2^−660 and 2^660, nothing leaves the normal
 * doubles. */
#include <math.h>

#include "random/noise.h"

/* Run i of the body; linf cuts every group of m columns into m of one, with the same radius. */
static body_run run_at(const noise_plan *plan, size_t i) {
  const body_run run = *body_at(&plan->body, i);
  return plan->kind == &noise_linf ? (body_run){run.groups * run.width, 1, run.radius} : run;
}

/* The radii are the rows' own bounds. */
static double body_row_bound(const row_bounds *bounds, size_t dims) {
  return body_dims(&bounds->body) == dims ? 1 : 0;
}

static double body_norm(const noise_plan *plan, const double *b) {
  double most = 0;
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run run = run_at(plan, i);
    for (size_t g = 0; g < run.groups; g++) {
      double sum = 0;
      for (size_t j = 0; j < run.width; j++) {
        sum += fabs(*b++);
      }
      most = fmax(most, sum / run.radius);
    }
  }
  return most;
}

/* E‖U_g‖₂² = 2r²m/((m+1)(m+2)): E_i/T is Beta(1, m), with mean square 2/((m+1)(m+2)). */
static double body_mean_square(const noise_plan *plan) {
  double sum = 0;
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run run = run_at(plan, i);
    double m = (double)run.width;
    sum += (double)run.groups * run.radius * run.radius * (2 * m / ((m + 1) * (m + 2)));
  }
  return sum;
}

static void body_column_squares(const noise_plan *plan, double *out) {
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run run = run_at(plan, i);
    double m = (double)run.width;
    out[i] = run.radius * run.radius / ((m + 1) * (m + 2));
  }
}

/* √Σ r_g²: an l1-ball of radius r reaches r far. */
static double body_reach(const noise_plan *plan) {
  double sum = 0;
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run run = run_at(plan, i);
    sum += (double)run.groups * run.radius * run.radius;
  }
  double terms = (double)body_count(&plan->body);
  return sqrt(sum) * (1 + (terms + 16) * 0x1p-53);
}

/* Pairwise, so that rounding grows with the logarithm of the count. */
static double pairwise_sum(const double *x, size_t count) {
  size_t half = count / 2;
  return count == 1 ? x[0] : pairwise_sum(x, half) + pairwise_sum(x + half, count - half);
}

static void draw_group(size_t width, double radius, random_source *source, double *b) {
  for (size_t j = 0; j < width; j++) {
    b[j] = random_exponential(source);
  }
  double sum = pairwise_sum(b, width) + random_exponential(source);
  double scale = radius / sum;
  for (size_t j = 0; j < width; j++) {
    b[j] *= random_bits(source) >> 63 ? -scale : scale;
  }
}

static void body_draw(const noise_plan *plan, random_source *source, double *b) {
  double radius = random_gamma(source, plan->dims + 1) / plan->beta;
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run run = run_at(plan, i);
    for (size_t g = 0; g < run.groups; g++, b += run.width) {
      draw_group(run.width, radius * run.radius, source, b);
    }
  }
}

static bool body_in_range(const noise_plan *plan) {
  bool good = true;
  for (size_t i = 0; good && i < body_count(&plan->body); i++) {
    good = noise_scale_in_range(plan->beta / body_at(&plan->body, i)->radius);
  }
  return good;
}

#define BODY_KIND(word, constant)                                                                  \
  {                                                                                                \
    .name = (word), .number = (constant), .radius = &radius_gamma, .extra = 1,                     \
    .row_bound = body_row_bound, .norm = body_norm, .mean_square = body_mean_square,               \
    .column_squares = body_column_squares, .reach = body_reach, .draw = body_draw,                 \
    .in_range = body_in_range                                                                      \
  }

const noise_kind noise_group = BODY_KIND("group", DPERM_NOISE_GROUP);
const noise_kind noise_linf = BODY_KIND("linf", DPERM_NOISE_LINF);
