/* mixed and gaussian noise: independent coordinates with a scale for each group of columns, for
 * rows that have at most one entry in a group. The norms are
 *
 *   mixed     ‖u‖ = Σ_g ω_g‖u_g‖₁ + t·‖v‖₂, g over the groups of two or more columns, v all others:
 *             Laplace(1/(βω_g)) in a group, l2 noise with βt in v;
 *   gaussian  ‖u‖ = √Σ_g ω_g²‖u_g‖₂²: normal with the standard deviation 1/(βω_g). Its guarantee
 * has a δ of its own (docs/proofs/gaussian.md); A = β·R_K counts as for the other kinds.
 *
 * Call x_i ≤ r_i the sizes of a row's parts: |x_g|, and for mixed noise ‖v‖₂ ≤ √Σr². Then
 * (privacy.md 5) R_K is the maximum, over 0 ≤ x ≤ r and Σ x² ≤ R₂², of Σ ω_i x_i or √Σ ω_i²x_i²,
 * and E‖b‖₂² = Σ c_i/(βω_i)²: c = m for m columns with gaussian noise, 2m with Laplace's, s(s+1)
 * for s columns alone. R_K²·E‖b‖₂² is least (docs/proofs/planning.md; gaussian.md 5) at
 *
 *   mixed     ω_i = (c_i/x_i)^(1/3), x_i = min(r_i, h·c_i^(1/4)),
 *   gaussian  ω_i = (c_i/x_i²)^(1/4), x_i = min(r_i, h·c_i^(1/2)),
 *
 * h such that Σ x² = R₂² or x = r. Any ω would be private: it only has to be the same for the
 * bound, the draw and the file. So it follows from the body alone, for R₂ = 1 as all schemas have
 * it, by operations that IEEE 754 rounds the same way everywhere, and has eight bits. With gaussian
 * noise a body that is not of all columns says nothing: ω = 1, the spherical Gaussian, and so it is
 * where the radii do not bind.
 *
 * The budget behind noise_relative_error, in units of 2^−53 as in noise_l1_l2.c. mixed: that of l1
 * and of l2 noise, with one rounding more for βω and βt. gaussian: a normal coordinate 11.3, βω 1,
 * the quotient 1, together 13.3; left out is an event of probability below 2^−250: that one of the
 * d ≤ 2^31 coordinates is below 2^−300 or above 2^40. */
#include <math.h>

#include "base/defect.h"
#include "random/noise.h"

/* Equal terms of the norm: the groups of a run, or the columns alone. */
typedef struct part {
  double count, cost, radius; /* how many; c and r of each */
} part;

typedef struct shape {
  noise_body body;
  bool gaussian;
  bool weighted;                 /* else mixed with ω_g = 1, as in files of dperm 0.1 */
  size_t groups, grouped, alone; /* groups of several columns, their columns, and the others */
  double radius;                 /* of the columns alone together, rounded up */
  double level, largest;         /* h, and the ω that becomes 1 */
} shape;

/* ---- weights */

/* Part i, by the number of its run; the columns alone after the last. With mixed noise runs of
 * single columns have none of their own: their count is 0. */
static part part_at(const shape *s, size_t i) {
  double alone = (double)s->alone;
  if (i == body_count(&s->body)) {
    return (part){!s->gaussian && s->alone > 0, alone * (alone + 1), s->radius};
  }
  const body_run *run = body_at(&s->body, i);
  double count = run->width > 1 || s->gaussian ? (double)run->groups : 0;
  return (part){count, (s->gaussian ? 1 : 2) * (double)run->width, run->radius};
}

/* The root by Halley's method. cbrt is not the same on all machines. */
static double cube_root(double y) {
  int exponent = 0;
  (void)frexp(y, &exponent);
  double z = ldexp(1, exponent / 3);
  for (int i = 0; i < 4; i++) { /* from within a factor of 2 */
    double cube = z * z * z;
    z *= (cube + 2 * y) / (2 * cube + y);
  }
  return z;
}

static double part_rise(const shape *s, const part *p) {
  return s->gaussian ? sqrt(p->cost) : sqrt(sqrt(p->cost));
}

