/* See interval_pairs.h. What is known of the correlations is in correlations.c. */
#include "intervals/interval_pairs.h"

#include <math.h>

#include "base/memory.h"
#include "intervals/correlations.h"
#include "intervals/interval_blocks.h"

/* Chosen by experiments/coverage, on made families: noise of a variance, to that of the stage
 * before.
 */
static const double better = 0.5;

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

dperm_status interval_take_pairs(interval_law *law, interval_reader *r, dperm_error *err) {
  OWNED(correlations_close) correlations known = {0};
  OWNED_MEMORY double *rows = NULL;
  TRY(read_correlations(law, r, err));
  TRY(memory_new(law->d * law->d, sizeof *rows, &rows, err));
  TRY(correlations_open(law, &known, err));
  correlations_slopes(&known, law->scale, law->rest, rows, law->inverse);
  return DPERM_OK;
}
