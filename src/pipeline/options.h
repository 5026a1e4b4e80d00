/* The caller's options, checked, and the public numbers in them. */
#ifndef DPERM_PIPELINE_OPTIONS_H
#define DPERM_PIPELINE_OPTIONS_H

#include "mechanism/calibrate.h"

/* What does not need the data: numbers in range, a usable loss. */
dperm_status options_validate(const dperm_options *options, dperm_error *err);

public_numbers options_public(const dperm_options *options, size_t rows, size_t dims,
                              const row_bounds *bounds);

#endif
