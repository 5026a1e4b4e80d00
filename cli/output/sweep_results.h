/* A sweep as a table: a line for each cell of the grid, as asked for and as found; and what is made
 * of it beside CSV: pictures and a page. Lines of one loss stand together, and in them those of one
 * method. */
#pragma once

#include <dperm.h>
#include <dperm/sweep.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "output/message.h"

typedef struct sweep_line {
  /* As asked for; "" where there is nothing to say, as the epsilon of mechanism none. */
  const char *loss, *mechanism, *noise;
  number_text lambda_given, epsilon_given;
  bool automatic; /* Λ was left to dperm */
  double epsilon; /* NaN without noise */
  /* As found. */
  double lambda;               /* as used */
  double error_mean, error_se; /* NaN where there is none */
  size_t runs;                 /* 0 for a cell that is not possible */
  char *impossible;            /* why, then */
  size_t dims;                 /* encoded columns of its rows */
} sweep_line;

typedef struct sweep_table {
  sweep_line *lines;
  dperm_options *options; /* of each line */
  size_t count;
  double *epsilons, *lambdas; /* those given as numbers, ascending */
  size_t epsilon_count, lambda_count;
} sweep_table;

/* Which of the cells may go together: a NULL, a NaN or a negative number matches anything. */
typedef struct sweep_filter {
  const char *loss, *mechanism, *noise;
  double epsilon, lambda;
  int automatic; /* 0, 1, or −1 for both */
} sweep_filter;
extern const sweep_filter sweep_anything;

/* A dperm_sweep_visitor with a sweep_table as its context: what was found. */
void sweep_table_keep(void *table, const dperm_sweep_cell *cell);
void sweep_table_free(sweep_table *table);

bool sweep_is_private(const sweep_line *line);
bool sweep_matches(const sweep_line *line, const sweep_filter *filter);
/* The matching line with runs and the smallest mean error; NULL if there is none. */
const sweep_line *sweep_best(const sweep_table *table, const sweep_filter *filter);

/* Whether line i is the first with its loss; with its mechanism and noise. */
bool sweep_first_loss(const sweep_table *table, size_t i);
bool sweep_first_method(const sweep_table *table, size_t i);

/* "objective, mixed noise". */
const char *sweep_method_name(const sweep_line *line, char buffer[64]);

/* ---- sweep_picture.c: curves with standard errors, a panel for each loss */

typedef enum sweep_axis { AXIS_EPSILON, AXIS_LAMBDA } sweep_axis;

/* Draws to a file, .svg or .png, or where `path` is NULL an SVG into `out`. Against ε, a curve has
 * the best Λ at each ε, and one more the automatic Λ; against Λ, `epsilon` chooses the cells (NaN
 * for all). */
dperm_status sweep_picture_draw(const sweep_table *table, sweep_axis axis, double epsilon,
                                const char *path, FILE *out, dperm_error *err);

/* Against ε where several were asked for, else against Λ: a file, .svg or .png, written whole or
 * not at all. */
dperm_status sweep_picture_write(const sweep_table *table, const char *path, dperm_error *err);

/* ---- sweep_report.c: one page that opens anywhere, offline: what was asked, the figures, the
 * tables, and what the plans promised */

typedef struct sweep_story {
  const char *const *words;           /* that came after "dperm sweep", NULL at the end */
  const dperm_schema *schema;         /* as it was given; NULL for rows of norm 1 */
  const dperm_data *data, *test_data; /* the latter for testing alone; NULL: by folds */
  size_t folds, draws;
  uint64_t seed;
} sweep_story;

/* Written whole or not at all. */
dperm_status sweep_report_write(const sweep_table *table, const sweep_story *story,
                                const char *path, dperm_error *err);
