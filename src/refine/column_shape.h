/* Whether some numeric column tells more than a straight line can (docs/proofs/bins.md, Lemma B).
 *
 * The score of a column is how far its label sums, over public cells, are from the nearest curve
 * that rises or falls once: S = min over curves t of Σ_c (|s_c − t_c n_c| − 0.8√n_c), with n_c
 * records in cell c and s_c positive ones more than negative ones. What a line among others leaves
 * of a label's odds is near such a curve, however loose the declared range is; the root is what
 * chance alone adds. The largest score of all columns moves no more than each of them does: one
 * record moves it by little, however many columns there are. All is counted in integers. */
#pragma once

#include "random/random_source.h"
#include "refine/refine_counts.h"

/* Exact, and never to leave; and what one record changes it by, at most. In units of 1/256. */
typedef struct exact_sum {
  int64_t value, reach;
} exact_sum;

/* The score of a column from its cells' counts, by side, and the places of their middles, rising
 * from −1 to 1; exact if above `above`, else something below. `room`: 3 doubles for each cell. */
int64_t shape_score(const uint64_t *negative, const uint64_t *positive, const double *middles,
                    size_t cells, int64_t above, double *room);
/* The same over curves that are flat in each of some bins, whose cuts are places like those. */
int64_t flat_score(const uint64_t *negative, const uint64_t *positive, const double *middles,
                   size_t cells, const double *cuts, size_t bins, double *room);
/* What bins that follow from declared ranges alone, those of the schema `bins`, leave untold: the
 * scores over curves that are flat in each bin, three times the mean of the three largest; and what
 * all cells tell: the largest score over flat curves. One record moves the first by three times
 * what it moves a score, and the second by once. */
typedef struct range_score {
  const dperm_schema *bins;
  int64_t lost, told;
} range_score;
/* The largest of the scores of these counts' numeric columns: of `tally`, of data encoded under the
 * schema of cells. With `scores`, which may be NULL, all of them, but that none is below 0; with
 * `ranges`, which may be NULL, what their bins lose. */
dperm_status shape_statistic(const refine_counts *counts, const dperm_schema *wide,
                             const record_tally *tally, dperm_neighbours neighbours,
                             int64_t *scores, range_score *ranges, exact_sum *out,
                             dperm_error *err);

/* What a score must be above, for so many records. */
double shape_bar(int64_t reach, size_t rows, double epsilon);
/* What leaves: whether the largest score, with discrete Laplace noise, is more than chance, noise
 * and grid explain for so many records. The source is to be checked before the answer is used. */
bool shape_found(const exact_sum *shape, size_t rows, double epsilon, random_source *source);

/* Where a shape was found: whether bins of declared ranges tell nearly all of it, with discrete
 * Laplace noise, so that nothing needs to be counted. */
bool ranges_found(const range_score *ranges, int64_t reach, size_t rows, double epsilon,
                  random_source *source);

/* Where one of several columns has a shape. `scores` are those of shape_statistic.
 *
 * Whether a second one has: the same question for the second largest score, at `epsilon`. */
bool shape_many(const int64_t *scores, size_t columns, int64_t reach, size_t rows, double epsilon,
                random_source *source);
/* Which ones: at most `most`, one after the other, each at `epsilon` by permute-and-flip among
 * those that are left and, from the second on, none, whose score is the bar. picked[j], all false
 * at first, becomes true for those chosen. */
dperm_status shape_pick(const int64_t *scores, size_t columns, int64_t reach, size_t rows,
                        size_t most, double epsilon, random_source *source, bool *picked,
                        dperm_error *err);
