/* A model inside the library: weights, and everything public that says what they mean. */
#pragma once

#include "base/options_defaults.h"
#include "base/owned.h"
#include "data/dataset.h"
#include "dperm/ledger.h"
#include "dperm/score.h"
#include "kernel/features.h"
#include "mechanism/privacy_plan.h"
#include "privacy/guarantee.h"
#include "release/numerics.h"

struct dperm_model {
  guarantee claim; /* the whole of it: what the choice among candidates cost included */
  char *reason;    /* why it is not private, in words; NULL if it is */

  privacy_plan plan;    /* mechanism, Λ, Δ and the noise, as the fit used them */
  release_plan release; /* and what its release promised; all zeros without a mechanism */
  json_t *selection;    /* how the fit was chosen, or NULL */

  char *loss;                             /* name */
  double loss_h;                          /* NaN for a loss without one */
  double loss_quantile;                   /* NaN for a loss of none */
  double loss_lipschitz, loss_smoothness; /* L and c */

  size_t rows, rows_fitted; /* n of the file, n of the fit; or the public figures near them */
  data_origin origin;
  double norm_bound;
  double intercept;      /* of rows from memory with a constant last column; else 0 */
  dperm_schema *schema;  /* a share, or NULL */
  class_list classes;    /* none of a regression, which has the */
  label_range range;     /* of its label */
  bool joint;            /* more than two, learned in one fit (loss/link.h) */
  double *class_weights; /* of each class, the largest 1; NULL where all count alike */

  uint64_t ledger_entry;                 /* the reservation's number in a ledger, 0 for none, */
  char ledger_digest[DPERM_DIGEST_SIZE]; /* and its receipt */

  char digest[DPERM_DIGEST_SIZE]; /* of the file it was read from; else empty */

  size_t inputs;    /* encoded columns of the data */
  feature_map *map; /* random features over them, or NULL for a linear model */
  size_t dims;      /* weights: inputs, or the number of features */
  double *weights;  /* dims for each of the class_fits */

  json_t *released[SHARE_COUNT]; /* what each share after the fit released, as the file states it,
                                    or NULL (model_shares.c); and of these, ready for use: */
  double inverse_temperature;    /* probabilities are those of scores times this; else 1 */

  json_t *evaluation; /* on records that were held out, as the file states it; or NULL */
};
OWNED_HANDLE(dperm_model, dperm_model_free)

/* An empty model for these data: origin, schema, classes, directions, space for weights. */
dperm_status model_new(const dperm_data *data, const dperm_kernel *kernel,
                       const dperm_progress *progress, dperm_model **out, dperm_error *err);

/* The model makes this claim from now on, and gives the reasons if it is none. */
dperm_status model_claim(dperm_model *model, const guarantee *claim, dperm_error *err);

/* What a share after the fit released, an object as a model's file has it, goes into the model;
 * fails without one, and where it is not what that share can release. */
dperm_status model_take_share(dperm_model *model, share_id share, json_t *released,
                              dperm_error *err);
/* What of it reports repeat (share_kind), or say where there is none; NULL for want of memory. */
json_t *model_share_value(const dperm_model *model, share_id share);

/* A pair of columns (run/pairs.c): the model's schema becomes this one, with one cross more, and
 * its cells' weights these, of PAIR_PARTS rows each. `*released` becomes what the file states. */
dperm_status model_add_pair(dperm_model *model, const dperm_schema *schema, const double *offsets,
                            json_t **released, dperm_error *err);
/* The weights of a fit, without what was added after it. */
static inline size_t model_fitted(const dperm_model *model) {
  return model->dims - (model->schema ? model->schema->after_fit : 0);
}

/* The model's own view of encoded rows: `x` itself, or features over it, which *made then holds and
 * the caller frees. */
dperm_status model_view(const dperm_model *model, const matrix *x, const matrix **view,
                        matrix **made, dperm_error *err);

/* X times some weight vectors, which stand one after the other: for each row its `count` scores. */
dperm_status apply_vectors(const matrix *x, const double *vectors, size_t count, double *z,
                           dperm_error *err);

/* A file of records with the model's own schema or columns filled in, for a reader. */
dperm_status model_source(const dperm_model *model, const dperm_source *given, dperm_source *out,
                          dperm_error *err);

/* The digest that the model's file has or would have. */
dperm_status model_content_digest(const dperm_model *model, char out[DPERM_DIGEST_SIZE],
                                  dperm_error *err);

/* The model's loss, if it is one of the library's. */
dperm_status model_loss(const dperm_model *model, dperm_loss *out, dperm_error *err);
/* Whether it is of counts, whose scores are logarithms of what it predicts (loss/link.h). */
bool model_of_counts(const dperm_model *model);
/* What a regression predicts, on the scale of fits: from −1 to 1. */
dperm_status model_numbers(const dperm_model *model, const dperm_data *data, double *values,
                           dperm_error *err);
/* The model's loss, into *made, if it is the −log of a probability (softmax is); else NULL. */
const dperm_loss *model_log_loss(const dperm_model *model, dperm_loss *made);
/* A row's scores times an inverse temperature, as probabilities see them (up to a constant, of more
 * than two): `scores` themselves where that is 1, else in `space`, which has a place for each. */
const double *scaled_scores(size_t classes, double by, const double *scores, double *space);
/* P(class) for a row with these scores, of a model with that log loss. */
double model_probability(const dperm_model *model, const dperm_loss *log_loss, const double *scores,
                         size_t index);
/* The class that a row's scores speak for: of two, 1 above zero; of more the first largest. */
size_t model_winner(size_t classes, const double *scores);
/* log P(class) of more classes: e^score for softmax, else e^−loss(score), over their sum. */
double model_class_log_probability(const dperm_loss *log_loss, size_t classes, const double *scores,
                                   size_t index);

/* ---- how well scores tell classes apart (metrics.c) */

/* Of two classes `labels` are −1 or +1, and a score above zero predicts +1; of more they are
 * indexes, each row has a score for each class, and the largest predicts. `log_loss` is the loss
 * that is the −log of a probability, NULL where there is none (model_log_loss), of scores times
 * `by`, the model's inverse temperature. */
dperm_status metrics_of(size_t classes, const double *scores, const double *labels, size_t rows,
                        const dperm_loss *log_loss, double by, dperm_metrics *out,
                        dperm_error *err);
/* Fails for a model of numbers. */
dperm_status model_check_classes(const dperm_model *model, dperm_error *err);

/* ---- how far a regression's values are from labels (number_metrics.c), in the label's unit */

typedef struct regression_metrics {
  size_t rows;
  double mse, rmse, mae, pinball; /* pinball of the model's quantile, or the median, */
  double mse_error, mae_error, pinball_error, r2_error; /* and sampling's standard errors */
  double r2, below;              /* the part of the labels that is at or below the values */
  double mean, median, quantile; /* of the labels: the best constants, and what they pay */
  double baseline_rmse, baseline_mae, baseline_pinball;
} regression_metrics;
dperm_status model_score_numbers(const dperm_model *model, const dperm_data *data,
                                 regression_metrics *out, dperm_error *err);
