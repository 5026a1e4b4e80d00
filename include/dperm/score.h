/* dperm: scores of a model: exact for public data, with noise and a charge for private data. */
#ifndef DPERM_SCORE_H
#define DPERM_SCORE_H

#include "dperm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Exact counts of records, whosever they are, so a release of them is not private: for data that
 * are public. */
typedef struct dperm_metrics {
  size_t rows, errors;
  size_t classes;
  size_t false_positives, false_negatives; /* of two classes; else 0 */
  double error_rate;
  double auc;            /* area under the ROC curve, ties count half; NaN but for two classes */
  double log_loss;       /* mean −log p(label) in nats; NaN unless the loss is logistic */
  size_t baseline_class; /* the most frequent one of these rows, the first of several; always naming
                            it */
  double baseline;       /* is wrong for this share of them: a model that is no better says nothing.
                            NaN for rows in several processes */
} dperm_metrics;
DPERM_API DPERM_CHECKED dperm_status dperm_model_score_sized(const dperm_model *model,
                                                             const dperm_data *data,
                                                             dperm_metrics *out, size_t size,
                                                             dperm_error *err);
DPERM_INLINE dperm_status dperm_model_score(const dperm_model *model, const dperm_data *data,
                                            dperm_metrics *out, dperm_error *err) {
  return dperm_model_score_sized(model, data, out, sizeof *out, err);
}
DPERM_API DPERM_CHECKED dperm_status dperm_score_file_sized(const dperm_model *model,
                                                            const dperm_source *source,
                                                            const dperm_progress *progress,
                                                            dperm_metrics *out, size_t size,
                                                            dperm_error *err);
DPERM_INLINE dperm_status dperm_score_file(const dperm_model *model, const dperm_source *source,
                                           const dperm_progress *progress, dperm_metrics *out,
                                           dperm_error *err) {
  return dperm_score_file_sized(model, source, progress, out, sizeof *out, err);
}

/* The same in private: an error count with discrete Laplace noise, charged to a ledger if named.
 * With neighbours add-remove how many records there are is private too, and none at all are records
 * to score: what is right gets noise of its own, and rates come from noisy counts alone
 * (docs/proofs/neighbours.md 8). */
typedef struct dperm_score_options {
  size_t size; /* set by dperm_score_options_init */
  double epsilon;
  size_t rows_per_person;
  bool counts;          /* the four confusion counts too, at half the precision; all of it with
                          neighbours add-remove */
  bool public_model;    /* the model was made without these records. Else the score of a model that
                          is not private is not private either: it may move with a record */
  dperm_random *random; /* NULL for a secure source of its own */
  dperm_account account;
  dperm_progress progress;
  dperm_neighbours neighbours; /* the model's, unless it was made without these records */
  int reserved;                /* 0 */
  bool held_out; /* of these records, all of those that the model was trained from, only the part
                    that its run held out (dperm_options.evaluate), by the coins that the account's
                    ledger keeps. The charge is as for all of them */
  bool reserved_too[7]; /* false */
} dperm_score_options;
typedef struct dperm_private_score {
  bool is_private;   /* not if the noise came from a seed */
  size_t rows;       /* public; 0 with neighbours add-remove, where it is not */
  int64_t errors;    /* with noise: may lie outside [0, rows] */
  double error_rate; /* NaN where it is 0/0: neighbours add-remove, neither count above zero */
  double low, high;  /* hold the rows' own error rate in 95 of 100 runs */
  double population_low, population_high; /* that of those they are a random sample of, too */
  int64_t true_positives, false_positives, false_negatives, true_negatives; /* with `counts` */
  int64_t correct; /* rows − errors; with neighbours add-remove a count with noise of its own, and
                      both together are about how many records there are */
  /* With `counts`, and made of them: the class that seems more frequent, the error rate of always
   * naming it, and what holds that of these rows in 95 of 100 runs. Else NaN. */
  size_t baseline_class;
  double baseline, baseline_low, baseline_high;
} dperm_private_score;
DPERM_OPTIONS_INIT(dperm_score_options, DPERM_OPTIONS_SCORE)
DPERM_API DPERM_CHECKED dperm_status dperm_model_score_private_sized(
    const dperm_model *model, const dperm_data *data, const dperm_score_options *options,
    dperm_private_score *out, size_t size, dperm_error *err);
DPERM_INLINE dperm_status dperm_model_score_private(const dperm_model *model,
                                                    const dperm_data *data,
                                                    const dperm_score_options *options,
                                                    dperm_private_score *out, dperm_error *err) {
  return dperm_model_score_private_sized(model, data, options, out, sizeof *out, err);
}
DPERM_API DPERM_CHECKED dperm_status dperm_score_file_private_sized(
    const dperm_model *model, const dperm_source *source, const dperm_score_options *options,
    dperm_private_score *out, size_t size, dperm_error *err);
DPERM_INLINE dperm_status dperm_score_file_private(const dperm_model *model,
                                                   const dperm_source *source,
                                                   const dperm_score_options *options,
                                                   dperm_private_score *out, dperm_error *err) {
  return dperm_score_file_private_sized(model, source, options, out, sizeof *out, err);
}

/* All of it at once: error, the baseline's and the difference, AUC with the ROC curve, log loss,
 * precision and recall, calibration, and rates by the group that the schema declares, each with an
 * interval of 95 percent. As JSON (docs/formats.md), to be given back with dperm_text_free.
 * Exactly, so for public records; intervals are for sampling. Of persons whom the schema tells
 * apart the first record of each. */
DPERM_API DPERM_CHECKED dperm_status dperm_evaluate(const dperm_model *model,
                                                    const dperm_data *data, char **json,
                                                    dperm_error *err);
DPERM_API DPERM_CHECKED dperm_status dperm_evaluate_file(const dperm_model *model,
                                                         const dperm_source *source,
                                                         const dperm_progress *progress,
                                                         char **json, dperm_error *err);
/* In private, by counts of scores with discrete Laplace noise (docs/proofs/evaluation.md), charged
 * to a ledger if named; intervals are for noise and sampling together. Not with `counts`. NULL of a
 * dry run. Who wants the error alone gets it with less noise from dperm_model_score_private. */
DPERM_API DPERM_CHECKED dperm_status dperm_evaluate_private(const dperm_model *model,
                                                            const dperm_data *data,
                                                            const dperm_score_options *options,
                                                            char **json, dperm_error *err);
DPERM_API DPERM_CHECKED dperm_status dperm_evaluate_file_private(const dperm_model *model,
                                                                 const dperm_source *source,
                                                                 const dperm_score_options *options,
                                                                 char **json, dperm_error *err);

#ifdef __cplusplus
}
#endif
#endif
