/* gaussian noise: independent normal coordinates, b_j = N_j/(βω_g) in group g of the columns. So
 * ‖b‖ = √Σ ω_g²b_j² is χ_d/β, and the standard deviations are 1/(βω_g). Its guarantee has a δ of
 * its own (docs/proofs/gaussian.md); A = β·R_K counts as for the other kinds, with
 *
 *   R_K² = max Σ p_g t_g over 0 ≤ t_g ≤ r_g², Σ t_g ≤ R₂², p = ω²,
 *
 * as a row has at most one entry in a group. E‖b‖₂² = Σ m_g/(β²p_g) for groups of m_g columns, and
 * R_K²·E‖b‖₂² is least at p_g = √(m_g/t_g), t_g = min(r_g², h·m_g), h such that Σ t = R₂² or t = r²
 * (gaussian.md 5). Where the radii do not bind all ω are the same: the spherical Gaussian. Any ω
 * would be private: it only has to be the same for the bound, the draw and the file. So it follows
 * from the body alone, for R₂ = 1 as all schemas have it, by operations that IEEE 754 rounds the
 * same way everywhere, and has eight bits. A body that is not of all columns says nothing: ω = 1.
 *
 * The budget behind noise_relative_error, in units of 2^−53 as in noise_l2.c: a normal coordinate
 * 11.3, βω 1, the quotient 1, together 13.3. Left out is an event of probability below 2^−250: that
 * one of the d ≤ 2^31 coordinates N is below 2^−300 or above 2^40. */
#include <math.h>

#include "base/defect.h"
#include "random/noise_kind.h"

/* A ball is a body of one run, whose weight is 1. */
typedef struct ellipsoid {
  noise_body body;
  double level;   /* h */
  double largest; /* the weight that becomes 1 */
} ellipsoid;

/* ---- weights */

/* h with Σ min(r², h·m) = 1; infinite where Σ r² is less. A group that is full at some h is full at
 * all above: each pass either fills one more or is the last. */
static double water_level(const noise_body *body) {
  double level = 0, before, full = -1;
  do {
    double left = 1, slope = 0;
    before = full;
    full = 0;
    for (size_t i = 0; i < body_count(body); i++) {
      const body_run *run = body_at(body, i);
      double count = (double)run->groups, square = run->radius * run->radius;
      if (square <= level * (double)run->width) {
        left -= count * square;
        full += count;
      } else {
        slope += count * (double)run->width;
      }
    }
    level = slope > 0 ? fmax(level, fmax(left, 0) / slope) : (double)INFINITY;
  } while (full > before);
  return level;
}

/* (m/t)^(1/4). */
static double best_weight(const ellipsoid *e, const body_run *run) {
  double m = (double)run->width;
  return sqrt(sqrt(m / fmin(run->radius * run->radius, e->level * m)));
}

static ellipsoid ellipsoid_of(const noise_body *body, size_t dims) {
  bool ball = body_count(body) == 1 || body_dims(body) != dims;
  ellipsoid out = {.body = ball ? (noise_body){.only = {dims, 1, 1}} : *body};
  out.level = water_level(&out.body);
  for (size_t i = 0; i < body_count(&out.body); i++) {
    out.largest = fmax(out.largest, best_weight(&out, body_at(&out.body, i)));
  }
  return out;
}

static ellipsoid ellipsoid_of_plan(const noise_plan *plan) {
  return ellipsoid_of(&plan->body, plan->dims);
}

/* ω of run i. */
static double run_weight(const ellipsoid *e, size_t i) {
  return noise_eight_bits(best_weight(e, body_at(&e->body, i)) / e->largest);
}

/* The least weight; the largest is 1. */
static double least_weight(const ellipsoid *e) {
  double least = 1;
  for (size_t i = 0; i < body_count(&e->body); i++) {
    least = fmin(least, run_weight(e, i));
  }
  return least;
}

/* Runs of a ball need none, and files state none. */
static void gaussian_weights(const noise_plan *plan, double *out) {
  const ellipsoid e = ellipsoid_of_plan(plan);
  bool ball = least_weight(&e) == 1;
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    out[i] = ball ? (double)NAN : run_weight(&e, i);
  }
}

/* ---- the norm */

