/* Noise uniform in a body, blown up by a gamma variable: the density of G·U/β, with U uniform in
 * {‖u‖ ≤ 1} and G ~ Gamma(d+1), is ∝ ∫_{β‖b‖}^∞ g^d e^−g·g^−d dg = exp(−β‖b‖). U is uniform in each
 * group's l1-ball independently: of m + 1 unit exponentials, E_i/(E_1 + … + E_{m+1}), i ≤ m, is
 * uniform in the simplex {x ≥ 0, Σx ≤ 1}, and m random signs carry it to the ball.
 *
 * The budget behind noise_relative_error, in units of u = 2^−53 as in noise_l2.c, with
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
#include "random/noise_body.h"

#include <math.h>

#include "random/exponential.h"
#include "random/noise_shape.h"

size_t body_dims(const noise_body *body) {
  size_t dims = 0;
  for (size_t i = 0; i < body_count(body); i++) {
    dims += body_at(body, i)->groups * body_at(body, i)->width;
  }
  return dims;
}

/* linf cuts every group of m columns into m of one. */
static body_run as_drawn(const body_run *run, bool cut) {
  return cut ? (body_run){run->groups * run->width, 1, run->radius} : *run;
}

double body_norm(const noise_plan *plan, const double *b, bool cut) {
  double most = 0;
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run run = as_drawn(body_at(&plan->body, i), cut);
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

size_t body_shape(const noise_plan *plan) {
  return plan->dims + 1;
}

/* E‖U_g‖₂² = 2r²m/((m+1)(m+2)): E_i/T is Beta(1, m), with mean square 2/((m+1)(m+2)). */
double body_mean_square(const noise_plan *plan, bool cut) {
  double sum = 0;
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run run = as_drawn(body_at(&plan->body, i), cut);
    double m = (double)run.width;
    sum += (double)run.groups * run.radius * run.radius * (2 * m / ((m + 1) * (m + 2)));
  }
  return sum;
}

/* √Σ r_g²: an l1-ball of radius r reaches r far. */
double body_reach(const noise_plan *plan, bool cut) {
  double sum = 0;
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run run = as_drawn(body_at(&plan->body, i), cut);
    sum += (double)run.groups * run.radius * run.radius;
  }
  double terms = (double)body_count(&plan->body);
  return sqrt(sum) * (1 + (terms + 16) * 0x1p-53);
}

/* A random point of one group: adds to ‖U‖₂² and raises ‖U‖, the body's norm. */
static void add_group(size_t width, double radius, random_source *source, double *squares,
                      double *norm) {
  double sum = 0, own = 0, rest = random_exponential(source);
  for (size_t j = 0; j < width; j++) {
    double e = random_exponential(source);
    sum += e;
    own += e * e;
  }
  double total = sum + rest;
  *squares += own / (total * total) * radius * radius;
  *norm = fmax(*norm, sum / total);
}

double body_draw_length(const noise_plan *plan, random_source *source, bool cut) {
  double squares = 0, norm = 0;
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run run = as_drawn(body_at(&plan->body, i), cut);
    for (size_t g = 0; g < run.groups; g++) {
      add_group(run.width, run.radius, source, &squares, &norm);
    }
  }
  return sqrt(squares) / norm;
}

double body_error(const noise_plan *plan) {
  return (64 + 4 * noise_ceiling_log2(plan->dims + 1)) * 0x1p-53;
}

static void draw_group(size_t width, double radius, random_source *source, double *b) {
  for (size_t j = 0; j < width; j++) {
    b[j] = random_exponential(source);
  }
  double sum = noise_pairwise_sum(b, width) + random_exponential(source);
  double scale = radius / sum;
  for (size_t j = 0; j < width; j++) {
    b[j] *= random_bits(source) >> 63 ? -scale : scale;
  }
}

void body_draw(const noise_plan *plan, random_source *source, double *b, bool cut) {
  double radius = random_gamma(source, plan->dims + 1) / plan->beta;
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run run = as_drawn(body_at(&plan->body, i), cut);
    for (size_t g = 0; g < run.groups; g++, b += run.width) {
      draw_group(run.width, radius * run.radius, source, b);
    }
  }
}
