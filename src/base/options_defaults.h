/* A program's options as this library knows them, whichever header it was built against
 * (base/sized.h): its own over the defaults. Every public function that is given options begins
 * here. */
#pragma once

#include "base/status.h"

/* `out` is the struct of today. */
dperm_status options_take(dperm_options_kind kind, const void *given, void *out, dperm_error *err);
/* The same of an array of dperm_options; `*out` is a new array, to be given back with free(). */
dperm_status options_take_all(const dperm_options *given, size_t count, dperm_options **out,
                              dperm_error *err);
