/* mixed noise: for rows made of one-hot blocks and of single columns. The norm is
 *
 *   ‖u‖ = Σ_g ‖u_g‖₁ + t·‖v‖₂,
 *
 * g over the k groups of two or more columns, of which a row has at most one entry each, and v all
 * columns that stand alone. So the noise is independent Laplace(1/β) in the first and l2 noise with
 * βt in the second. By Cauchy and Schwarz a row has ‖x‖ ≤ √k·‖x_groups‖₂ + t·‖v‖₂ ≤ √(k + t²)·R₂
 * (privacy.md 5). With m columns in groups and s alone,
 *
 *   E‖b‖₂² = (2m + s(s+1)/t²)/β²,  times R_K² = (k + t²)R₂² least at t⁴ = k·s(s+1)/(2m).
 *
 * The budget behind noise_relative_error, in units of 2^−53: that of l1 and, with one rounding more
 * for βt, that of l2 noise. */
#include <math.h>

#include "random/exponential.h"
#include "random/noise_shape.h"

mixed_counts mixed_count(const noise_body *body) {
  mixed_counts out = {0};
  for (size_t i = 0; i < body_count(body); i++) {
    const body_run *run = body_at(body, i);
    bool wide = run->width > 1;
    out.groups += wide ? run->groups : 0;
    out.grouped += wide ? run->groups * run->width : 0;
    out.alone += wide ? 0 : run->groups;
  }
  return out;
}

double mixed_weight(const noise_body *body) {
  mixed_counts c = mixed_count(body);
  double s = (double)c.alone;
  return sqrt(sqrt((double)c.groups * s * (s + 1) / (2 * (double)c.grouped)));
}

static double mixed_norm(const noise_plan *plan, const double *b) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run *run = body_at(&plan->body, i);
    for (size_t j = 0; j < run->groups * run->width; j++, b++) {
      sum += run->width > 1 ? fabs(*b) : 0;
      squares += run->width > 1 ? 0 : *b * *b;
    }
  }
  return sum + mixed_weight(&plan->body) * sqrt(squares);
}

static size_t mixed_shape(const noise_plan *plan) {
  return plan->dims;
}

/* E‖b‖₂² is d(d+1)/β² times this. */
static double mixed_mean_square(const noise_plan *plan) {
  mixed_counts c = mixed_count(&plan->body);
  double d = (double)plan->dims, s = (double)c.alone, t = mixed_weight(&plan->body);
  return (2 * (double)c.grouped + s * (s + 1) / (t * t)) / (d * (d + 1));
}

/* ‖u‖₂ ≤ max(1, 1/t)·‖u‖. */
static double mixed_reach(const noise_plan *plan) {
  return fmax(1, 1 / mixed_weight(&plan->body)) * (1 + 0x1p-50);
}

static double mixed_draw_length(const noise_plan *plan, random_source *source) {
  mixed_counts c = mixed_count(&plan->body);
  double radius = random_gamma(source, c.alone), sum = radius;
  double length = radius / mixed_weight(&plan->body), squares = length * length;
  for (size_t j = 0; j < c.grouped; j++) {
    double e = random_exponential(source);
    sum += e;
    squares += e * e;
  }
  return sqrt(squares) / sum;
}

static double mixed_error(const noise_plan *plan) {
  return (64 + 4 * noise_ceiling_log2(plan->dims)) * 0x1p-53;
}

/* The columns that stand alone are gathered at the end of b, filled as one vector, and dealt out
 * from the front: no column is written before what was drawn for it has been taken. */
static void mixed_draw(const noise_plan *plan, random_source *source, double *b) {
  mixed_counts c = mixed_count(&plan->body);
  double *alone = b + c.grouped;
  noise_draw_sphere(source, c.alone, plan->beta * mixed_weight(&plan->body), alone);
  size_t at = 0;
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run *run = body_at(&plan->body, i);
    size_t columns = run->groups * run->width;
    for (size_t j = 0; j < columns; j++, at++) {
      b[at] = run->width == 1 ? *alone++ : noise_laplace(source, plan->beta);
    }
  }
}

const noise_kind noise_mixed = {"mixed",     mixed_norm,        mixed_shape, mixed_mean_square,
                                mixed_reach, mixed_draw_length, mixed_error, mixed_draw};
