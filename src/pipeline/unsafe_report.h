/* What a fit saw, for the custodian's eyes: the one place where what depends on the records is
 * reported, on request, and never into a model. */
#ifndef DPERM_PIPELINE_UNSAFE_REPORT_H
#define DPERM_PIPELINE_UNSAFE_REPORT_H

#include "model/model.h"
#include "solve/newton.h"

double unsafe_seconds_now(void);

dperm_status unsafe_report(const problem *base, const dperm_model *model, const dperm_data *data,
                           const solver_report *solved, double seconds,
                           dperm_unsafe_diagnostics *out, dperm_error *err);

#endif
