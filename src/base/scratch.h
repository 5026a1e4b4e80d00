/* Space for the span of one call. Small problems find it on the stack, so that a fit of a few rows
 * and columns, run again and again, asks the allocator for nothing; all others get it from the heap
 * as before. Its place does not change a bit of a result. */
#pragma once

#include "base/status.h"

enum { SCRATCH_DOUBLES = 384 };

typedef struct scratch {
  void *blocks; /* those from the heap, each with the address of the next in front */
  size_t used;  /* of `near`, in doubles */
  double near[SCRATCH_DOUBLES];
} scratch;

void scratch_init(scratch *work);
/* Zeroed space for count × size bytes until scratch_free; `out` as in memory_new. */
dperm_status scratch_take(scratch *work, size_t count, size_t size, void *out, dperm_error *err);
/* The same, but a large one is not initialized (memory_raw). */
dperm_status scratch_take_raw(scratch *work, size_t count, size_t size, void *out,
                              dperm_error *err);
void scratch_free(scratch *work);
