/* What a run decided, as one JSON object: the command prints it, Python reads it. Nothing in it
 * depends on the records but through the model. */
#pragma once

#include "model/model.h"
#include "run/representation.h"

/* Fills *options->report, if there is one, for a model that was trained or chosen: `how` its rows
 * were made. Without a model, as of a dry run or on a process that does not lead, it is NULL. */
dperm_status training_report(const dperm_options *options, const representation *how,
                             const dperm_data *data, const dperm_model *model, dperm_error *err);
