/* The choice of a temperature for a model that is fitted and released: what may fail before a
 * charge, and what is paid for. */
#pragma once

#include "model/model.h"
#include "random/random_source.h"

/* Whether all processes of a job give a row the same scores: `fused` is gemm_is_fused() of each.
 * With others a row's part in the sums would depend on which process reads it, and so on the other
 * records (Lemma T1). A job of one process always does. */
dperm_status calibration_agree(ranks *spread, bool fused, dperm_error *err);

/* Doubles of space that it needs for a model of this shape and the model's view of the rows. */
size_t calibration_room(const dperm_model *model, const matrix *view);

/* The records, as the fit saw them. */
typedef struct calibration_rows {
  const matrix *view;
  const double *labels, *shares; /* what each counts, or NULL */
} calibration_rows;

/* Chooses model->inverse_temperature for the epsilon_calibrated of the run's claim, by its released
 * weights and the records (docs/proofs/calibration.md). The leader chooses for all processes. */
dperm_status calibration_run(const calibration_rows *rows, const guarantee *run,
                             random_source *source, double *room, dperm_model *model,
                             dperm_error *err);
