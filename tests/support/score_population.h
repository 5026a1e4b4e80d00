/* Populations of scores whose figures are known exactly, for evaluations of models: a grid of
 * scores, each with its share and the probability of the second class. */
#ifndef DPERM_TESTS_SCORE_POPULATION_H
#define DPERM_TESTS_SCORE_POPULATION_H

#include "random/random_source.h"

enum { GRID = 4001, KINDS = 4 };

/* Scores are normal in log-odds; the truth is calibrated but for slope and shift. */
typedef struct population_kind {
  const char *name;
  double centre, spread, truth_slope, truth_shift;
} population_kind;
extern const population_kind kinds[KINDS];

typedef struct population {
  double score[GRID], upto[GRID], second[GRID]; /* shares, summed up; P(second class) */
  double error, difference, auc, log_loss, recall, precision, baseline;
} population;
void population_make(const population_kind *kind, population *p);

/* The share of each class among all, of scores above `low` and at most `high`. */
void population_shares(const population *p, double low, double high, double out[2]);

/* A random record: its score, and whether it is of the second class. */
double population_draw(const population *p, random_source *source, bool *second);
double uniform(random_source *source);
/* The first place up to which there is a share of `u`, of some that are summed up. */
size_t place_of(const double *upto, size_t count, double u);

#endif
