/* The cells of a score: intervals of steps of 1/64 from -8 to 8 (of the log-odds, or a margin),
 * which are public, joined where noisy counts of them say that few records are. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
  STEPS_EACH = 64,
  STEPS_REACH = 8,
  SCORE_UNITS = 2 * STEPS_REACH,
  SCORE_STEPS = SCORE_UNITS * STEPS_EACH
};

/* Which step a score is in, from above its lower end; what is beyond counts with the last. */
size_t step_of_score(double score);
/* The upper end of a step. */
double step_end(size_t step);

/* Noisy counts of both classes, and what is public of them. */
typedef struct step_counts {
  const int64_t *units, *steps;     /* in each unit of STEPS_EACH steps, and each step */
  double unit_deviation, deviation; /* of the noise of one of each */
  double precision; /* records times epsilon: how many cells the counts to come can bear */
} step_counts;

/* The ends of cells but for the last, ascending, into ends[SCORE_STEPS]; returns the number of
 * cells. 0 is always one of them. A pure function of its argument. */
size_t cells_choose(const step_counts *given, double *ends);
