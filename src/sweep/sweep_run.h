/* A sweep and its pieces: which rows are held out when and the fits of a cell in one fold
 * (sweep_folds.c, sweep_asked.c), the counts of errors and their journal (sweep_results.c). */
#pragma once

#include "dperm/sweep.h"
#include "run/fit.h"

enum { SWEEP_DIGEST_SIZE = 16 };

/* ---- cells and rows */

/* A cell of the grid as it is run: its options, which rows its fits see, and its plan. Folds differ
 * by one row at most, so there are two plans. */
typedef struct sweep_cell {
  dperm_options options;
  bool asked;   /* each draw asks the records, and makes rows of its own (sweep_asked.c); else */
  size_t group; /* of cells that see the same rows */
  fit_plan plan[2];
  double *class_weights; /* of each class, the largest 1; NULL where all count alike */
  char *impossible;      /* why there is none; NULL if there is */
  size_t models;         /* in each fold */
} sweep_cell;

/* Rows as models see them, encoded or as random features: those of a data set, of a fold, or those
 * that it holds out. The last three are what had to be made for them, or NULL. */
typedef struct sweep_rows {
  const matrix *x;
  const double *labels;
  matrix *made, *kept; /* features or a selection of rows; features that are kept in memory */
  double *own_labels;
} sweep_rows;

void sweep_rows_free(sweep_rows *rows);

/* Cells whose columns have the same bins: what follows from the rows and epsilon of a fit. */
typedef struct sweep_group {
  dperm_data data, test_data; /* views of the sweep's, or those themselves */
  feature_map *map;           /* or NULL */
  bool used;                  /* by a cell that does not ask: then there are */
  sweep_rows rows, test;
} sweep_group;

/* How rows fall into folds: part[i] is the one that holds row i out. */
typedef struct sweep_split {
  size_t folds;
  uint32_t *part; /* NULL with rows to test on, and one fold */
} sweep_split;

dperm_status split_draw(size_t rows, size_t folds, uint64_t seed, sweep_split *out,
                        dperm_error *err);
/* Rows that a fit of fold `variant` (0: the first folds, which hold out one row more) sees. */
size_t split_train_rows(const sweep_split *split, size_t rows, size_t variant);
size_t split_variant(const sweep_split *split, size_t rows, size_t fold);
/* The rows that a fold holds out, or all the others, into an array that the caller frees. */
dperm_status split_side(const sweep_split *split, size_t rows, size_t fold, bool held_out,
                        size_t **index, size_t *count, dperm_error *err);

/* Rows that fits see and rows that judge them: in place, or copies where rows are spread over
 * processes, since every process must have whole stripes of a fold's rows. */
typedef struct sweep_fold {
  size_t number;
  size_t variant; /* which of the two plans */
  sweep_rows train, test;
} sweep_fold;

/* The caller closes the fold, also after a failure. `test` is NULL where folds judge. */
dperm_status fold_open(const sweep_split *split, const sweep_rows *rows, const sweep_rows *test,
                       size_t number, sweep_fold *out, dperm_error *err);
void fold_close(sweep_fold *fold);

/* What a model is worth beside its errors, on the rows that judge; NaN for none or spread rows. Of
 * numbers the second of each. */
typedef struct sweep_judged {
  double auc_or_rmse, log_loss_or_mae;
} sweep_judged;

typedef struct sweep {
  const dperm_data *data;
  const dperm_sweep_options *how;
  size_t count;
  sweep_cell *cells;
  sweep_split split;
  sweep_group *groups;
  size_t group_count;
  /* What is done, on disk, so that an interrupted sweep goes on where it stopped: the leader's
   * file, or -1; the digest that it is known by; space for a part of it. */
  int journal;
  unsigned char digest[SWEEP_DIGEST_SIZE];
  uint64_t *record;
  uint64_t *errors;     /* of each cell, fold, model and part */
  sweep_judged *judged; /* of each cell, fold and model */
  size_t parts; /* of the rows to test on, equal ones in their order, counted by themselves; 1 with
                   folds */
  bool *done;   /* of each cell and fold */
  double baseline;               /* error of the most frequent class of the rows that judge, */
  double baseline_log_loss;      /* and log loss of their frequencies; of numbers, */
  sweep_judged baseline_numbers; /* of always saying the mean, the median */
  uint64_t models, models_done;
  scratch work;            /* for cells and counts */
  dperm_progress progress; /* the caller's, with the models done */
} sweep;

/* Space for the counts, and with a journal what an earlier run has left in it. Another sweep's
 * journal and one that another process writes to are refused. */
dperm_status results_open(sweep *s, dperm_error *err);
bool results_done(const sweep *s, size_t cell, size_t fold);
/* One cell in one fold is done: wrong predictions of each of its models in each part, in the order
 * of draws, and the rest. */
dperm_status results_add(sweep *s, size_t cell, size_t fold, const uint64_t *errors,
                         const sweep_judged *judged, dperm_error *err);
/* All cells in order, once all are done. */
dperm_status results_visit(const sweep *s, dperm_sweep_visitor *visit, void *context,
                           dperm_error *err);

/* Of scores, class_fits each, of a row. `log_loss` as in metrics_of. */
dperm_status sweep_judge(const matrix *x, size_t classes, const double *scores,
                         const double *labels, const dperm_loss *log_loss, double by,
                         sweep_judged *out, dperm_error *err);

/* Of values as link_number has them. */
void sweep_judge_numbers(const sweep *s, const double *values, const double *labels, size_t rows,
                         sweep_judged *out);

/* Fits and judges one cell in one fold; one that asks. */
dperm_status sweep_fit(sweep *s, const sweep_fold *fold, size_t number, dperm_error *err);
dperm_status sweep_fit_asked(sweep *s, size_t fold, size_t number, dperm_error *err);
