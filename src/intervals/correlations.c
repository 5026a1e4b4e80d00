/* See correlations.h. A pair is proposed from its law by itself, and stays as it was as often as
 * the determinant says (Metropolis-Hastings), a column at a time: the determinant is that of the
 * other columns times what they leave of this one, so a round takes d^3. */
#include "intervals/correlations.h"

#include <math.h>
#include <stdlib.h>

#include "base/functions.h"
#include "base/memory.h"
#include "base/vector.h"
#include "intervals/interval_blocks.h"
#include "solve/direction.h"

/* Chosen by experiments/coverage, on made families and real records. */
static const double strong_each = 1; /* strong pairs of a column, before anything is known */
static const double strong_most = 0.3;
static const double usual_spread = 0.1; /* half of all spreads are below, likewise */
static const double least_spread = 0.01, most_spread = 0.6;
static const double held = 0.98; /* of strong pairs that were released beyond 1, at first */
static const double drawn_together = 0.9;
enum { DRAWN_MOST = 200 };
static const double noise_least = 1e-9, noise_most = 1e6; /* what a forged file may be beyond */
static const double reach = 8;                            /* deviations of a pair's noise, */
static const double sure = 2.6;                           /* within which it may say the same, */
static const double clear = 0.95;                         /* where it is strong with this chance */
static const double unsure_most = 0.4; /* or with so much noise, of two numbers */

static double square(double x) {
  return x * x;
}

/* ---- spreads, on a grid of equal ratios; half of a Cauchy law's density before all is known */

static void set_grid(correlations *c) {
  const double range = math_log(most_spread / least_spread);
  for (size_t i = 0; i < CORRELATION_SPREADS; i++) {
    const double log = math_log(least_spread) + range * (double)i / (CORRELATION_SPREADS - 1);
    const double t = math_exp(log);
    c->spreads[i] = t;
    c->logs[i] = log;
    c->before[i] = log - math_log(square(t) + square(usual_spread));
  }
}

/* Logarithm of a normal density but for a constant. */
static double near_density(double x, double variance) {
  return -square(x) / (2 * variance) - math_log(variance) / 2;
}

/* Of a normal law around rho, the part that is a correlation. */
static double part_within(double rho, double variance) {
  const double root = sqrt(2 * variance);
  return (math_erfc((fabs(rho) - 1) / root) - math_erfc((fabs(rho) + 1) / root)) / 2;
}

/* The chance that a pair as it was released is strong. */
static double strong_chance(const correlations *c, const correlation_pair *p, double spread) {
  const double most = 6.283185307179586, both = square(spread) + p->variance;
  const double near = (1 - c->strong) * math_exp(-square(p->rho) / (2 * both)) / sqrt(most * both);
  const double far = c->strong / 2 * p->within;
  return near + far > 0 ? far / (near + far) : 1;
}

/* The likeliest spread of a class, by what was released. */
static double likeliest_spread(const correlations *c, unsigned class) {
  double best = -INFINITY, spread = least_spread;
  for (size_t i = 0; i < CORRELATION_SPREADS; i++) {
    const double t = c->spreads[i];
    double sum = c->before[i];
    for (size_t k = 0; k < c->count; k++) {
      const correlation_pair *p = &c->pairs[k];
      if (p->class == class) {
        const double near = near_density(p->rho, square(t) + p->variance);
        sum += near - math_log1p(-fmin(strong_chance(c, p, t), 1 - 0x1p-50));
      }
    }
    if (sum > best) {
      best = sum;
      spread = t;
    }
  }
  return spread;
}

static double draw_spread(const correlations *c, unsigned class, random_source *source) {
  double weight[CORRELATION_SPREADS], squares = 0, count = 0, most = -INFINITY;
  for (size_t k = 0; k < c->count; k++) {
    const correlation_pair *p = &c->pairs[k];
    const bool counts = p->class == class && !p->strong;
    squares += counts ? square(c->matrix[p->at]) : 0;
    count += counts;
  }
  for (size_t i = 0; i < CORRELATION_SPREADS; i++) {
    weight[i] = c->before[i] - count * c->logs[i] - squares / (2 * square(c->spreads[i]));
    most = fmax(most, weight[i]);
  }
  for (size_t i = 0; i < CORRELATION_SPREADS; i++) {
    weight[i] = math_exp(weight[i] - most);
  }
  return c->spreads[random_weighted(source, weight, CORRELATION_SPREADS)];
}

/* ---- the inverse */

