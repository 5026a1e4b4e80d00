/* See interval_pairs.h. Correlations have known noise; most are taken to be from a normal law that
 * all of them tell, a few from anywhere. Eigenvalues that the noise has spread are drawn together
 * again, and small ones raised: an inverse is no better than the smallest is known. */
#include "intervals/interval_pairs.h"

#include <math.h>
#include <stdlib.h>

#include "base/functions.h"
#include "base/memory.h"
#include "base/vector.h"
#include "intervals/interval_blocks.h"

/* Chosen by experiments/coverage, on made families. */
static const double better = 0.5; /* noise of a variance, to that of the stage before */
static const double slab = 0.15;  /* of a column, so many correlations are from anywhere */
static const double slab_most = 0.05;
static const double top = 0.12; /* of all squares of a column's, where they do not stand out */
static const double far_held = 0.98, far_variance = 0.3;
static const double window = 2, eigen_floor = 0.7, eigen_least = 0.02;
static const double lost_floor = 0.5, lost_least = 0.02, lost_most = 0.1;
enum { ROUNDS = 20, CLASSES = 3 };

static double square(double x) {
  return x * x;
}

/* ---- the body */

/* Ends of a group's numbers in pairs; blocks are in [0, 1]. */
static void ends_of(const interval_law *law, const interval_group *g, double *low, double *high) {
  *low = g->kind == INTERVAL_BLOCK ? 0 : law->low[g->first];
  *high = g->kind == INTERVAL_BLOCK ? 1 : law->high[g->first];
}

void interval_pair_ends(const interval_law *law, size_t a, size_t b, double *low, double *high) {
  const interval_group *groups = law->design->groups;
  const double c = law->design->curve;
  double l[2], h[2];
  ends_of(law, &groups[a], &l[0], &h[0]);
  ends_of(law, &groups[b], &l[1], &h[1]);
  *low = c * fmin(fmin(0, l[0] * h[1]), l[1] * h[0]);
  *high = c * fmax(l[0] * l[1], h[0] * h[1]);
}

dperm_status interval_pairs_body(const interval_law *law, integer_body *out, dperm_error *err) {
  const interval_design *design = law->design;
  double low = 0, high = 0;
  for (size_t a = 0; a < design->group_count; a++) {
    for (size_t b = a + 1; b < design->group_count; b++) {
      interval_pair_ends(law, a, b, &low, &high);
      TRY(interval_body_add(out, design->groups[a].count * design->groups[b].count, low, high,
                            err));
    }
  }
  for (size_t a = 0; a < design->group_count; a++) {
    if (design->groups[a].kind == INTERVAL_NUMBER) {
      const size_t j = design->groups[a].first;
      const double most = fmax(square(law->low[j]), square(law->high[j]));
      TRY(interval_body_add(out, 1, design->curve * law->low[j], design->curve * law->high[j],
                            err));
      TRY(interval_body_add(out, 1, 0, design->curve * most, err));
    }
  }
  return DPERM_OK;
}

/* ---- correlations, with their noise */

/* Products a·u_j·u_l as they were released into the upper triangles of pair and pair_noise. */
static void read_products(interval_law *law, interval_reader *r) {
  const interval_design *design = law->design;
  const size_t d = law->d;
  for (size_t a = 0; a < design->group_count; a++) {
    const interval_group *g = &design->groups[a];
    for (size_t b = a + 1; b < design->group_count; b++) {
      const interval_group *k = &design->groups[b];
      for (size_t j = g->first; j < g->first + g->count; j++) {
        for (size_t l = k->first; l < k->first + k->count; l++) {
          law->pair[j * d + l] = interval_next(r, &law->pair_noise[j * d + l]);
        }
      }
    }
  }
}

/* A number's mean and variance as pairs count it; where they are known better than before, the
 * column's own. */
