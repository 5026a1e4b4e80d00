/* A program's dperm_options as this library knows them, whichever header it was built against
 * (base/sized.h). Every public function that is given options begins here. */
#pragma once

#include "base/status.h"

dperm_status given_options(const dperm_options *given, dperm_options *out, dperm_error *err);
/* `*out` is a new array, to be given back with free(). */
dperm_status given_options_all(const dperm_options *given, size_t count, dperm_options **out,
                               dperm_error *err);