/* The root and the inverse of the matrix; false where it is not positive. */
static bool invert(correlations *c) {
  const size_t d = c->law->d;
  double *factor = c->inverse, *root = c->root;
  for (size_t i = 0; i < d * d; i++) {
    factor[i] = c->matrix[i];
    root[i] = 0;
  }
  if (!cholesky_factor(factor, d)) {
    return false;
  }
  for (size_t i = d; i-- > 0;) { /* of the factor, from its last row */
    double *own = root + i * d;
    own[i] = 1;
    for (size_t k = i + 1; k < d; k++) {
      vector_axpy(own + k, -factor[i * d + k], root + k * d + k, d - k);
    }
    for (size_t k = i; k < d; k++) {
      own[k] /= factor[i * d + i];
    }
  }
  for (size_t j = 0; j < d; j++) {
    for (size_t l = j; l < d; l++) {
      c->inverse[j * d + l] = vector_dot(root + j * d + l, root + l * d + l, d - l);
    }
  }
  return true;
}

/* A matrix that is not positive is drawn together until it is. */
static void settle(correlations *c) {
  for (unsigned round = 0; !invert(c); round++) {
    for (size_t k = 0; k < c->count; k++) {
      const correlation_pair *p = &c->pairs[k];
      c->matrix[p->at] = round < DRAWN_MOST ? drawn_together * c->matrix[p->at] : 0;
      c->matrix[p->mirrored] = c->matrix[p->at];
    }
  }
}

void correlations_slopes(const correlations *c, const double *scale, const double *rest,
                         double *rows, double *out) {
  const interval_design *design = c->law->design;
  const size_t d = c->law->d;
  for (size_t i = 0; i < d * d; i++) {
    rows[i] = c->root[i];
  }
  for (size_t i = 0; i < design->group_count; i++) {
    interval_block_columns(c->law, &design->groups[i], rest[design->groups[i].first], rows);
  }
  for (size_t j = 0; j < d; j++) {
    for (size_t l = 0; l < d; l++) {
      out[j * d + l] = vector_dot(rows + j * d, rows + l * d, d) / sqrt(scale[j] * scale[l]);
    }
  }
}

/* ---- pairs */

/* By itself: what was released, its noise, and the law of pairs like it. */
static double propose(const correlations *c, const correlation_pair *p, random_source *source,
                      bool *strong) {
  const double wide = square(c->spread[p->class]), noise = sqrt(p->variance);
  *strong = random_unit(source) < strong_chance(c, p, c->spread[p->class]);
  if (!*strong) {
    const double share = wide / (wide + p->variance);
    return share * p->rho + sqrt(share * p->variance) * random_normal(source);
  }
  const double least = fmin(noise, 1), low = fmin(fmax(-1, p->rho - reach * noise), 1 - least),
               high = fmax(fmin(1, p->rho + reach * noise), least - 1),
               nearest = fmin(fmax(p->rho, low), high);
  for (;;) {
    const double x = low + (high - low) * random_unit(source),
                 more = square(x - p->rho) - square(nearest - p->rho);
    if (random_unit(source) < math_exp(-more / (2 * p->variance))) {
      return x;
    }
  }
}

/* Adds `by`·vvᵀ to the inverse. */
static void add_product(correlations *c, double by, const double *v) {
  const size_t d = c->law->d;
  for (size_t i = 0; i < d; i++) {
    vector_axpy(c->inverse + i * d + i, by * v[i], v + i, d - i);
  }
}

/* The slopes of a column on the others as a pair moves by `step`. */
static void move(correlations *c, const correlation_pair *p, double step) {
  const size_t d = c->law->d, l = p->at % d;
  for (size_t i = 0; i < l; i++) {
    c->slopes[i] += step * c->inverse[i * d + l];
  }
  vector_axpy(c->slopes + l, step, c->inverse + l * d + l, d - l);
  c->matrix[p->at] += step;
  c->matrix[p->mirrored] = c->matrix[p->at];
}

/* The pairs of column j from `k` on; the next column's first. */
static size_t draw_column(correlations *c, size_t j, size_t k, random_source *source) {
  const size_t d = c->law->d;
  double left = 1 / c->inverse[j * d + j]; /* of the column, by the others */
  for (size_t i = 0; i < d; i++) {
    c->slopes[i] = -left * c->inverse[i < j ? i * d + j : j * d + i];
  }
  add_product(c, -1 / left, c->slopes); /* the inverse of the others */
  for (c->slopes[j] = 0; k < c->count && c->pairs[k].at / d == j; k++) {
    correlation_pair *p = &c->pairs[k];
    const size_t l = p->at % d;
    bool strong = false;
    const double step = propose(c, p, source, &strong) - c->matrix[p->at];
    const double then = left - step * (2 * c->slopes[l] + step * c->inverse[l * d + l]);
    if (then > 0 && random_unit(source) < square(then / left)) {
      p->strong = strong;
      move(c, p, step);
      left = then;
    }
  }
  c->slopes[j] = -1;
  add_product(c, 1 / left, c->slopes);
  return k;
}