static void read_own(interval_law *law, size_t j, interval_reader *r, double *mean, double *noise,
                     double *variance) {
  double of_second = 0;
  *mean = interval_next(r, noise);
  const double second = interval_next(r, &of_second), scale = square(law->width[j]);
  const double doubt = sqrt(square(of_second) + square(2 * *mean / law->h0 * *noise));
  *variance = fmax(second - square(*mean) / law->h0, doubt);
  if (doubt * scale < better * law->doubt[j]) {
    law->variance[j] = *variance * scale;
    law->doubt[j] = doubt * scale;
  }
}

/* Of one group by the columns of another, upper triangle: products less those of the means, with
 * the variance of their noise, each column divided by the root of `scale`. */
static void centre(interval_law *law, const double *mean, const double *noise,
                   const double *scale) {
  const size_t d = law->d;
  for (size_t j = 0; j < d; j++) {
    for (size_t l = j + 1; l < d; l++) {
      const size_t i = j * d + l;
      const double by = 1 / (scale[j] * scale[l]);
      law->pair[i] = (law->pair[i] - mean[j] * mean[l] / law->h0) * sqrt(by);
      law->pair_noise[i] = (square(law->pair_noise[i]) + square(noise[j] * mean[l] / law->h0) +
                            square(mean[j] * noise[l] / law->h0)) *
                           by;
    }
  }
}

/* Sums over the columns of both groups, in coordinates; `from` has d × d numbers, of which those of
 * the upper triangle count, and squares of entries are for variances. */
static void to_coordinates(const interval_law *law, const double *from, bool squares, double *half,
                           double *to) {
  const interval_design *design = law->design;
  const size_t d = law->d;
  for (int side = 0; side < 2; side++) { /* rows, then columns */
    const double *given = side == 0 ? from : half;
    double *made = side == 0 ? half : to;
    for (size_t j = 0; j < d; j++) {
      for (size_t l = 0; l < d; l++) {
        const interval_group *g = &design->groups[design->group_of[side == 0 ? j : l]];
        double sum = 0;
        for (size_t k = g->first; k < g->first + g->count; k++) {
          const double entry = interval_block_entry(law, side == 0 ? j : l, k);
          sum += (squares ? entry * entry : entry) * given[side == 0 ? k * d + l : j * d + k];
        }
        made[j * d + l] = sum;
      }
    }
  }
}

/* Both triangles; within a group the coordinates have no correlation. */
static void set_correlations(interval_law *law, const double *value, const double *variance) {
  const size_t *group = law->design->group_of, d = law->d;
  for (size_t j = 0; j < d; j++) {
    for (size_t l = 0; l < d; l++) {
      const size_t i = j < l ? j * d + l : l * d + j;
      const bool apart = group[j] != group[l];
      law->pair[j * d + l] = apart ? value[i] : j == l ? 1 : 0;
      law->pair_noise[j * d + l] = apart ? sqrt(variance[i]) : 0;
    }
  }
}

static dperm_status read_correlations(interval_law *law, interval_reader *r, dperm_error *err) {
  const interval_design *design = law->design;
  OWNED_MEMORY double *room = NULL;
  const size_t d = law->d;
  TRY(memory_new(3 * d * d + 3 * d, sizeof *room, &room, err));
  double *half = room, *value = half + d * d, *variance = value + d * d, *mean = variance + d * d,
         *noise = mean + d, *scale = noise + d;
  read_products(law, r);
  for (size_t j = 0; j < d; j++) {
    const interval_kind kind = design->groups[design->group_of[j]].kind;
    mean[j] = kind == INTERVAL_BIT ? 0 : law->first[j];
    noise[j] = law->first_noise[j];
    scale[j] = kind == INTERVAL_BLOCK ? law->first[j] : law->variance[j];
  }
  for (size_t i = 0; i < design->group_count; i++) {
    const size_t j = design->groups[i].first;
    if (design->groups[i].kind == INTERVAL_NUMBER) {
      read_own(law, j, r, &mean[j], &noise[j], &scale[j]);
    }
  }
  centre(law, mean, noise, scale);
  to_coordinates(law, law->pair, false, half, value);
  to_coordinates(law, law->pair_noise, true, half, variance);
  set_correlations(law, value, variance);
  for (size_t j = 0; j < d; j++) {
    const bool block = design->groups[design->group_of[j]].kind == INTERVAL_BLOCK;
    law->scale[j] = block ? law->first[j] : law->variance[j];
  }
  return DPERM_OK;
}

