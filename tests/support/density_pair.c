/* See density_pair.h. */
#include "density_pair.h"

#include <math.h>

#include "loss/loss.h"
#include "noise_reference.h"

static double l1_of(const double *v, size_t count) {
  double sum = 0;
  for (size_t j = 0; j < count; j++) {
    sum += fabs(v[j]);
  }
  return sum;
}

/* ---- the densities */

static double margin(const pair *p, const double *w) {
  double z = 0;
  for (size_t j = 0; j < p->dims; j++) {
    z += w[j] * p->f[j];
  }
  return z;
}

/* Of a loss of margins all counts in w. */
static double slope_of(const pair *p, const dperm_loss *loss, const double *w, double label,
                       double *curvature) {
  double slope = 0;
  slope_at_score(loss, loss_of_numbers(loss) ? label : 1, margin(p, w), &slope, curvature);
  return slope;
}

/* b += s·w and H += a·wwᵀ for one record. */
static void add_record(const pair *p, const dperm_loss *loss, const double *w, double label,
                       long double *b, long double h[MOST_DIMS][MOST_DIMS]) {
  double curvature = 0, slope = slope_of(p, loss, w, label, &curvature);
  for (size_t i = 0; i < p->dims; i++) {
    b[i] -= (long double)slope * w[i];
    for (size_t j = 0; j < p->dims; j++) {
      h[i][j] += (long double)curvature * w[i] * w[j];
    }
  }
}

/* By elimination; h is positive definite, so every pivot is positive. */
static long double determinant(size_t dims, long double h[MOST_DIMS][MOST_DIMS]) {
  long double product = 1;
  for (size_t k = 0; k < dims; k++) {
    product *= h[k][k];
    for (size_t i = k + 1; i < dims; i++) {
      long double factor = h[i][k] / h[k][k];
      for (size_t j = k; j < dims; j++) {
        h[i][j] -= factor * h[k][j];
      }
    }
  }
  return product;
}

/* What sums are divided by: the plan's own figure, or the number of records. */
static double divisor_of(const pair *p, const privacy_plan *plan) {
  return plan->divisor > 0 ? plan->divisor : (double)(p->others + 1);
}

/* log of the density of f under data set `side`, up to a constant that both share. At f the whole
 * gradient is zero: b = Σ s_i w_i − nΛ∇N(f) − nΔf. */
static long double log_density(const pair *p, int side, const dperm_loss *loss,
                               const privacy_plan *plan) {
  long double n = divisor_of(p, plan), b[MOST_DIMS], h[MOST_DIMS][MOST_DIMS] = {{0}};
  for (size_t j = 0; j < p->dims; j++) {
    long double away = (long double)p->f[j] - p->prior[j], stiff = plan->lambda * p->weight[j];
    b[j] = -n * (stiff * away + (long double)plan->delta_reg * p->f[j]);
    h[j][j] = n * (stiff + plan->delta_reg);
  }
  for (size_t i = 0; i < p->others; i++) {
    add_record(p, loss, p->other[i], p->other_label[i], b, h);
  }
  if (!(p->absent && side == 1)) {
    add_record(p, loss, p->w[side], p->label[side], b, h);
  }
  return -plan->noise.beta * defined_norm(&plan->noise, b) + logl(determinant(p->dims, h));
}

double log_ratio(const pair *p, const dperm_loss *loss, const privacy_plan *plan) {
  double ratio = (double)(log_density(p, 0, loss, plan) - log_density(p, 1, loss, plan));
  return p->removed ? -ratio : ratio;
}

/* ---- losses and plans */

dperm_loss loss_number(int which, double h) {
  static double times = 7; /* L = 7, c = 7/4, priced by the constants */
  return which > 3    ? library_loss((reference_loss)(REF_LOG_COSH + which - 4), h / 10)
         : which == 3 ? (dperm_loss){"steep", (double)NAN, 7, 1.75, scaled_eval, &times, 1e-14}
                      : library_loss((reference_loss)which, h);
}

