/* Figures of a table of noisy counts, with their intervals. Post-processing: sees public and
 * released numbers only (docs/proofs/evaluation.md 3). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is estimated, and what holds its value for the population of which the records are an
 * independent sample in 95 of 100 evaluations. NaN where there is none. */
typedef struct figure {
  double value, low, high;
} figure;

/* T at some θ, which is expected to be 0 for the true one; its variance, and the fourth cumulant of
 * what noise adds to it. */
typedef struct statistic {
  double t, variance, fourth;
} statistic;
typedef statistic statistic_at(const void *context, double theta);
/* Of θ = over/under, which lies from `least` to `most`. */
figure figure_at(statistic_at *at, const void *context, double over, double under, double least,
                 double most);

/* Counts of records by class and cell. */
typedef struct count_table {
  size_t classes, cells;
  int64_t *counts;         /* class by class */
  double variance, fourth; /* second and fourth cumulant of the noise of a count; 0 without */
  size_t rows;             /* of all of it, where that is public; else 0 */
} count_table;

/* Σ over classes and cells of over·count, divided by Σ under·count. */
typedef struct count_ratio {
  const count_table *of;
  const double *over;
  const double *under; /* NULL: all records */
  bool rate;           /* `over` are some of the records of `under`: weights 0 and 1 */
  double least, most;  /* that it can be */
} count_ratio;
figure ratio_figure(const count_ratio *r);

/* P(score of the second class > score of the first) + P(same cell)/2. */
figure auc_figure(const count_table *t);

/* The same with other numbers in the middle: what is exact moves an interval that is not. */
figure figure_moved(figure f, double value);
