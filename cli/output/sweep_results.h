/* A sweep as a table: a line for each cell of the grid, as asked for and as found, and a picture
 * and a page of it. Lines of one loss stand together, and in them those of one method. */
#pragma once

#include <dperm.h>
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
  double lambda; /* as used; NaN where each run has its own */
  struct sweep_figure {
    double mean, se; /* NaN where there is none */
    double baseline; /* of always saying the same of every record */
  } figures[5];      /* by sweep_metric; of classes the first three */
  size_t runs;       /* 0 for a cell that is not possible */
  char *impossible;  /* why, then */
} sweep_line;

/* What cells are compared by. */
typedef enum sweep_metric {
  METRIC_ERROR,
  METRIC_AUC,
  METRIC_LOG_LOSS,
  METRIC_RMSE,
  METRIC_MAE
} sweep_metric;

typedef struct sweep_table {
  sweep_line *lines;
  dperm_options *options; /* of each line */
  size_t count;
  sweep_metric metric;
  bool numbers; /* the label is one */
} sweep_table;

/* The one that the table is about: words for it, a line's, and a number that is smaller where that
 * is better. */
const char *sweep_metric_words(const sweep_table *table);
const struct sweep_figure *sweep_figure_of(const sweep_table *table, const sweep_line *line);
double sweep_cost(const sweep_table *table, double mean);
/* Whether always saying the same would be as good. */
bool sweep_useless(const sweep_table *table, const sweep_line *line);

bool sweep_is_private(const sweep_line *line);
/* Whether they have the same loss, mechanism and noise. */
bool sweep_same_method(const sweep_line *a, const sweep_line *b);
/* "objective, mixed noise". */
const char *sweep_method_name(const sweep_line *line, char buffer[64]);

/* sweep_picture.c: curves with standard errors, a panel for each loss, as SVG for free(). Several ε
 * are the axis, with a curve of the best Λ at each and one of the automatic; else Λ is. */
dperm_status sweep_picture_draw(const sweep_table *table, char **svg, dperm_error *err);

/* sweep_forms.c: the cells for programs. */
void sweep_print_csv(const sweep_table *table, FILE *out);
void sweep_print_json(const sweep_table *table, FILE *out);

/* ---- sweep_report.c: one page that opens offline: what was asked, the picture and the cells */

typedef struct sweep_story {
  const char *const *words;           /* that came after "dperm sweep", NULL at the end */
  const dperm_data *data, *test_data; /* the latter for testing alone; NULL: by folds */
  size_t folds, draws;
  uint64_t seed;
} sweep_story;

/* Written whole or not at all. */
dperm_status sweep_report_write(const sweep_table *table, const sweep_story *story, const char *svg,
                                const char *path, dperm_error *err);
