/* The intervals of a model that released what they need, for explanations. */
#pragma once

#include "base/json_text.h"
#include "model/model.h"

/* `unit` is that of a score: 1, or of a regression half the label's range. */
dperm_status explain_intervals(const dperm_model *model, double unit, json_t **out,
                               dperm_error *err);
