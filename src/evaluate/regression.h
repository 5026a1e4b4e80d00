/* How good a regression is on public records, beside the best constant. */
#pragma once

#include "model/model.h"

/* The object that reports have (docs/formats.md). */
dperm_status regression_json(const dperm_model *model, const dperm_data *data, json_t **out,
                             dperm_error *err);
