/* The exact sums of the stages for intervals, never to leave without noise. What a record adds is
 * computed from its own row and label and from numbers that are released, so neither threads nor
 * processes matter. */
#pragma once

#include "intervals/interval_law.h"
#include "run/stage.h"

/* Doubles of work->room. */
size_t interval_sums_room(const dperm_model *model, const matrix *view);
/* interval_released numbers, of all processes, in the units of their stage. */
dperm_status interval_sums_of(const stage_work *work, const interval_law *law,
                              interval_stage_id which, int64_t *sums, dperm_error *err);
