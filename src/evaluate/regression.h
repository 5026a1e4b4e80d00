/* How good a regression is beside the best constant, exactly or in private: figures in the label's
 * own unit. */
#pragma once

#include "evaluate/number_sums.h"
#include "model/model.h"

/* NaN where there is none. */
typedef struct number_figures {
  figure rmse, mae, r2, pinball, at_or_below;
  double mean, median, quantile; /* the best constants, and what they pay */
  double baseline_rmse, baseline_mae, baseline_pinball, pinball_noise; /* its standard deviation */
} number_figures;

typedef struct number_evaluation {
  label_range range;
  double quantile;  /* of the model's loss, or NaN */
  size_t rows;      /* where they are public; else 0 */
  number_sums sums; /* of a private one */
  number_figures figures;
} number_evaluation;

/* Of records as `data_once` gives them: exactly, without a claim. */
dperm_status number_evaluate(const dperm_model *model, const dperm_data *data,
                             const guarantee *claim, random_source *source, number_evaluation *out,
                             dperm_error *err);
/* From the sums (number_figures.c). */
void number_figures_of_sums(number_evaluation *e);

/* The members of an evaluation that are of numbers, and what it says in words, for the caller to
 * free (docs/formats.md). */
void number_json(const number_evaluation *e, bool exact, json_t **object);
dperm_status number_finding(const number_evaluation *e, bool exact, char **out, dperm_error *err);
