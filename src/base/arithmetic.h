/* The arithmetic that every error bound takes for granted: IEEE doubles, rounded to nearest,
 * without flushing small numbers to zero. */
#pragma once

#include "base/status.h"

/* Fails where the calling thread has another rounding mode or flushes subnormal numbers: settings
 * of the processor that a program, or a library it loads, may have changed. The library's other
 * threads take over the caller's and hand back what a job did to them (base/thread_pool.h). */
dperm_status arithmetic_check(dperm_error *err);

/* Whether it would pass. */
bool arithmetic_sound(void);
