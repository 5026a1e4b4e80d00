/* Whether two data sets are the same records, or mostly: as they come when the private records, or
 * a part of them, or they with others, are given as public ones. */
#pragma once

#include "data/dataset.h"

/* Both must be encoded in one way. Neither the order of rows nor labels count. Every process of a
 * job asks at once and has the same answer, whatever their number. */
dperm_status records_overlap(const dperm_data *a, const dperm_data *b, bool *out, dperm_error *err);
/* How much memory that takes at most. */
double records_overlap_bytes(const dperm_data *a, const dperm_data *b);
