/* The place of a result that is still to be made: taken before the charge. */
#pragma once

#include "run/representation.h"

/* Takes space in the account's output, if there is one, for the file of a model of these data and
 * any of these candidates, under whatever schema may come; a schema takes less. */
dperm_status output_take_space(const dperm_data *data, schema_way way,
                               const dperm_options *candidates, size_t count, dperm_error *err);
