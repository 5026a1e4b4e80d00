/* See interval_pairs.h. What is known of the correlations is in correlations.c. */
#include "intervals/interval_pairs.h"

#include <math.h>

#include "base/memory.h"
#include "intervals/correlations.h"
#include "intervals/interval_blocks.h"

/* Chosen by experiments/coverage, on made families and real records. */
static const double wide = 2;        /* deviations of a column are counted as 1, */
static const double narrowest = 0.5; /* of a bit or a value, which few records may have, this */
static const double room = 1.2;      /* times the mean of their squares, what a record may have, */
static const double quiet = 0.03;    /* or what leaves a correlation of two numbers so much noise */
static const double better = 0.5;    /* noise of a variance, to that of the stage before, */
static const double unsure = 0.15;   /* where that is more than this part of it */

static double square(double x) {
  return x * x;
}

/* ---- what a record adds */

/* Of a column's u². */
static double largest(const interval_law *law, const interval_group *g, size_t j) {
  const double low = g->kind == INTERVAL_NUMBER ? g->low : 0, mean = law->mean[j],
               far = g->kind == INTERVAL_BLOCK ? 1 : fmax(1 - mean, mean - low);
  return square(far / law->width[j]);
}

static double unit_of(double curve, double rows) {
  return ldexp(curve / rows, -2 * INTERVAL_ROOT_BITS);
}

/* Records are shortened, and correlations with them, as far as less noise is worth it. */
void interval_pairs_set(interval_law *law) {
  const interval_design *design = law->design;
  double squares = square(interval_constant), most = squares;
  for (size_t i = 0; i < design->group_count; i++) {
    const interval_group *g = &design->groups[i];
    double own = 0;
    for (size_t j = g->first; j < g->first + g->count; j++) {
      const double variance = law->variance[j] / law->h0, doubt = law->doubt[j] / law->h0;
      law->width[j] = g->kind == INTERVAL_NUMBER ? wide * sqrt(variance + doubt)
                                                 : fmax(wide * sqrt(variance), narrowest);
      squares += (g->kind == INTERVAL_BLOCK ? law->mean[j] : variance) / square(law->width[j]);
      own = fmax(own, largest(law, g, j));
    }
    most += own;
  }
  const gram_noise unit = {1 + law->d, UINT64_C(1) << 2 * INTERVAL_ROOT_BITS,
                           interval_rate(design, INTERVAL_PAIRS)};
  const double noise = unit_of(1, design->rows) * gram_noise_deviation(&unit, false),
               known = law->h0 / design->curve / square(wide);
  law->squares = fmin(fmax(room * squares, fmin(most, quiet * known / noise)), INTERVAL_SQUARES);
}

gram_noise interval_pairs_noise(const interval_law *law) {
  return (gram_noise){.size = 1 + law->d,
                      .most = (uint64_t)ceil(ldexp(law->squares, 2 * INTERVAL_ROOT_BITS)),
                      .epsilon = interval_rate(law->design, INTERVAL_PAIRS)};
}

/* ---- correlations, with their noise */

typedef struct pairs_reader {
  const int64_t *released;
  size_t size;
  double unit, noise, square_noise;
} pairs_reader;

static pairs_reader reader_of(const interval_law *law, const int64_t *released) {
  const gram_noise noise = interval_pairs_noise(law);
  const double unit = unit_of(law->design->curve, law->design->rows);
  return (pairs_reader){released, noise.size, unit, unit * gram_noise_deviation(&noise, false),
                        unit * gram_noise_deviation(&noise, true)};
}

/* The mean of a·u_j·u_l, of a constant with j = 0. */
static double mean_of(const pairs_reader *r, size_t j, size_t l) {
  return r->unit * (double)r->released[gram_place(r->size, j, l)];
}

/* A column's variance as pairs count it, by which they are divided: a bit's where it is well known.
 * A number's own is that too where the stage before hardly knew it. */
static double read_variance(interval_law *law, size_t j, double mean, const pairs_reader *r) {
  const bool bit = law->design->groups[law->design->group_of[j]].kind == INTERVAL_BIT;
  const double second = mean_of(r, 1 + j, 1 + j), scale = square(law->width[j]);
  const double doubt =
      sqrt(square(r->square_noise) + square(2 * mean / law->h0 * r->noise / interval_constant));
  const double variance = fmax(second - square(mean) / law->h0, doubt);
  if (bit) {
    return doubt < unsure * variance ? variance : law->variance[j] / scale;
  }
  if (doubt * scale < better * law->doubt[j] && law->doubt[j] > unsure * law->variance[j]) {
    law->variance[j] = variance * scale;
    law->doubt[j] = doubt * scale;
  }
  return variance;
}

/* Upper triangle: products less those of the means, with the variance of their noise, each column
 * divided by the root of `scale`. */
static void centre(interval_law *law, const pairs_reader *r, const double *mean,
                   const double *noise, const double *scale) {
  const size_t d = law->d;
  for (size_t j = 0; j < d; j++) {
    for (size_t l = j + 1; l < d; l++) {
      const size_t i = j * d + l;
      const double by = 1 / (scale[j] * scale[l]);
      law->pair[i] = (mean_of(r, 1 + j, 1 + l) - mean[j] * mean[l] / law->h0) * sqrt(by);
      law->pair_noise[i] = (square(r->noise) + square(noise[j] * mean[l] / law->h0) +
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

static dperm_status read_correlations(interval_law *law, const pairs_reader *r, dperm_error *err) {
  const interval_design *design = law->design;
  OWNED_MEMORY double *memory = NULL;
  const size_t d = law->d;
  TRY(memory_new(3 * d * d + 3 * d, sizeof *memory, &memory, err));
  double *half = memory, *value = half + d * d, *variance = value + d * d, *mean = variance + d * d,
         *noise = mean + d, *scale = noise + d;
  for (size_t j = 0; j < d; j++) {
    const bool block = design->groups[design->group_of[j]].kind == INTERVAL_BLOCK;
    mean[j] = block ? law->first[j] / law->width[j] : mean_of(r, 0, 1 + j) / interval_constant;
    noise[j] = block ? law->first_noise[j] / law->width[j] : r->noise / interval_constant;
    scale[j] = block ? law->first[j] / square(law->width[j]) : read_variance(law, j, mean[j], r);
    law->scale[j] = block ? law->first[j] : law->variance[j];
  }
  centre(law, r, mean, noise, scale);
  to_coordinates(law, law->pair, false, half, value);
  to_coordinates(law, law->pair_noise, true, half, variance);
  set_correlations(law, value, variance);
  return DPERM_OK;
}

dperm_status interval_take_pairs(interval_law *law, const int64_t *released, dperm_error *err) {
  OWNED(correlations_close) correlations known = {0};
  OWNED_MEMORY double *rows = NULL;
  const pairs_reader r = reader_of(law, released);
  TRY(read_correlations(law, &r, err));
  TRY(memory_new(law->d * law->d, sizeof *rows, &rows, err));
  TRY(correlations_open(law, &known, err));
  correlations_slopes(&known, law->scale, law->rest, rows, law->inverse);
  return DPERM_OK;
}
