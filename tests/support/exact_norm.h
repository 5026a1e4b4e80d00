/* ‖v‖₂ against a bound in exact arithmetic. */
#ifndef DPERM_TESTS_EXACT_NORM_H
#define DPERM_TESTS_EXACT_NORM_H

#include <stddef.h>

/* −1, 0 or 1 as ‖values‖ is below, equal to or above `bound`, exactly. */
int compare_norm(const double *values, size_t count, double bound);

#endif
