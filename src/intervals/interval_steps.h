/* The three stages of what is released: the body of each, and what its sums say. */
#pragma once

#include "intervals/interval_law.h"

/* Of the first or the last, in the order of its sums. */
dperm_status interval_body(const interval_law *law, interval_stage_id stage, integer_body *out,
                           dperm_error *err);
/* The noise of any. */
dperm_status interval_noise(const interval_law *law, interval_stage_id stage, random_source *source,
                            int64_t *noise, dperm_error *err);
/* What it released. */
dperm_status interval_take(interval_law *law, interval_stage_id stage, const int64_t *released,
                           dperm_error *err);