public_numbers numbers_for(const pair *p, double norm, const dperm_loss *loss, double epsilon,
                           double lambda) {
  return (public_numbers){.rows = p->others + 1,
                          .dims = p->dims,
                          .bounds.norm2 = norm,
                          .loss = loss,
                          .epsilon = epsilon,
                          .epsilon_core = epsilon,
                          .mechanism = DPERM_MECHANISM_OBJECTIVE,
                          .analysis = DPERM_ANALYSIS_TIGHT,
                          .lambda = lambda,
                          .delta_reg = (double)NAN,
                          .norm_guess = (double)NAN};
}

/* ---- random pairs and climbing */

static void shrink(double *w, size_t count, double size, double bound) {
  for (size_t j = 0; j < count && size > bound; j++) {
    w[j] *= bound * (1 - 1e-15) / size;
  }
}

/* Of a block of several columns only the longest entry stays. */
static void keep_longest(double *w, size_t count) {
  size_t longest = 0;
  for (size_t j = 1; j < count; j++) {
    longest = fabs(w[j]) > fabs(w[longest]) ? j : longest;
  }
  for (size_t j = 0; j < count; j++) {
    w[j] = j == longest ? w[j] : 0;
  }
}

static void clip(double *w, size_t dims, const limits *within) {
  const noise_body *body = &within->bounds.body;
  double length = 0, *group = w;
  bool mixed = within->kind == DPERM_NOISE_MIXED, linf = within->kind == DPERM_NOISE_LINF;
  for (size_t i = 0; (mixed || linf || within->kind == DPERM_NOISE_GROUP) && i < body_count(body);
       i++) {
    const body_run *run = body_at(body, i);
    size_t width = linf ? 1 : run->width;
    for (size_t k = 0; k < run->groups * run->width / width; k++, group += width) {
      if (mixed) {
        keep_longest(group, width);
      }
      shrink(group, width, l1_of(group, width), run->radius);
    }
  }
  if (within->kind == DPERM_NOISE_L1) {
    shrink(w, dims, l1_of(w, dims), within->bounds.norm1);
  }
  for (size_t j = 0; j < dims; j++) {
    length = hypot(length, w[j]);
  }
  shrink(w, dims, length, within->bounds.norm2);
}

void draw_vector(random_source *r, double scale, double *v, size_t dims) {
  for (size_t j = 0; j < dims; j++) {
    v[j] = scale * random_normal(r);
  }
}

void set_margin(pair *p, const double *w, double z) {
  double square = 0, gap = z - margin(p, w);
  for (size_t j = 0; j < p->dims; j++) {
    square += w[j] * w[j];
  }
  for (size_t j = 0; j < p->dims && square > 0; j++) {
    p->f[j] += gap * w[j] / square;
  }
}

void centre_noise(pair *p, const dperm_loss *loss, const privacy_plan *plan) {
  double n = divisor_of(p, plan);
  for (size_t j = 0; j < p->dims; j++) {
    double pull = -n * plan->delta_reg * p->f[j];
    for (size_t i = 0; i <= p->others; i++) {
      const double *w = i < p->others ? p->other[i] : p->w[0];
      pull -= slope_of(p, loss, w, i < p->others ? p->other_label[i] : p->label[0], NULL) * w[j];
    }
    p->prior[j] = p->f[j] - pull / (n * plan->lambda * p->weight[j]);
  }
}