/* For every μ ≥ 0 and every row, by Σ t ≤ R₂² and t ≤ r²,
 *
 *   Σ p_g t_g ≤ μR₂² + Σ_g r_g²·max(0, p_g − μ);
 *
 * best at μ = min p where some group is not full, else at 0. All terms are positive: the roundings
 * are below (8 + runs)·2^−53. */
static double gaussian_row_bound(const row_bounds *bounds, size_t dims) {
  const ellipsoid e = ellipsoid_of(&bounds->body, dims);
  double least = least_weight(&e), norm = bounds->norm2;
  if (least == 1) {
    return norm;
  }
  double mu = least * least, dual = mu * norm * norm, plain = 0;
  for (size_t i = 0; i < body_count(&e.body); i++) {
    const body_run *run = body_at(&e.body, i);
    double w = run_weight(&e, i), square = (double)run->groups * run->radius * run->radius;
    dual += DEFECT("ellipse-flat") ? 0 : square * (w * w - mu);
    plain += square * (w * w);
  }
  return sqrt(fmin(dual, plain)) * (1 + ((double)body_count(&e.body) + 32) * 0x1p-53);
}

static double gaussian_norm(const noise_plan *plan, const double *b) {
  const ellipsoid e = ellipsoid_of_plan(plan);
  double sum = 0;
  for (size_t i = 0; i < body_count(&e.body); i++) {
    const body_run *run = body_at(&e.body, i);
    double w = run_weight(&e, i);
    for (size_t j = 0; j < run->groups * run->width; j++, b++) {
      sum += w * *b * (w * *b);
    }
  }
  return sqrt(sum);
}

/* ---- the law */

/* E‖b‖₂² = Σ 1/ω²/β² is d/β² times this. */
static double gaussian_mean_square(const noise_plan *plan) {
  const ellipsoid e = ellipsoid_of_plan(plan);
  double sum = 0;
  for (size_t i = 0; i < body_count(&e.body); i++) {
    const body_run *run = body_at(&e.body, i);
    double w = run_weight(&e, i);
    sum += (double)run->groups * (double)run->width / (w * w);
  }
  return sum / (double)plan->dims;
}

static void gaussian_column_squares(const noise_plan *plan, double *out) {
  const ellipsoid e = ellipsoid_of_plan(plan);
  for (size_t i = 0; i < body_count(&e.body); i++) {
    double w = run_weight(&e, i);
    out[i] = 1 / (w * w);
  }
}

/* ‖u‖₂ ≤ ‖u‖ over the least weight. */
static double gaussian_reach(const noise_plan *plan) {
  const ellipsoid e = ellipsoid_of_plan(plan);
  return (1 + 0x1p-50) / least_weight(&e);
}

static bool gaussian_in_range(const noise_plan *plan) {
  const ellipsoid e = ellipsoid_of_plan(plan);
  return noise_scale_in_range(plan->beta * least_weight(&e));
}

/* The normal coordinates come in pairs; an odd one out drops its other half. */
static void gaussian_draw(const noise_plan *plan, random_source *source, double *b) {
  const ellipsoid e = ellipsoid_of_plan(plan);
  double beta = plan->beta * (DEFECT("noise-small") ? 1.2 : 1);
  noise_draw_normals(source, plan->dims, b);
  for (size_t i = 0; i < body_count(&e.body); i++) {
    const body_run *run = body_at(&e.body, i);
    bool first = i == 0 && body_count(&e.body) > 1 && DEFECT("ellipse-group");
    double scale = beta * (first ? 2 : 1) * run_weight(&e, i);
    for (size_t j = 0; j < run->groups * run->width; j++, b++) {
      *b /= scale;
    }
  }
}

const noise_kind noise_gaussian = {.name = "gaussian",
                                   .number = DPERM_NOISE_GAUSSIAN,
                                   .radius = &radius_chi,
                                   .needs_delta = true,
                                   .output = true,
                                   .row_bound = gaussian_row_bound,
                                   .norm = gaussian_norm,
                                   .mean_square = gaussian_mean_square,
                                   .column_squares = gaussian_column_squares,
                                   .reach = gaussian_reach,
                                   .draw = gaussian_draw,
                                   .in_range = gaussian_in_range,
                                   .weights = gaussian_weights};
