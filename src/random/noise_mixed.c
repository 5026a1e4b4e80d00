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
#include "random/noise_kind.h"

/* The columns of a body. Both kinds must be there for t. */
typedef struct mixed {
  size_t groups, grouped, alone; /* groups of several columns, their columns, and the others */
  double weight;                 /* t */
} mixed;

static mixed mixed_of(const noise_body *body) {
  mixed out = {0};
  for (size_t i = 0; i < body_count(body); i++) {
    const body_run *run = body_at(body, i);
    bool wide = run->width > 1;
    out.groups += wide ? run->groups : 0;
    out.grouped += wide ? run->groups * run->width : 0;
    out.alone += wide ? 0 : run->groups;
  }
  double s = (double)out.alone;
  out.weight = sqrt(sqrt((double)out.groups * s * (s + 1) / (2 * (double)out.grouped)));
  return out;
}

static double mixed_weight(const noise_plan *plan) {
  return mixed_of(&plan->body).weight;
}

/* √(k + t²)·R₂; 0 where the rows are not of both kinds of columns. */
static double mixed_row_bound(const row_bounds *bounds, size_t dims) {
  const mixed m = mixed_of(&bounds->body);
  bool both = m.grouped + m.alone == dims && m.groups > 0 && m.alone > 0;
  return both ? sqrt((double)m.groups + m.weight * m.weight) * bounds->norm2 * (1 + 0x1p-49) : 0;
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
  return sum + mixed_weight(plan) * sqrt(squares);
}

/* E‖b‖₂² is d(d+1)/β² times this. */
static double mixed_mean_square(const noise_plan *plan) {
  const mixed m = mixed_of(&plan->body);
  double d = (double)plan->dims, s = (double)m.alone, t = m.weight;
  return (2 * (double)m.grouped + s * (s + 1) / (t * t)) / (d * (d + 1));
}

/* ‖u‖₂ ≤ max(1, 1/t)·‖u‖. */
static double mixed_reach(const noise_plan *plan) {
  return fmax(1, 1 / mixed_weight(plan)) * (1 + 0x1p-50);
}

static double mixed_draw_length(const noise_plan *plan, random_source *source) {
  const mixed m = mixed_of(&plan->body);
  double radius = random_gamma(source, m.alone), sum = radius;
  double length = radius / m.weight, squares = length * length;
  for (size_t j = 0; j < m.grouped; j++) {
    double e = random_exponential(source);
    sum += e;
    squares += e * e;
  }
  return sqrt(squares) / sum;
}

/* The columns that stand alone are gathered at the end of b, filled as one vector, and dealt out
 * from the front: no column is written before what was drawn for it has been taken. */
static void mixed_draw(const noise_plan *plan, random_source *source, double *b) {
  const mixed m = mixed_of(&plan->body);
  double *alone = b + m.grouped;
  noise_draw_sphere(source, m.alone, plan->beta * m.weight, alone);
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run *run = body_at(&plan->body, i);
    for (size_t j = 0; j < run->groups * run->width; j++) {
      *b++ = run->width == 1 ? *alone++ : random_laplace(source, plan->beta);
    }
  }
}

static bool mixed_in_range(const noise_plan *plan) {
  return noise_scale_in_range(plan->beta * mixed_weight(plan));
}

const noise_kind noise_mixed = {.name = "mixed",
                                .number = DPERM_NOISE_MIXED,
                                .radius = &radius_gamma,
                                .row_bound = mixed_row_bound,
                                .norm = mixed_norm,
                                .mean_square = mixed_mean_square,
                                .reach = mixed_reach,
                                .draw_length = mixed_draw_length,
                                .draw = mixed_draw,
                                .in_range = mixed_in_range,
                                .weight = mixed_weight};
