/* What a fit saw, for the custodian's eyes: the one place where what depends on the records is
 * reported, on request, and never into a model. */
#pragma once

#include "model/model.h"
#include "solve/newton.h"

double unsafe_seconds_now(void);

/* One fit's part, added to what the fits of other classes reported. */
dperm_status unsafe_add_fit(const problem *base, double lambda, const double *weights,
                            const solver_report *solved, dperm_unsafe_diagnostics *out,
                            dperm_error *err);
/* The model's own. */
dperm_status unsafe_finish(const dperm_model *model, const dperm_data *data, double seconds,
                           dperm_unsafe_diagnostics *out, dperm_error *err);
