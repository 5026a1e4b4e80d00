/* One number that scores are multiplied with before they become probabilities, chosen in private
 * (docs/proofs/calibration.md). The noise of a private fit is held down by so strong a regularizer
 * that its scores are right in order and too small in size.
 *
 * Of the inverse temperatures b on a public grid one is chosen at which the scores of the records'
 * own classes are on average what the probabilities softmax(b·z) expect of them, in units of the
 * range of a record's scores: there the log loss, so weighted, is least. */
#pragma once

#include "privacy/guarantee.h"
#include "random/discrete_sampling.h"

/* b_j = 2^((TEMPERATURE_FIRST + j)/4), from 1/4 to 64. */
enum { TEMPERATURES = 33, TEMPERATURE_FIRST = -8, TEMPERATURE_LAST = 24 };
/* The same bits on all machines. */
double temperature_at(size_t j);

/* What a record adds to a sum: whole numbers, at most this far from zero. */
enum { TEMPERATURE_UNIT = 1024 };

/* Rows that are looked at together, at most, and doubles of space that they need. */
enum { TEMPERATURE_ROWS = 64 };
size_t temperature_room(size_t classes);

/* Adds at most TEMPERATURE_ROWS records to the sums of all b_j: each its own scores (k of them, or
 * one of two classes), its label as data sets have it, and its weight from 0 to 1 (NULL: all are
 * 1). What a record adds depends on nothing else. */
void temperature_add(size_t classes, size_t rows, const double *scores, const double *labels,
                     const double *row_weights, double *room, int64_t sums[TEMPERATURES]);

/* What b_j costs beside that, from public numbers: so much that where the records say nothing b is
 * near 1, and accepted with probability e^(−½) less for each step of the grid from there. */
uint64_t temperature_handicap(size_t j, dperm_neighbours neighbours, double epsilon);

/* The j of one b by permute-and-flip; costs are the sums' distances from zero and the handicaps.
 * Private at epsilon (1e-12 or more) for one record, of these neighbours. */
size_t temperature_choose(random_source *source, const int64_t sums[TEMPERATURES],
                          dperm_neighbours neighbours, double epsilon);