/* ---- what all of a class tell of each */

/* By how many of the two columns are in blocks. */
static size_t class_of(const interval_law *law, size_t j, size_t l) {
  const interval_design *design = law->design;
  return (size_t)(design->groups[design->group_of[j]].kind == INTERVAL_BLOCK) +
         (size_t)(design->groups[design->group_of[l]].kind == INTERVAL_BLOCK);
}

typedef struct prior {
  double mean, variance, far; /* of the normal law; and how many are from anywhere, at first */
} prior;

static double far_share(const prior *p, double rho, double noise) {
  const double both = p->variance + square(noise), most = 6.283185307179586;
  const double inside =
      (1 - p->far) * math_exp(-square(rho - p->mean) / (2 * both)) / sqrt(most * both);
  const double outside =
      p->far / 2 * math_exp(-square(fmax(fabs(rho) - 1, 0)) / (2 * square(noise)));
  return inside + outside > 0 ? outside / (inside + outside) : 1;
}

/* One round; `far` has what each one's share of the others is. */
static void learn(const interval_law *law, size_t class, const double *far, prior *p) {
  const size_t d = law->d;
  double sum = 0, all = 0, over = 0, under = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t j = 0; j < d; j++) {
      for (size_t l = j + 1; l < d; l++) {
        const double noise = law->pair_noise[j * d + l], rho = law->pair[j * d + l];
        if (noise == 0 || class_of(law, j, l) != class) {
          continue;
        }
        const double by = p->variance + square(noise), near = 1 - far[j * d + l];
        if (pass == 0) {
          sum += near / by * rho;
          all += near / by;
        } else {
          over += near / square(by) * (square(rho - p->mean) - square(noise));
          under += near / square(by);
        }
      }
    }
    if (pass == 0) {
      const double mean = all > 0 ? sum / all : 0;
      p->mean = all > 0 && fabs(mean) > 2 / sqrt(all) ? mean : 0;
    }
  }
  p->variance = under > 0 ? fmax(0, over / under) : 0;
  if (under > 0 && p->variance < 2 * sqrt(2 / under)) {
    p->variance = fmin(p->variance, top / fmax((double)d - 1, 1));
  }
}

/* Into `best` and law->left what each correlation is expected to be, and the variance of that. */
static void shrink(interval_law *law, size_t class, double *far, double *best) {
  const size_t d = law->d;
  prior p = {0, 0, fmin(slab / fmax((double)d - 1, 1), slab_most)};
  for (size_t i = 0; i < d * d; i++) {
    far[i] = 0;
  }
  for (int round = 0; round < ROUNDS; round++) {
    learn(law, class, far, &p);
    for (size_t i = 0; i < d * d; i++) {
      far[i] = law->pair_noise[i] > 0 ? far_share(&p, law->pair[i], law->pair_noise[i]) : 0;
    }
  }
  for (size_t j = 0; j < d; j++) {
    for (size_t l = 0; l < d; l++) {
      const size_t i = j * d + l;
      const double noise = square(law->pair_noise[i]), rho = law->pair[i], f = far[i];
      if (noise == 0 || class_of(law, j, l) != class) {
        continue;
      }
      const double weight = p.variance / (p.variance + noise);
      const double near = p.mean + weight * (rho - p.mean),
                   held = fmin(fmax(rho, -far_held), far_held);
      best[i] = (1 - f) * near + f * held;
      law->left[i] = (1 - f) * weight * noise + f * fmin(noise, far_variance) +
                     f * (1 - f) * square(held - near);
    }
  }
}

/* ---- the inverse */