pair draw_pair(random_source *r, size_t dims, const limits *within) {
  double norm = within->bounds.norm2;
  pair p = {.dims = dims, .others = random_bits(r) % (MOST_OTHERS + 1)};
  for (size_t i = 0; i < p.others + 2; i++) {
    double *w = i < p.others ? p.other[i] : p.w[i - p.others];
    draw_vector(r, norm * random_scale(r, 0.1, 10), w, p.dims);
    clip(w, p.dims, within);
  }
  bool penalized = random_bits(r) & 1;
  for (size_t j = 0; j < p.dims; j++) {
    p.weight[j] = penalized ? 1 + 2 * random_unit(r) : 1;
    p.prior[j] = penalized ? random_normal(r) / norm : 0;
    if (random_bits(r) % 3 == 0) {
      p.w[1][j] = -p.w[0][j];
    }
  }
  clip(p.w[1], p.dims, within);
  draw_vector(r, random_scale(r, 1e-2, 1e2) / norm, p.f, p.dims);
  for (size_t i = 0; i < p.others + 2; i++) { /* often at an end */
    double y = fmin(fmax(2 * random_normal(r), -1), 1);
    *(i < p.others ? &p.other_label[i] : &p.label[i - p.others]) = y;
  }
  return p;
}

static pair nudge(random_source *r, const pair *from, const limits *within, double step) {
  pair p = *from;
  double norm = within->bounds.norm2;
  uint64_t what = random_bits(r) % 4;
  double v[MOST_DIMS], *target = p.f, scale = step / norm;
  if (what > 0) {
    target = what == 3 && p.others ? p.other[random_bits(r) % p.others] : p.w[what & 1];
    scale = step * norm;
  } else if (random_bits(r) & 1) {
    target = p.prior;
  }
  draw_vector(r, scale, v, p.dims);
  for (size_t j = 0; j < p.dims; j++) {
    target[j] += v[j];
  }
  if (what > 0) {
    clip(target, p.dims, within);
  }
  if (what == 1 || what == 2) {
    p.label[what & 1] = fmin(fmax(p.label[what & 1] + step * random_normal(r), -1), 1);
  }
  return p;
}

double climb(random_source *r, pair *p, const limits *within, const dperm_loss *loss,
             const privacy_plan *plan, int steps) {
  double best = log_ratio(p, loss, plan), step = 1;
  for (int i = 0; i < steps; i++) {
    pair next = nudge(r, p, within, step);
    double found = log_ratio(&next, loss, plan);
    if (found > best) {
      *p = next;
      best = found;
      step = fmin(10, step * 1.5);
    } else {
      step = fmax(1e-5, step * 0.93);
    }
  }
  return best;
}

void check_ratio(double ratio, double epsilon, const dperm_loss *loss, double norm, const pair *p) {
  if (!(fabs(ratio) <= epsilon + 1e-9)) {
    fail_msg("%s, R = %g, n = %zu, d = %zu: log ratio %.12g, epsilon %.12g", loss->name, norm,
             p->others + 1, p->dims, ratio, epsilon);
  }
}

limits draw_limits(random_source *r, size_t dims, double norm, dperm_noise kind) {
  limits l = {.bounds = row_bounds_of_norm(dims, norm), .kind = kind};
  double most = l.bounds.norm1;
  l.bounds.norm1 = kind == DPERM_NOISE_L1 ? random_scale(r, norm / 2, most) : most;
  size_t first = dims == 1 ? 1 : 1 + random_bits(r) % (dims - 1);
  l.runs[0] = (body_run){1, first, norm * random_scale(r, 0.2, 2)};
  l.runs[1] = (body_run){dims - first, 1, norm * random_scale(r, 0.2, 2)};
  l.count = dims > first ? 2 : 1;
  if (kind == DPERM_NOISE_MIXED) { /* one block or two, and what is left alone, if anything is */
    size_t left = dims;
    for (l.count = 0; l.count < 2 && left > 1; l.count++) {
      size_t width = 2 + random_bits(r) % (left - 1);
      l.runs[l.count] = (body_run){1, width, norm * random_scale(r, 0.05, 2)};
      left -= width;
    }
    l.runs[l.count] = (body_run){left, 1, norm * random_scale(r, 0.2, 2)};
    l.count += left > 0;
  }
  return l;
}