/* ω but for a factor, which brings the largest to 1. */
static double best_weight(const shape *s, const part *p) {
  double x = fmin(p->radius, s->level * part_rise(s, p));
  return s->gaussian ? sqrt(sqrt(p->cost / (x * x))) : cube_root(p->cost / x);
}

static double part_weight(const shape *s, const part *p) {
  return s->weighted ? noise_eight_bits(best_weight(s, p) / s->largest) : 1;
}

/* h with Σ min(r_i, h·q_i)² = norm²; infinite where Σ r_i² is less. A part that is full at some h
 * is full at all above: each pass either fills one more or is the last. */
static double water_level(const shape *s, double norm, double (*q)(const shape *s, const part *p)) {
  double level = 0, before, full = -1;
  do {
    double left = norm * norm, slope = 0;
    before = full;
    full = 0;
    for (size_t i = 0; i <= body_count(&s->body); i++) {
      const part p = part_at(s, i);
      double rise = p.count > 0 ? q(s, &p) : 0;
      if (p.radius <= level * rise) {
        left -= p.count * p.radius * p.radius;
        full += p.count;
      } else {
        slope += p.count * rise * rise;
      }
    }
    level = slope > 0 ? fmax(level, sqrt(fmax(left, 0) / slope)) : (double)INFINITY;
  } while (full > before);
  return level;
}

/* `before` of noise_mixed: unweighted. */
static shape shape_of(const noise_body *body, size_t dims, const noise_kind *kind) {
  bool gaussian = kind == &noise_gaussian;
  bool ball = gaussian && (body_count(body) == 1 || body_dims(body) != dims);
  shape out = {.body = ball ? (noise_body){.only = {dims, 1, 1}} : *body,
               .gaussian = gaussian,
               .weighted = gaussian || kind == &noise_mixed};
  double squares = 0;
  for (size_t i = 0; i < body_count(&out.body); i++) {
    const body_run *run = body_at(&out.body, i);
    bool wide = run->width > 1;
    out.groups += wide ? run->groups : 0;
    out.grouped += wide ? run->groups * run->width : 0;
    out.alone += wide ? 0 : run->groups;
    squares += wide ? 0 : (double)run->groups * run->radius * run->radius;
  }
  out.radius = sqrt(squares) * (1 + ((double)body_count(&out.body) + 8) * 0x1p-53);
  out.level = water_level(&out, 1, part_rise);
  for (size_t i = 0; i <= body_count(&out.body); i++) {
    const part p = part_at(&out, i);
    out.largest = p.count > 0 ? fmax(out.largest, best_weight(&out, &p)) : out.largest;
  }
  return out;
}

static shape shape_of_plan(const noise_plan *plan) {
  return shape_of(&plan->body, plan->dims, plan->kind);
}

/* t, NaN without columns alone. Of unweighted blocks t⁴ = k·s(s+1)/(2m), with m columns in k. */
static double alone_weight(const shape *s) {
  const part p = part_at(s, body_count(&s->body));
  double plain = sqrt(sqrt((double)s->groups * p.cost / (2 * (double)s->grouped)));
  return p.count == 0 ? (double)NAN : s->weighted ? part_weight(s, &p) : plain;
}

/* ω of the groups of run i, or t of its columns alone. */
static double run_weight(const shape *s, size_t i) {
  const part p = part_at(s, i);
  return p.count > 0 && i < body_count(&s->body) ? part_weight(s, &p) : alone_weight(s);
}

/* The least and the largest of all columns. */
static void weight_range(const shape *s, double *least, double *most) {
  *least = *most = run_weight(s, 0);
  for (size_t i = 1; i < body_count(&s->body); i++) {
    *least = fmin(*least, run_weight(s, i));
    *most = fmax(*most, run_weight(s, i));
  }
}

static double mixed_weight(const noise_plan *plan) {
  const shape s = shape_of_plan(plan);
  return alone_weight(&s);
}

/* The spherical Gaussian has none, and neither have single columns with mixed noise. */
static void run_weights(const noise_plan *plan, double *out) {
  const shape s = shape_of_plan(plan);
  double least, most;
  weight_range(&s, &least, &most);
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    bool has = s.gaussian ? least < 1 : body_at(&plan->body, i)->width > 1;
    out[i] = has ? run_weight(&s, i) : (double)NAN;
  }
}

