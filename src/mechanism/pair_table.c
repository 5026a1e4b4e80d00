/* See pair_table.h; lemmas are those of docs/proofs/pairs.md. */
#include "mechanism/pair_table.h"

#include <math.h>
#include <stdlib.h>

#include "base/defect.h"
#include "mechanism/selection.h"

/* ---- what records say */

/* Held within its bound whatever the rounding before it did: the noise is made for that (P1). */
static int32_t rounded(double value, int32_t most) {
  const double size = most * fmin(fmax(value, 0), 1); /* of a NaN 0, as fmax takes the other */
  return (int32_t)rint(size);
}

void pair_residuals(const dperm_loss *loss, size_t rows, const double *scores, const double *labels,
                    const double *row_weights, double *room, int32_t *slopes, int32_t *curvatures) {
  double *margins = room, *first = margins + rows, *second = first + rows;
  for (size_t i = 0; i < rows; i++) {
    margins[i] = labels[i] * scores[i];
  }
  loss->eval(loss, rows, margins, NULL, first, second);
  for (size_t i = 0; i < rows; i++) {
    const double counts = row_weights ? row_weights[i] : 1;
    const int32_t slope = rounded(-first[i] * counts / loss->lipschitz, PAIR_SLOPE);
    slopes[i] = labels[i] > 0 ? slope : -slope;
    curvatures[i] = rounded(second[i] * counts / loss->smoothness, PAIR_CURVATURE);
  }
}

/* ---- the choice */

double pair_choice_share(double epsilon) {
  return epsilon / 3;
}

/* A record that is replaced leaves one cell and comes to another (P1). */
static uint64_t cells_moved(dperm_neighbours neighbours) {
  return neighbours == DPERM_NEIGHBOURS_ADD_REMOVE ? 1 : 2;
}

size_t pair_choose(random_source *source, const int64_t *sums, size_t pairs,
                   dperm_neighbours neighbours, double epsilon, uint64_t *costs, size_t *order) {
  const uint64_t moved = DEFECT("pair-half") ? 1 : cells_moved(neighbours);
  uint64_t most = 0;
  for (size_t p = 0; p < pairs; p++) {
    costs[p] = 0;
    for (size_t c = 0; c < PAIR_CELLS; c++) {
      costs[p] += (uint64_t)llabs(sums[p * PAIR_CELLS + c]);
    }
    most = costs[p] > most ? costs[p] : most;
  }
  for (size_t p = 0; p < pairs; p++) { /* only their differences matter to the choice */
    costs[p] = most - costs[p];
  }
  return select_permute_and_flip(source, costs, pairs, ratio_below(epsilon), moved * PAIR_SLOPE,
                                 order);
}

/* ---- the table */

/* In units of PAIR_SLOPE, for both kinds of sums. */
static double noise_scale(dperm_neighbours neighbours, double epsilon) {
  return (double)(cells_moved(neighbours) * (PAIR_SLOPE + PAIR_CURVATURE)) / PAIR_SLOPE / epsilon;
}

/* What has its noise may be held within any limits. */
static int64_t held(wide_signed noisy) {
  const wide_signed most = INT64_MAX;
  return (int64_t)(noisy > most ? most : noisy < -most ? -most : noisy);
}

void pair_blur(random_source *source, cell_sums *sums, dperm_neighbours neighbours,
               double epsilon) {
  const ratio rate = ratio_below(epsilon);
  const uint64_t reach = cells_moved(neighbours) * (PAIR_SLOPE + PAIR_CURVATURE);
  for (size_t c = 0; c < PAIR_CELLS; c++) {
    const wide_signed slope =
        random_discrete_laplace_wide(source, rate.over, (wide_integer)rate.under * reach);
    const wide_signed curve =
        random_discrete_laplace_wide(source, rate.over, (wide_integer)rate.under * reach);
    sums->slope[c] = held(sums->slope[c] + (DEFECT("pair-bare") ? 0 : slope));
    sums->curvature[c] = held(sums->curvature[c] + curve);
  }
}

/* Whether noise alone would make sums so long, in units of its scale, once in 23 tables:
 * squares have the mean 2 then, and the deviation √20. */
static bool says_something(const double *sizes, size_t cells) {
  double squares = 0;
  for (size_t i = 0; i < cells; i++) {
    squares += sizes[i] * sizes[i];
  }
  return squares > 2 * (double)cells + 2 * sqrt(20 * (double)cells);
}

/* Newton's step, with a curvature that noise cannot make small; as far as it is not noise. */
static double cell_step(double slope, double curvature, double scale, double c) {
  const double most = fmin(2, fmax(1, 1 / (2 * c))), noise = scale / slope,
               part = fmax(0, 1 - 4 * noise * noise),
               step = part * slope / (c * fmax(0, curvature) + 2 * c * scale + c);
  const double within = isfinite(step) ? fmin(fmax(step, -most), most) : 0;
  return (double)(int)rint(1024 * within) / 1024; /* no zero with a sign */
}

void pair_offsets(const cell_sums *noisy, const size_t parts[2], const dperm_loss *loss,
                  dperm_neighbours neighbours, double epsilon, double offsets[PAIR_CELLS]) {
  const double scale = noise_scale(neighbours, epsilon), c = loss->smoothness / loss->lipschitz;
  double sizes[PAIR_CELLS];
  size_t cells = 0;
  for (size_t i = 0; i < PAIR_CELLS; i++) {
    offsets[i] = 0;
    if (i / PAIR_PARTS < parts[0] && i % PAIR_PARTS < parts[1]) {
      const double slope = (double)noisy->slope[i] / PAIR_SLOPE;
      sizes[cells++] = slope / scale;
      offsets[i] = cell_step(slope, (double)noisy->curvature[i] / PAIR_CURVATURE, scale, c);
    }
  }
  for (size_t i = 0; i < PAIR_CELLS && !says_something(sizes, cells); i++) {
    offsets[i] = 0;
  }
}
