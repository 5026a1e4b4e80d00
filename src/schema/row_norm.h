/* The bound ‖x‖₂ ≤ R for stored doubles, exactly: every privacy formula starts from it. */
#pragma once

#include <stddef.h>

/* At least ‖values‖₂ in exact arithmetic (infinity if that is beyond the doubles), and within a
 * factor 1 + (2·count+20)·2^−53 of it unless it is subnormal; equal to it for one value. Values
 * must be finite. */
double row_norm_upper(const double *values, size_t count);

/* values ← values·(bound/divisor), each rounded so that the exact norm is at most
 * bound·‖before‖/divisor: never above `bound` when divisor ≥ ‖before‖. */
void row_scale_down(double *values, size_t count, double bound, double divisor);

/* Scales a row longer than `bound` down to it; a row within it keeps its bits. */
void row_clip(double *values, size_t count, double bound);