/* ---- the law */

/* E‖b‖₂² is d(d+1)/β² times this, or d/β². */
static double mean_square(const noise_plan *plan) {
  const shape s = shape_of_plan(plan);
  double d = (double)plan->dims, sum = 0;
  for (size_t i = 0; i <= body_count(&s.body); i++) {
    const part p = part_at(&s, i);
    double w = run_weight(&s, i);
    sum += p.count > 0 ? p.count * p.cost / (w * w) : 0;
  }
  return sum / (s.gaussian ? d : d * (d + 1));
}

/* With mixed noise a group's columns have c/m = 2 each, and each of s columns alone s + 1. */
static void column_squares(const noise_plan *plan, double *out) {
  const shape s = shape_of_plan(plan);
  for (size_t i = 0; i < body_count(&s.body); i++) {
    double w = run_weight(&s, i), mixed = body_at(&s.body, i)->width > 1 ? 2 : (double)s.alone + 1;
    out[i] = (s.gaussian ? 1 : mixed) / (w * w);
  }
}

/* ‖u‖₂ ≤ ‖u‖ over the least weight. */
static double reach(const noise_plan *plan) {
  const shape s = shape_of_plan(plan);
  double least, most;
  weight_range(&s, &least, &most);
  return (1 + 0x1p-50) / least;
}

static bool in_range(const noise_plan *plan) {
  const shape s = shape_of_plan(plan);
  double least, most;
  weight_range(&s, &least, &most);
  return noise_scale_in_range(plan->beta * least) && noise_scale_in_range(plan->beta * most);
}

/* ---- mixed */

/* For every φ > 0 and every row, by Σ x² ≤ R₂²,
 *
 *   Σ ω_i x_i ≤ Σ_i max_{0≤x≤r_i} (ω_i x − x²/(2φ)) + R₂²/(2φ);
 *
 * equal at the level φ of Σ min(r_i, φω_i)² = R₂². A term is ω²φ/2 or, where φω ≥ r, ωr − r²/(2φ),
 * which is at least ωr/2: nothing cancels, and the roundings are below (16 + parts)·2^−53. 0 where
 * there are no blocks. */
static double mixed_row_bound(const row_bounds *bounds, size_t dims) {
  const shape s = shape_of(&bounds->body, dims, &noise_mixed);
  if (s.grouped + s.alone != dims || s.groups == 0) {
    return 0;
  }
  double phi = water_level(&s, bounds->norm2, part_weight);
  double sum = bounds->norm2 * bounds->norm2 / (2 * phi), radii = 0, complete = 0;
  for (size_t i = 0; i <= body_count(&s.body); i++) {
    const part p = part_at(&s, i);
    double w = p.count > 0 ? part_weight(&s, &p) : 0, r = p.radius;
    sum += p.count * (w * phi < r ? w * w * phi / 2 : w * r - r * r / (2 * phi));
    radii += p.count * r * r;
    complete += p.count * w * r;
  }
  if (DEFECT("rows-complete")) { /* as if every row had its share in every part */
    sum = complete / sqrt(radii);
  }
  return sum * (1 + ((double)body_count(&s.body) + 32) * 0x1p-53);
}

/* The law of the first files, which is read and not planned any more. Its rows have Σ_g ‖x_g‖₁ +
 * t‖v‖₂ ≤ √(k + t²)·R₂ by Cauchy and Schwarz. */
static double plain_row_bound(const row_bounds *bounds, size_t dims) {
  const shape s = shape_of(&bounds->body, dims, noise_mixed.before);
  bool both = s.grouped + s.alone == dims && s.groups > 0 && s.alone > 0;
  double t = alone_weight(&s);
  return both ? sqrt((double)s.groups + t * t) * bounds->norm2 * (1 + 0x1p-49) : 0;
}

