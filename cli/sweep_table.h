/* What a sweep found, one line a cell, as its CSV, pictures and report have it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct sweep_line {
  char loss[32];               /* with h where several were asked for */
  const char *mechanism;       /* "none", "output", "objective" */
  const char *noise;           /* its kind; "" without noise */
  bool automatic;              /* Λ was left to dperm */
  double lambda;               /* as used */
  double epsilon;              /* NaN without noise */
  double error_mean, error_se; /* NaN where there is none */
  size_t runs;                 /* 0 for a cell that is not possible */
} sweep_line;

typedef struct sweep_table {
  sweep_line *lines;
  size_t count;
} sweep_table;

/* Which of the cells may go together: a NULL, a NaN or a negative number matches anything. */
typedef struct sweep_filter {
  const char *loss, *mechanism, *noise;
  double epsilon, lambda;
  int automatic; /* 0, 1, or −1 for both */
} sweep_filter;
extern const sweep_filter sweep_anything;

bool sweep_matches(const sweep_line *line, const sweep_filter *filter);

/* The matching line with runs and the smallest mean error; NULL if there is none. */
const sweep_line *sweep_best(const sweep_table *table, const sweep_filter *filter);

/* Whether line i is the first with its loss; with its mechanism and noise. */
bool sweep_first_loss(const sweep_table *table, size_t i);
bool sweep_first_method(const sweep_table *table, size_t i);

/* The different values of ε, or of Λ that were given as numbers, in ascending order, in an array
 * that the caller frees; NULL without memory. */
double *sweep_epsilons(const sweep_table *table, size_t *count);
double *sweep_lambdas(const sweep_table *table, size_t *count);

/* "objective, mixed noise". */
const char *sweep_method_name(const sweep_line *line, char buffer[64]);
