/* One fit, for the pipelines that need several. */
#pragma once

#include "pipeline/fit_work.h"

/* Trains on `data` under a plan for as many rows. */
dperm_status fit_planned(const dperm_data *data, const dperm_options *options, const fit_plan *plan,
                         random_source *source, dperm_model **out, dperm_error *err);
/* Trains on `data` with valid options (options_validate), noise from `source`. */
dperm_status fit_model(const dperm_data *data, const dperm_options *options, random_source *source,
                       dperm_model **out, dperm_error *err);