void correlations_sweep(correlations *c, random_source *source) {
  for (size_t j = 0, k = 0; j < c->law->d; j++) {
    k = draw_column(c, j, k, source);
  }
  for (unsigned class = 0; class < CORRELATION_CLASSES; class ++) {
    c->spread[class] = draw_spread(c, class, source);
  }
  settle(c); /* anew, since errors add up */
}

/* ---- the beginning */

static void set_released(correlation_pair *p, double by) {
  const double noise = fmin(fmax(by * p->noise, noise_least), noise_most), far = 1 + reach * noise;
  p->by = by;
  p->rho = fmin(fmax(by * p->given, -far), far);
  p->variance = square(noise);
  p->within = part_within(p->rho, p->variance);
}

void correlations_rescale(correlations *c, const double *by) {
  for (size_t k = 0; k < c->count; k++) {
    correlation_pair *p = &c->pairs[k];
    const double both = by[p->at / c->law->d] * by[p->at % c->law->d];
    if (both != p->by) { /* as it takes two complementary error functions */
      set_released(p, both);
    }
  }
}

static unsigned class_of(const interval_design *design, size_t j, size_t l) {
  return (unsigned)(design->groups[design->group_of[j]].kind == INTERVAL_BLOCK) +
         (unsigned)(design->groups[design->group_of[l]].kind == INTERVAL_BLOCK);
}

static void list_pairs(const interval_law *law, correlations *out) {
  const size_t d = law->d, *group = law->design->group_of;
  for (size_t j = 0; j < d; j++) {
    for (size_t l = j + 1; l < d; l++) {
      if (group[j] != group[l]) {
        out->pairs[out->count++] = (correlation_pair){.at = j * d + l,
                                                      .mirrored = l * d + j,
                                                      .class = class_of(law->design, j, l),
                                                      .given = law->pair[j * d + l],
                                                      .noise = law->pair_noise[j * d + l]};
        set_released(&out->pairs[out->count - 1], 1);
      }
    }
  }
}

static void begin(correlations *c) {
  set_grid(c);
  for (unsigned class = 0; class < CORRELATION_CLASSES; class ++) {
    c->spread[class] = likeliest_spread(c, class);
  }
  for (size_t i = 0; i < c->law->d; i++) {
    c->matrix[i * c->law->d + i] = 1;
  }
  for (size_t k = 0; k < c->count; k++) {
    correlation_pair *p = &c->pairs[k];
    const double t = c->spread[p->class], far = strong_chance(c, p, t),
                 near = square(t) / (square(t) + p->variance) * p->rho,
                 strong = fmin(fmax(p->rho, -held), held);
    p->strong = far > 0.5;
    c->matrix[p->at] = (1 - far) * near + far * strong;
    c->matrix[p->mirrored] = c->matrix[p->at];
  }
  settle(c);
}

static bool is_number(const correlations *c, size_t j) {
  const interval_design *design = c->law->design;
  return design->groups[design->group_of[j]].kind == INTERVAL_NUMBER;
}

/* Of a correlation of 1, the part of its noise that the variance of a number has. */
static double scale_noise(const correlations *c, size_t j) {
  return is_number(c, j) ? square(c->law->doubt[j] / c->law->variance[j]) / 4 : 0;
}

bool correlations_alike(const correlations *c, size_t j) {
  const size_t d = c->law->d, *group = c->law->design->group_of;
  bool alike = false;
  for (size_t k = 0; k < c->count; k++) {
    const correlation_pair *p = &c->pairs[k];
    const size_t a = p->at / d, b = p->at % d;
    const double noise = sqrt(p->variance), rho = fmin(fabs(p->rho), 1),
                 all = p->variance + square(rho) * (scale_noise(c, a) + scale_noise(c, b));
    const bool own = group[a] == group[j] || group[b] == group[j],
               unsure = noise > unsure_most && is_number(c, a) && is_number(c, b),
               near =
                   rho + sure * sqrt(all) > 1 && strong_chance(c, p, c->spread[p->class]) > clear;
    alike = alike || (own && (unsure || near));
  }
  return alike;
}

dperm_status correlations_open(const interval_law *law, correlations *out, dperm_error *err) {
  const size_t d = law->d;
  correlations c = {.law = law, .strong = fmin(strong_each / fmax((double)d - 1, 1), strong_most)};
  TRY(memory_new(d * d, sizeof *c.pairs, &c.pairs, err));
  const dperm_status status = memory_new(3 * d * d + d, sizeof *c.matrix, &c.matrix, err);
  if (status != DPERM_OK) {
    free(c.pairs);
    return status;
  }
  c.inverse = c.matrix + d * d;
  c.root = c.inverse + d * d;
  c.slopes = c.root + d * d;
  list_pairs(law, &c);
  begin(&c);
  *out = c;
  return DPERM_OK;
}

void correlations_close(correlations *c) {
  free(c->pairs);
  free(c->matrix);
  *c = (correlations){0};
}