/* The mean variance that is left in an entry. */
static double mean_left(const interval_law *law) {
  double sum = 0, count = 0;
  for (size_t i = 0; i < law->d * law->d; i++) {
    sum += law->left[i];
    count += law->pair_noise[i] > 0;
  }
  return count > 0 ? sum / count : 0;
}

/* Eigenvalues drawn together, in order, and raised. */
static void clean(const interval_law *law, double left, double *values, double *room) {
  const size_t d = law->d;
  const double rms = sqrt(left);
  for (size_t i = 0; i < d; i++) {
    double pushed = 0;
    for (size_t k = 0; k < d; k++) {
      const double gap = values[i] - values[k];
      pushed += gap / (square(gap) + square(window * rms) + 1e-12);
    }
    room[i] = values[i] - 2 * left * pushed;
  }
  vector_sort(room, d);
  for (size_t i = 0; i < d; i++) {
    values[i] = fmax(room[i], fmax(eigen_least, eigen_floor * rms));
  }
}

/* Columns with a part of them in directions of which too little is known. */
static void set_lost(interval_law *law, double left, const double *vectors, const double *values,
                     double *rows) {
  const interval_design *design = law->design;
  const size_t d = law->d;
  const double rms = sqrt(left);
  bool small[INTERVAL_COLUMNS];
  for (size_t i = 0; i < d; i++) {
    small[i] = values[i] <= fmax(lost_least, lost_floor * rms);
  }
  for (size_t i = 0; i < d * d; i++) {
    rows[i] = vectors[i];
  }
  for (size_t g = 0; g < design->group_count; g++) {
    interval_block_columns(law, &design->groups[g], law->rest[design->groups[g].first], rows);
  }
  for (size_t j = 0; j < d; j++) {
    double in_small = 0, all = 0;
    for (size_t i = 0; i < d; i++) {
      all += square(rows[j * d + i]);
      in_small += small[i] ? square(rows[j * d + i]) : 0;
    }
    law->lost[j] = in_small > lost_most * all;
  }
}

/* `c` is destroyed, and so is the room: d × d, and d. */
static void invert(interval_law *law, double *c, double *vectors, double *values, double *rows,
                   double *room) {
  const interval_design *design = law->design;
  const size_t d = law->d;
  const double left = mean_left(law);
  interval_eigen(d, c, values, vectors);
  set_lost(law, left, vectors, values, rows);
  clean(law, left, values, room);
  for (size_t j = 0; j < d; j++) {
    double length = 0;
    for (size_t i = 0; i < d; i++) {
      length += values[i] * square(vectors[j * d + i]);
      law->root[j * d + i] = vectors[j * d + i] / sqrt(values[i]);
    }
    law->length[j] = sqrt(length);
    for (size_t i = 0; i < d; i++) {
      rows[j * d + i] = law->length[j] * law->root[j * d + i];
    }
  }
  for (size_t g = 0; g < design->group_count; g++) {
    interval_block_columns(law, &design->groups[g], law->rest[design->groups[g].first], rows);
  }
  for (size_t j = 0; j < d; j++) {
    for (size_t l = 0; l < d; l++) {
      law->inverse[j * d + l] =
          vector_dot(rows + j * d, rows + l * d, d) / sqrt(law->scale[j] * law->scale[l]);
    }
  }
}

dperm_status interval_take_pairs(interval_law *law, interval_reader *r, dperm_error *err) {
  OWNED_MEMORY double *room = NULL;
  const size_t d = law->d;
  TRY(memory_new(4 * d * d + 2 * d, sizeof *room, &room, err));
  double *best = room, *far = room + d * d, *vectors = room + 2 * d * d, *rows = room + 3 * d * d,
         *rest = room + 4 * d * d;
  TRY(read_correlations(law, r, err));
  for (size_t i = 0; i < d * d; i++) {
    best[i] = law->pair[i];
  }
  for (size_t class = 0; class < CLASSES; class ++) {
    shrink(law, class, far, best);
  }
  invert(law, best, vectors, rest, rows, rest + d);
  return DPERM_OK;
}
