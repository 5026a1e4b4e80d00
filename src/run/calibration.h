/* The stage that chooses a temperature for the probabilities of a model. */
#pragma once

#include "run/stage.h"

/* By the released weights and the records (docs/proofs/calibration.md). */
extern const stage calibration_stage;

/* Whether all processes of a job give a row the same scores: `fused` is gemm_is_fused() of each.
 * With others a row's part in the sums would depend on which process reads it, and so on the other
 * records (Lemma T1). A job of one process always does. */
dperm_status calibration_agree(ranks *spread, bool fused, dperm_error *err);
