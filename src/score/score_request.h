/* What every private answer about a model on records has to check, and why it may not be private.
 */
#pragma once

#include "model/model.h"

/* Neighbours that go with the model's, and rows of a person. */
dperm_status score_check(const dperm_model *model, const dperm_score_options *o, dperm_error *err);
/* Of model and noise (privacy_reason). */
unsigned score_reasons(const dperm_model *model, const dperm_score_options *o,
                       const random_source *source);
