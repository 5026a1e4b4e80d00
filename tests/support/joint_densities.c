/* See joint_densities.h. Noise and weights f are one to one, b = −(Σ gradients + λ(f − prior)), so
 * the density of f is that of b there times the determinant of the curvature. */
#include "joint_densities.h"

#include <math.h>

#include "random/discrete_sampling.h"
#include "statistics.h"

enum { K = JOINT_CLASSES };

/* An orthonormal basis of the plane. */
static const double basis[2][K] = {
    {0.70710678118654752, -0.70710678118654752, 0},
    {0.40824829046386302, 0.40824829046386302, -0.81649658092772603}};

/* Adds a record's gradient to g and its curvature to h = (h₁₁, h₁₂, h₂₂), in the plane. */
static void add_record(const labelled *r, const double f[2], double g[2], double h[3]) {
  double p[K], sum = 0, top = -INFINITY;
  for (size_t c = 0; c < K; c++) {
    p[c] = r->x * (basis[0][c] * f[0] + basis[1][c] * f[1]);
    top = fmax(top, p[c]);
  }
  for (size_t c = 0; c < K; c++) {
    p[c] = exp(p[c] - top);
    sum += p[c];
  }
  double mean[2] = {0, 0}, square[3] = {0, 0, 0};
  for (size_t c = 0; c < K; c++) {
    double a = basis[0][c], b = basis[1][c], odds = p[c] / sum;
    mean[0] += odds * a;
    mean[1] += odds * b;
    square[0] += odds * a * a;
    square[1] += odds * a * b;
    square[2] += odds * b * b;
  }
  g[0] += r->x * (mean[0] - basis[0][r->label]);
  g[1] += r->x * (mean[1] - basis[1][r->label]);
  h[0] += r->x * r->x * (square[0] - mean[0] * mean[0]);
  h[1] += r->x * r->x * (square[1] - mean[0] * mean[1]);
  h[2] += r->x * r->x * (square[2] - mean[1] * mean[1]);
}

static double determinant(const double h[3]) {
  return h[0] * h[2] - h[1] * h[1];
}

/* The logarithms of both densities at f, and of what the first's record does to the determinant. */
static void log_densities(const joint_neighbours *p, const double f[2], double out[2],
                          double *slack) {
  double g[2] = {p->lambda * (f[0] - p->prior[0]), p->lambda * (f[1] - p->prior[1])};
  double h[3] = {p->lambda, 0, p->lambda}, variance = p->sigma * p->sigma;
  for (size_t i = 0; i < p->others; i++) {
    add_record(&p->other[i], f, g, h);
  }
  for (int side = 0; side < 2; side++) {
    double b[2] = {g[0], g[1]}, a[3] = {h[0], h[1], h[2]};
    add_record(&p->w[side], f, b, a);
    out[side] = -(b[0] * b[0] + b[1] * b[1]) / variance / 2 +
                log(determinant(a) / (variance * 6.283185307179586));
    if (side == 0) {
      *slack = log(determinant(a) / determinant(h));
    }
  }
}

static void densities(const void *pair, const double f[2], double out[2]) {
  double slack = 0;
  log_densities(pair, f, out, &slack);
  out[0] = exp(out[0]);
  out[1] = exp(out[1]);
}

/* All f whose noise is no longer than this. */
static density_range range_of(const joint_neighbours *p, double noise) {
  double norm = fmax(fabs(p->w[0].x), fabs(p->w[1].x));
  for (size_t i = 0; i < p->others; i++) {
    norm = fmax(norm, fabs(p->other[i].x));
  }
  double width = (noise + 1.5 * norm * (double)(p->others + 1)) / p->lambda;
  return (density_range){2, {p->prior[0], p->prior[1]}, {width, width}};
}

double joint_delta(const joint_neighbours *p, double epsilon, double goal) {
  return delta_integrated(densities, p, range_of(p, 8 * p->sigma), epsilon, goal);
}

typedef struct powers {
  const joint_neighbours *p;
  double order;
} powers;

static double power_ratio(const void *context, const double f[2]) {
  const powers *of = context;
  double both[2], slack = 0;
  log_densities(of->p, f, both, &slack);
  return exp(of->order * both[0] + (1 - of->order) * both[1]);
}

/* Powers of two normal laws whose centres are u apart have their mass around (α−1)u, and a record's
 * gradient is no longer than √2·|x|. */
double joint_divergence(const joint_neighbours *p, double order, double goal) {
  const powers of = {p, order};
  double apart = 1.5 * (fabs(p->w[0].x) + fabs(p->w[1].x));
  double moment = smooth_integrated(power_ratio, &of, range_of(p, 9 * p->sigma + order * apart),
                                    1e-3 * expm1((order - 1) * goal));
  return log(moment) / (order - 1);
}

static double slack_there(const void *context, const double f[2]) {
  double both[2], slack = 0;
  log_densities(context, f, both, &slack);
  return exp(both[0]) * slack;
}

double joint_mean_slack(const joint_neighbours *p, double goal) {
  return smooth_integrated(slack_there, p, range_of(p, 9 * p->sigma), 1e-3 * goal);
}

static labelled draw_record(random_source *r, double norm) {
  double x = norm * (random_below(r, 3) ? 2 * random_unit(r) - 1 : 1);
  return (labelled){random_below(r, 2) ? x : -x, random_below(r, K)};
}

joint_neighbours joint_neighbours_drawn(random_source *r, double norm) {
  joint_neighbours p = {.others = random_below(r, JOINT_OTHERS + 1),
                        .w = {draw_record(r, norm), draw_record(r, norm)}};
  for (size_t i = 0; i < p.others; i++) {
    p.other[i] = draw_record(r, norm);
  }
  if (random_below(r, 2)) { /* as far apart as they can be */
    p.w[0].x = norm;
    p.w[1] = (labelled){-norm, p.w[0].label};
  }
  for (size_t j = 0; j < 2; j++) {
    p.prior[j] = random_below(r, 2) ? 20 / norm * (random_unit(r) - 0.5) : 0;
  }
  return p;
}

joint_neighbours joint_neighbours_far_out(double norm, bool adding) {
  const double away = 64 / norm;
  return (joint_neighbours){
      .w = {{norm, 1}, {adding ? 0 : -norm, 1}},
      .prior = {0.70710678118654752 * away, 1.2247448713915890 * away}}; /* away·(1, 0, −1) */
}
