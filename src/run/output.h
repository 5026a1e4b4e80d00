/* The place of a result that is still to be made: taken before the work and, above all, before the
 * charge, which cannot be taken back if the result then cannot be written; and its report. */
#pragma once

#include "base/owned.h"
#include "dperm/output.h"
#include "run/private_schema.h"

OWNED_HANDLE(dperm_output, dperm_output_free)

/* Takes space in the account's output, if there is one, for the file of a model of these data and
 * any of these candidates, under whatever schema comes, also of counts; or of that schema alone. */
dperm_status output_take_space(const dperm_account *account, const dperm_data *data,
                               const counted_schema *counted, const dperm_options *candidates,
                               size_t count, dperm_error *err);

/* What a run decided, as one JSON object: the command prints it, Python reads it. Nothing in it
 * depends on the records but through the model. Fills *options->report, if there is one, for a
 * model that was trained or chosen: `how` its rows were made. Without a model, as of a dry run or
 * on a process that does not lead, it is NULL. */
dperm_status training_report(const dperm_options *options, const representation *how,
                             const dperm_data *data, const dperm_model *model, dperm_error *err);
