/* The arithmetic that every error bound takes for granted: IEEE doubles, rounded to nearest,
 * without flushing small numbers to zero. */
#ifndef DPERM_BASE_ARITHMETIC_H
#define DPERM_BASE_ARITHMETIC_H

#include "base/status.h"

/* Fails where any thread of the library's has another rounding mode or flushes subnormal numbers:
 * both are switches of a processor that a program, or a library it loads, may have moved. */
dperm_status arithmetic_check(dperm_error *err);

/* The same for the calling thread, whose switches the other threads then take over. OpenMP's
 * threads live on with what they were born with, so that one call in a wrong state would otherwise
 * spoil all later ones. */
dperm_status arithmetic_begin(dperm_error *err);

#endif
