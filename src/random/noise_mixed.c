/* mixed noise: for rows of one-hot blocks, with or without columns that stand alone. The norm is
 *
 *   ‖u‖ = Σ_g ω_g‖u_g‖₁ + t·‖v‖₂,
 *
 * g over the groups of two or more columns, of which a row has at most one entry each, and v all
 * columns that stand alone. So the noise is independent Laplace(1/(βω_g)) in a block and l2 noise
 * with βt in v. Call |x_g| ≤ r_g and ‖v‖₂ ≤ √Σr² the sizes x_i of a row's parts, i over the blocks
 * and v. Then (privacy.md 5)
 *
 *   R_K = max Σ ω_i x_i over 0 ≤ x_i ≤ r_i, Σ x_i² ≤ R₂²;
 *   E‖b‖₂² = Σ c_i/(βω_i)², c = 2m for a block of m columns and s(s+1) for s columns alone,
 *
 * and R_K²·E‖b‖₂² is least at ω_i = (c_i/x_i)^(1/3), x_i = min(r_i, h·c_i^(1/4)), h such that Σ x²
 * = R₂² or x = r (docs/proofs/planning.md). Any ω would be private: it only has to be the same for
 * the bound, the draw and the file. So it follows from the body alone, for R₂ = 1 as all schemas
 * have it, by operations that IEEE 754 rounds the same way everywhere, and has eight bits.
 *
 * The budget behind noise_relative_error, in units of 2^−53: that of l1 and of l2 noise, with one
 * rounding more for βω and βt. */
#include <math.h>

#include "base/defect.h"
#include "random/exponential.h"
#include "random/noise_kind.h"

/* Equal terms of the norm: the blocks of a run, or the columns alone. */
typedef struct part {
  double count, cost, radius; /* how many; c and r of each */
} part;

typedef struct mixed {
  const noise_body *body;
  bool weighted;                 /* else ω_g = 1, as in files of dperm 0.1 */
  size_t groups, grouped, alone; /* groups of several columns, their columns, and the others */
  double radius;                 /* of the columns alone together, rounded up */
  double level, largest;         /* h, and the ω that becomes 1 */
} mixed;

/* ---- weights */

/* Part i, by the number of its run; the columns alone after the last. Runs of single columns have
 * none of their own: their count is 0. */
