/* See scratch.h. */
#include "base/scratch.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* In front of a block from the heap; a multiple of what any type is aligned to. */
enum { HEADER = 16 };

void scratch_init(scratch *work) {
  work->blocks = NULL;
  work->used = 0;
}

typedef dperm_status allocator(size_t count, size_t size, void *out, dperm_error *err);

static dperm_status take(scratch *work, allocator *allocate, size_t count, size_t size, void *out,
                         dperm_error *err) {
  unsigned char *place = (unsigned char *)(work->near + work->used);
  if (count <= (SCRATCH_DOUBLES - work->used) * sizeof *work->near / size) {
    work->used += (count * size + sizeof *work->near - 1) / sizeof *work->near;
    memset(place, 0, count * size);
  } else {
    /* in elements, so that the allocator sees an overflow; it refuses half of all addresses */
    size_t header = count > SIZE_MAX / 2 / size ? 0 : HEADER / size + 1;
    TRY(allocate(count + header, size, &place, err));
    memcpy(place, &work->blocks, sizeof work->blocks);
    work->blocks = place;
    place += HEADER;
  }
  memcpy(out, &place, sizeof place);
  return DPERM_OK;
}

dperm_status scratch_take(scratch *work, size_t count, size_t size, void *out, dperm_error *err) {
  return take(work, memory_new, count, size, out, err);
}

dperm_status scratch_take_raw(scratch *work, size_t count, size_t size, void *out,
                              dperm_error *err) {
  return take(work, memory_raw, count, size, out, err);
}

void scratch_free(scratch *work) {
  while (work->blocks) {
    void *next = NULL;
    memcpy(&next, work->blocks, sizeof next);
    free(work->blocks);
    work->blocks = next;
  }
  work->used = 0;
}
