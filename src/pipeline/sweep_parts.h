/* The pieces of a sweep: which rows are held out when, which fits there are, and the fits of some
 * cells in one fold. */
#ifndef DPERM_PIPELINE_SWEEP_PARTS_H
#define DPERM_PIPELINE_SWEEP_PARTS_H

#include <sodium.h>

#include "pipeline/fit.h"

/* A cell of the grid as it is run: its options for one row of a person, and its plan. Folds differ
 * by one row at most, so there are two plans. */
typedef struct sweep_cell {
  dperm_options options;
  fit_plan plan[2];
  double *class_weights; /* of each class, the largest 1; NULL where all count alike */
  char *impossible;      /* why there is none; NULL if there is */
  size_t models;         /* in each fold */
} sweep_cell;

/* Rows that fits see and rows that judge them: in place, or copies where rows are spread over
 * processes, since every process must have whole stripes of a fold's rows. */
typedef struct sweep_fold {
  size_t number;
  size_t variant; /* which of the two plans */
  const matrix *train, *test;
  const double *train_labels, *test_labels;
  matrix *own_train, *own_test; /* what the fold made of them, or NULL */
  double *own_train_labels, *own_test_labels;
} sweep_fold;

/* The rows as models see them, encoded or as random features. */
typedef struct sweep_rows {
  const matrix *x;
  const double *labels;
  matrix *made, *kept; /* features over the data, and those kept in memory; or NULL. Of spread
                          rows that are cut into folds each fold keeps its own. */
} sweep_rows;

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

dperm_status fold_open(const sweep_split *split, const sweep_rows *rows, const sweep_rows *test,
                       size_t number, sweep_fold *out, dperm_error *err);
void fold_close(sweep_fold *fold);

/* Done with one cell in one fold: wrong predictions of each of its models in each part, in the
 * order of draws. */
typedef dperm_status sweep_done(void *context, size_t cell, const uint64_t *errors,
                                dperm_error *err);

typedef struct sweep_work {
  const sweep_fold *fold;
  size_t classes;          /* more than two take a fit each */
  double norm;             /* ‖x‖₂ of every row */
  const sweep_cell *cells; /* all of them; */
  const size_t *chosen;    /* those to do now, of one loss and one regularizer */
  size_t count;
  uint64_t seed;
  size_t parts; /* of the fold's test rows, equal ones in their order, counted by themselves */
  const dperm_progress *progress; /* asked whether to go on */
  sweep_done *done;
  void *context;
} sweep_work;

/* Takes a cell, or a text with its end, into the digest that a journal is known by. */
void sweep_digest_cell(crypto_generichash_state *state, const sweep_cell *cell, size_t classes);
void sweep_digest_text(crypto_generichash_state *state, const char *text);

/* Fits and judges the chosen cells. */
dperm_status sweep_fit(const sweep_work *work, dperm_error *err);

#endif