static part part_at(const mixed *m, size_t i) {
  double s = (double)m->alone;
  if (i == body_count(m->body)) {
    return (part){m->alone > 0, s * (s + 1), m->radius};
  }
  const body_run *run = body_at(m->body, i);
  return (part){run->width > 1 ? (double)run->groups : 0, 2 * (double)run->width, run->radius};
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

static double fourth_root(const mixed *m, const part *p) {
  (void)m;
  return sqrt(sqrt(p->cost));
}

/* (c/x)^(1/3), for the largest of them over this. */
static double best_weight(const mixed *m, const part *p) {
  return cube_root(p->cost / fmin(p->radius, m->level * fourth_root(m, p)));
}

static double part_weight(const mixed *m, const part *p) {
  return m->weighted ? noise_eight_bits(best_weight(m, p) / m->largest) : 1;
}

/* h with Σ min(r_i, h·q_i)² = norm²; infinite where Σ r_i² is less. A part that is full at some h
 * is full at all above: each pass either fills one more or is the last. */
static double water_level(const mixed *m, double norm, double (*q)(const mixed *m, const part *p)) {
  double level = 0, before, full = -1;
  do {
    double left = norm * norm, slope = 0;
    before = full;
    full = 0;
    for (size_t i = 0; i <= body_count(m->body); i++) {
      const part p = part_at(m, i);
      double rise = p.count > 0 ? q(m, &p) : 0;
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

static mixed mixed_of(const noise_body *body, bool weighted) {
  mixed out = {.body = body, .weighted = weighted, .largest = 1};
  double squares = 0;
  for (size_t i = 0; i < body_count(body); i++) {
    const body_run *run = body_at(body, i);
    bool wide = run->width > 1;
    out.groups += wide ? run->groups : 0;
    out.grouped += wide ? run->groups * run->width : 0;
    out.alone += wide ? 0 : run->groups;
    squares += wide ? 0 : (double)run->groups * run->radius * run->radius;
  }
  out.radius = sqrt(squares) * (1 + ((double)body_count(body) + 8) * 0x1p-53);
  if (weighted) {
    double most = 0;
    out.level = water_level(&out, 1, fourth_root);
    for (size_t i = 0; i <= body_count(body); i++) {
      const part p = part_at(&out, i);
      most = p.count > 0 ? fmax(most, best_weight(&out, &p)) : most;
    }
    out.largest = most;
  }
  return out;
}

static mixed mixed_of_plan(const noise_plan *plan);

/* t, NaN without columns alone. Of unweighted blocks t⁴ = k·s(s+1)/(2m), with m columns in k. */
static double alone_weight(const mixed *m) {
  const part p = part_at(m, body_count(m->body));
  double plain = sqrt(sqrt((double)m->groups * p.cost / (2 * (double)m->grouped)));
  return p.count == 0 ? (double)NAN : m->weighted ? part_weight(m, &p) : plain;
}

/* ω of the blocks of run i, or t of its columns alone. */
static double run_weight(const mixed *m, size_t i) {
  const part p = part_at(m, i);
  return p.count > 0 ? part_weight(m, &p) : alone_weight(m);
}

static double mixed_weight(const noise_plan *plan) {
  const mixed m = mixed_of_plan(plan);
  return alone_weight(&m);
}

static void mixed_weights(const noise_plan *plan, double *out) {
  const mixed m = mixed_of_plan(plan);
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    out[i] = body_at(&plan->body, i)->width > 1 ? run_weight(&m, i) : (double)NAN;
  }
}

/* ---- the norm */

/* For every φ > 0 and every row, by Σ x² ≤ R₂²,
 *
 *   Σ ω_i x_i ≤ Σ_i max_{0≤x≤r_i} (ω_i x − x²/(2φ)) + R₂²/(2φ);
 *
 * equal at the level φ of Σ min(r_i, φω_i)² = R₂². A term is ω²φ/2 or, where φω ≥ r, ωr − r²/(2φ),
 * which is at least ωr/2: nothing cancels, and the roundings are below (16 + parts)·2^−53. 0 where
 * there are no blocks. */
static double mixed_row_bound(const row_bounds *bounds, size_t dims) {
  const mixed m = mixed_of(&bounds->body, true);
  if (m.grouped + m.alone != dims || m.groups == 0) {
    return 0;
  }
  double phi = water_level(&m, bounds->norm2, part_weight);
  double sum = bounds->norm2 * bounds->norm2 / (2 * phi), radii = 0;
  for (size_t i = 0; i <= body_count(m.body); i++) {
    const part p = part_at(&m, i);
    double w = p.count > 0 ? part_weight(&m, &p) : 0, r = p.radius;
    sum += p.count * (w * phi < r ? w * w * phi / 2 : w * r - r * r / (2 * phi));
    radii += p.count * r * r;
  }
  if (DEFECT("rows-complete")) { /* as if every row had its share in every part */
    sum = 0;
    for (size_t i = 0; i <= body_count(m.body); i++) {
      const part p = part_at(&m, i);
      sum += p.count > 0 ? p.count * part_weight(&m, &p) * p.radius / sqrt(radii) : 0;
    }
  }
  return sum * (1 + ((double)body_count(m.body) + 32) * 0x1p-53);
}

static double mixed_norm(const noise_plan *plan, const double *b) {
  const mixed m = mixed_of_plan(plan);
  double sum = 0, squares = 0;
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run *run = body_at(&plan->body, i);
    double w = run_weight(&m, i);
    for (size_t j = 0; j < run->groups * run->width; j++, b++) {
      sum += run->width > 1 ? w * fabs(*b) : 0;
      squares += run->width > 1 ? 0 : *b * *b;
    }
  }
  return m.alone > 0 ? sum + alone_weight(&m) * sqrt(squares) : sum;
}

/* ---- the law */

/* E‖b‖₂² is d(d+1)/β² times this. */
static double mixed_mean_square(const noise_plan *plan) {
  const mixed m = mixed_of_plan(plan);
  double d = (double)plan->dims, sum = 0;
  for (size_t i = 0; i <= body_count(&plan->body); i++) {
    const part p = part_at(&m, i);
    double w = i == body_count(&plan->body) ? alone_weight(&m) : part_weight(&m, &p);
    sum += p.count > 0 ? p.count * p.cost / (w * w) : 0;
  }
  return sum / (d * (d + 1));
}

/* A block's columns have c/m = 2 each, and each of s columns alone s + 1. */
static void mixed_column_squares(const noise_plan *plan, double *out) {
  const mixed m = mixed_of_plan(plan);
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    double w = run_weight(&m, i);
    out[i] = (body_at(&plan->body, i)->width > 1 ? 2 : (double)m.alone + 1) / (w * w);
  }
}

/* The least and the largest weight of all columns. */
static void weight_range(const noise_plan *plan, double *least, double *most) {
  const mixed m = mixed_of_plan(plan);
  *least = *most = run_weight(&m, 0);
  for (size_t i = 1; i < body_count(&plan->body); i++) {
    *least = fmin(*least, run_weight(&m, i));
    *most = fmax(*most, run_weight(&m, i));
  }
}

/* ‖u‖₂ ≤ ‖u‖ over the least weight. */
static double mixed_reach(const noise_plan *plan) {
  double least, most;
  weight_range(plan, &least, &most);
  return (1 + 0x1p-50) / least;
}

static bool mixed_in_range(const noise_plan *plan) {
  double least, most;
  weight_range(plan, &least, &most);
  return noise_scale_in_range(plan->beta * least) && noise_scale_in_range(plan->beta * most);
}

/* The columns that stand alone are gathered at the end of b, filled as one vector, and dealt out
 * from the front: no column is written before what was drawn for it has been taken. */
static void mixed_draw(const noise_plan *plan, random_source *source, double *b) {
  const mixed m = mixed_of_plan(plan);
  double *alone = b + m.grouped;
  if (m.alone > 0) {
    noise_draw_sphere(source, m.alone, plan->beta * alone_weight(&m), alone);
  }
  for (size_t i = 0; i < body_count(&plan->body); i++) {
    const body_run *run = body_at(&plan->body, i);
    double beta = plan->beta * (DEFECT("block-unweighted") ? 1 : run_weight(&m, i));
    for (size_t j = 0; j < run->groups * run->width; j++) {
      *b++ = run->width == 1 ? *alone++ : random_laplace(source, beta);
    }
  }
}

/* ---- the entries */

/* The law of the first files, which is read and not planned any more. Its rows have Σ_g ‖x_g‖₁ +
 * t‖v‖₂ ≤ √(k + t²)·R₂ by Cauchy and Schwarz. */
static double plain_row_bound(const row_bounds *bounds, size_t dims) {
  const mixed m = mixed_of(&bounds->body, false);
  bool both = m.grouped + m.alone == dims && m.groups > 0 && m.alone > 0;
  double t = alone_weight(&m);
  return both ? sqrt((double)m.groups + t * t) * bounds->norm2 * (1 + 0x1p-49) : 0;
}

#define MIXED_MEMBERS                                                                              \
  .name = "mixed", .number = DPERM_NOISE_MIXED, .radius = &radius_gamma, .norm = mixed_norm,       \
  .mean_square = mixed_mean_square, .column_squares = mixed_column_squares, .reach = mixed_reach,  \
  .draw = mixed_draw, .in_range = mixed_in_range, .weight = mixed_weight

static const noise_kind noise_mixed_plain = {MIXED_MEMBERS, .row_bound = plain_row_bound};

const noise_kind noise_mixed = {MIXED_MEMBERS, .row_bound = mixed_row_bound,
                                .weights = mixed_weights, .before = &noise_mixed_plain};

static mixed mixed_of_plan(const noise_plan *plan) {
  return mixed_of(&plan->body, plan->kind != &noise_mixed_plain);
}
