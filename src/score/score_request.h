/* What every private answer about a model on records has to check, and why it may not be private.
 */
#pragma once

#include "model/model.h"

/* Neighbours that go with the model's, and rows of a person. */
dperm_status score_check(const dperm_model *model, const dperm_score_options *o, dperm_error *err);
/* Of model and noise (privacy_reason). */
unsigned score_reasons(const dperm_model *model, const dperm_score_options *o,
                       const random_source *source);
/* The records to score: `data`, or of these what the run of the model held out, which is then in
 * `*part`, the caller's. */
dperm_status score_records(const dperm_model *model, const dperm_data *data,
                           const dperm_score_options *o, dperm_data **part, const dperm_data **out,
                           dperm_error *err);
