/* A figure from counts with noise, and its interval (docs/proofs/evaluation.md 3): the figure is
 * where over - theta*under is expected to be 0, and the interval has all theta for which the square
 * of that is at most z^2 times its variance. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { COUNTS_OF_FIGURE = 2048 };

/* What one count adds to both sums: over*count and under*count. */
typedef struct figure_term {
  double over, under, count;
} figure_term;

typedef struct estimate {
  figure_term terms[COUNTS_OF_FIGURE];
  size_t count;
  double over, under;      /* the sums, */
  bool known;              /* the second without noise */
  bool share;              /* of some records among others */
  double paired;           /* of an area: cells of each class; else 0 */
  double variance;         /* of the noise of a count */
  double least, most;      /* that it can be */
  double value, low, high; /* the result; NaN where there is none */
} estimate;

/* Where over/under is, or NaN, and what holds it: all that seems possible. */
typedef bool possible_at(const void *context, double theta);
typedef struct held_figure {
  double value, low, high;
} held_figure;
held_figure figure_held(possible_at *possible, const void *context, double over, double under,
                        double least, double most);

/* One more count, of which so much is counted. */
void estimate_take(estimate *e, double over, double count);
/* From all else to the result. */
void estimate_solve(estimate *e);