static double mixed_norm(const noise_plan *plan, const double *b) {
  const shape s = shape_of_plan(plan);
  double sum = 0, squares = 0;
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run *run = body_at(&plan->body, i);
    double w = run_weight(&s, i);
    for (size_t j = 0; j < run->groups * run->width; j++, b++) {
      sum += run->width > 1 ? w * fabs(*b) : 0;
      squares += run->width > 1 ? 0 : *b * *b;
    }
  }
  return s.alone > 0 ? sum + alone_weight(&s) * sqrt(squares) : sum;
}

/* The columns that stand alone are gathered at the end of b, filled as one vector, and dealt out
 * from the front: no column is written before what was drawn for it has been taken. */
static void mixed_draw(const noise_plan *plan, random_source *source, double *b) {
  const shape s = shape_of_plan(plan);
  double *alone = b + s.grouped;
  if (s.alone > 0) {
    noise_draw_sphere(source, s.alone, plan->beta * alone_weight(&s), alone);
  }
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run *run = body_at(&plan->body, i);
    double beta = plan->beta * (DEFECT("block-unweighted") ? 1 : run_weight(&s, i));
    for (size_t j = 0; j < run->groups * run->width; j++) {
      *b++ = run->width == 1 ? *alone++ : random_laplace(source, beta);
    }
  }
}

#define MIXED_MEMBERS                                                                              \
  .name = "mixed", .number = DPERM_NOISE_MIXED, .radius = &radius_gamma, .norm = mixed_norm,       \
  .mean_square = mean_square, .column_squares = column_squares, .reach = reach,                    \
  .draw = mixed_draw, .in_range = in_range, .weight = mixed_weight

static const noise_kind noise_mixed_plain = {MIXED_MEMBERS, .row_bound = plain_row_bound};

const noise_kind noise_mixed = {MIXED_MEMBERS, .row_bound = mixed_row_bound, .weights = run_weights,
                                .before = &noise_mixed_plain};

/* ---- gaussian */

/* For every μ ≥ 0 and every row, with p = ω² and by Σ x² ≤ R₂² and x ≤ r,
 *
 *   Σ p_g x_g² ≤ μR₂² + Σ_g r_g²·max(0, p_g − μ);
 *
 * best at μ = min p where some group is not full, else at 0. All terms are positive: the roundings
 * are below (8 + runs)·2^−53. */
static double gaussian_row_bound(const row_bounds *bounds, size_t dims) {
  const shape s = shape_of(&bounds->body, dims, &noise_gaussian);
  double least, most, norm = bounds->norm2;
  weight_range(&s, &least, &most);
  if (least == 1) {
    return norm;
  }
  double mu = least * least, dual = mu * norm * norm, plain = 0;
  for (size_t i = 0; i < body_count(&s.body); i++) {
    const body_run *run = body_at(&s.body, i);
    double w = run_weight(&s, i), square = (double)run->groups * run->radius * run->radius;
    dual += DEFECT("ellipse-flat") ? 0 : square * (w * w - mu);
    plain += square * (w * w);
  }
  return sqrt(fmin(dual, plain)) * (1 + ((double)body_count(&s.body) + 32) * 0x1p-53);
}

static double gaussian_norm(const noise_plan *plan, const double *b) {
  const shape s = shape_of_plan(plan);
  double sum = 0;
  for (size_t i = 0; i < body_count(&s.body); i++) {
    const body_run *run = body_at(&s.body, i);
    double w = run_weight(&s, i);
    for (size_t j = 0; j < run->groups * run->width; j++, b++) {
      sum += w * *b * (w * *b);
    }
  }
  return sqrt(sum);
}

static void gaussian_draw(const noise_plan *plan, random_source *source, double *b) {
  const shape s = shape_of_plan(plan);
  double beta = plan->beta * (DEFECT("noise-small") ? 1.2 : 1);
  noise_draw_normals(source, plan->dims, b);
  for (size_t i = 0; i < body_count(&s.body); i++) {
    const body_run *run = body_at(&s.body, i);
    bool first = i == 0 && body_count(&s.body) > 1 && DEFECT("ellipse-group");
    double scale = beta * (first ? 2 : 1) * run_weight(&s, i);
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
                                   .mean_square = mean_square,
                                   .column_squares = column_squares,
                                   .reach = reach,
                                   .draw = gaussian_draw,
                                   .in_range = in_range,
                                   .weights = run_weights};
