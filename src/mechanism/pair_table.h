/* What two columns say together and not one by one, in private, after a fit (docs/proofs/pairs.md).
 *
 * A record's residual is the slope of its loss at the released weights, towards its own class. Over
 * the cells of two columns' parts the residuals of a good fit add up to little, unless the two say
 * something together. One pair is chosen by the sum over its cells of these sums' sizes; then the
 * sums of residuals and curvatures in its cells are released with noise, and a step of Newton's in
 * each cell, shortened by what noise may have made of it, is what the cell adds to a score. */
#pragma once

#include "loss/loss.h"
#include "privacy/guarantee.h"
#include "random/discrete_sampling.h"

/* Parts of a column, cells of a pair, at most. */
enum { PAIR_PARTS = 5, PAIR_CELLS = PAIR_PARTS * PAIR_PARTS };

/* What a record adds to a cell's sums: whole numbers, at most this far from zero. Part i of the
 * first column and j of the second are cell i·PAIR_PARTS + j. */
enum { PAIR_SLOPE = 1024, PAIR_CURVATURE = 256 };
typedef struct cell_sums {
  int64_t slope[PAIR_CELLS], curvature[PAIR_CELLS];
} cell_sums;

/* Of records with these labels, −1 or +1, and scores; of a loss and what each row counts (NULL: 1),
 * from 0 to 1. `room` has 3 doubles for each. What a record adds depends on nothing else. */
void pair_residuals(const dperm_loss *loss, size_t rows, const double *scores, const double *labels,
                    const double *row_weights, double *room, int32_t *slopes, int32_t *curvatures);

/* What the choice has of both steps' epsilon; the table has the rest (epsilon_rest). */
double pair_choice_share(double epsilon);

/* One of the pairs, whose sums of slopes stand one after the other, PAIR_CELLS each: by
 * permute-and-flip, private at epsilon for one record of these neighbours. `costs` and `order` have
 * a place for each pair. */
size_t pair_choose(random_source *source, const int64_t *sums, size_t pairs,
                   dperm_neighbours neighbours, double epsilon, uint64_t *costs, size_t *order);
/* Discrete Laplace noise on the sums of one pair's cells: private at epsilon. */
void pair_blur(random_source *source, cell_sums *sums, dperm_neighbours neighbours, double epsilon);

/* What each cell adds to scores, of so many parts of the two columns: multiples of 2^−10, at most
 * 2, from noisy sums alone. */
void pair_offsets(const cell_sums *noisy, const size_t parts[2], const dperm_loss *loss,
                  dperm_neighbours neighbours, double epsilon, double offsets[PAIR_CELLS]);
