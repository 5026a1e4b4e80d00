/* One fit, for the pipelines that need several. */
#ifndef DPERM_PIPELINE_FIT_H
#define DPERM_PIPELINE_FIT_H

#include "model/model.h"
#include "random/source.h"

/* Trains on `data` with valid options (options_validate), noise from `source`. */
dperm_status fit_model(const dperm_data *data, const dperm_options *options, random_source *source,
                       dperm_model **out, dperm_error *err);

#endif
