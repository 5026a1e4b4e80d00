/* dperm: sweeps, experiments on public data. */
#ifndef DPERM_SWEEP_H
#define DPERM_SWEEP_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For public data: how often models of many settings err, or of a numeric label how far, on rows
 * that they have not seen, over the folds of a cross-validation and repeated draws of the noise.
 * Every model is planned, perturbed, solved, certified and released as dperm_train would; those
 * that share rows are solved together.
 */
typedef struct dperm_sweep_options {
  size_t size;   /* set by dperm_sweep_options_init */
  size_t folds;  /* parts of the rows, each held out once; ≥ 2. Not with test_data */
  size_t draws;  /* of the noise in each fold, where there is any */
  uint64_t seed; /* of the folds, the noise and a kernel's directions */
  const dperm_data *test_data; /* NULL for folds; else fits see all rows, and errors are on these */
  size_t test_parts; /* count errors in so many equal parts of them; 0 or 1 for all at once */
  /* A file for what is done, or NULL: the same call finds it there after an interruption and goes
   * on. It stays when the sweep is done; whoever has kept the results removes it. */
  const char *journal;
  int threads;             /* 0: DPERM_THREADS, or one a processor (dperm.h) */
  bool all_impossible;     /* where no cell is possible, all are visited nevertheless, and that is
                              no failure */
  dperm_progress progress; /* counts models */
} dperm_sweep_options;

typedef struct dperm_sweep_cell {
  size_t index;           /* of its options */
  const char *impossible; /* why there is no such fit, and then no runs; NULL if there is */
  size_t runs;            /* models */
  double error_mean;      /* share of wrong predictions; NaN without runs */
  double error_se; /* its standard error, from the spread between folds, or between draws with
                      test_data; NaN for less than two of them */
  double lambda;   /* Λ and the kind of noise as they were used, in the first fold; NULL */
  const char
      *noise;  /* without noise. Runs that ask the records differ in these: then Λ as given, */
  size_t dims; /* NULL, and 0 for the encoded columns of the rows, or features */
  const uint64_t *errors; /* wrong predictions of each run, fold by fold, in each of the test_parts;
                             NULL without runs */
  double baseline; /* error of always naming the most frequent class of the rows that judge: the
                      same for all cells. One that is no better has learned nothing */
  /* The area under the ROC curve of two classes, and log loss: NaN where there is none, and for
   * rows in several processes. Always saying how frequent each class is has a log loss of the last.
   */
  double auc_mean, auc_se, log_loss_mean, log_loss_se, baseline_log_loss;
  /* Of a numeric label these alone, in its unit, and all of the above is NaN, `errors` zeros: root
   * of the mean square and mean absolute error, and those of always saying the mean, or the median.
   */
  double rmse_mean, rmse_se, mae_mean, mae_se, baseline_rmse, baseline_mae;
} dperm_sweep_cell;
typedef void dperm_sweep_visitor(void *context, const dperm_sweep_cell *cell);

/* Ten folds, ten draws, seed 1. */
DPERM_OPTIONS_INIT(dperm_sweep_options, DPERM_OPTIONS_SWEEP)
/* Like dperm_train, runs ask the records how to use their numbers, unless a cell's options say not
 * (bins); each is then trained by itself. `visit` gets every cell in the order of its options, when
 * all are done; what it gets is valid during the call only. Of the processes of a job, rank 0 alone
 * has its visitor called. Of the options, kernels must be the same in all cells; random, account,
 * threads, progress and diagnostics are not used. */
DPERM_API DPERM_CHECKED dperm_status dperm_sweep(const dperm_data *data, const dperm_options *cells,
                                                 size_t count, const dperm_sweep_options *how,
                                                 dperm_sweep_visitor *visit, void *context,
                                                 dperm_error *err);

#ifdef __cplusplus
}
#endif
#endif
