/* Checked memory: sizes are multiplied without overflow, failure is a status, and growth is
 * geometric so that streaming appends cost a constant each. What is had here is given back at the
 * end of a scope (owned.h), which brings the C library's headers that nearly every file needs. */
#pragma once

#include "base/owned.h"
#include "base/status.h"

/* Zeroed space for count × size bytes, to be given back with free(); never NULL on success, even
 * for count = 0. `*out` is NULL on failure. */
dperm_status memory_new(size_t count, size_t size, void *out, dperm_error *err);

/* The same space, not initialized: for callers that write all of it before they read any. */
dperm_status memory_raw(size_t count, size_t size, void *out, dperm_error *err);

/* Whether so many bytes could be had now: they are given back at once. */
dperm_status memory_probe(double bytes, dperm_error *err);

/* Makes space for at least `needed` elements, in an array of `*capacity`. The array pointer is
 * passed by address as void*, as in memory_new. */
dperm_status memory_reserve(void *array, size_t *capacity, size_t needed, size_t size,
                            dperm_error *err);

dperm_status memory_copy_text(const char *text, size_t length, char **out, dperm_error *err);

/* ---- space for the span of one call: several pieces, given back together */

/* Zeroed is empty. */
typedef struct scratch {
  void *blocks; /* each with the address of the next in front */
} scratch;

/* Zeroed space for count × size bytes until scratch_free; `out` as in memory_new. */
dperm_status scratch_take(scratch *work, size_t count, size_t size, void *out, dperm_error *err);
/* The same, not initialized (memory_raw). */
dperm_status scratch_take_raw(scratch *work, size_t count, size_t size, void *out,
                              dperm_error *err);
void scratch_free(scratch *work);
