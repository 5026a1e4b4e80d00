/* See scratch.h. */
#include "base/scratch.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* In front of a block from the heap; a multiple of what any type is aligned to. */
enum { HEADER = 16 };

void scratch_init(scratch *work) {
  work->blocks = NULL;
  work->used = 0;
}

static dperm_status take_far(scratch *work, size_t count, size_t size, bool raw, void **out,
                             dperm_error *err) {
  size_t header = HEADER / size + 1; /* in elements, so that memory_new sees an overflow */
  if (count > SIZE_MAX / size - header) {
    count = SIZE_MAX / size; /* memory_new refuses */
    header = 0;
  }
  unsigned char *block = NULL;
  TRY(raw ? memory_raw(count + header, size, &block, err)
          : memory_new(count + header, size, &block, err));
  memcpy(block, &work->blocks, sizeof work->blocks);
  work->blocks = block;
  *out = block + HEADER;
  return DPERM_OK;
}

static dperm_status take(scratch *work, size_t count, size_t size, bool raw, void *out,
                         dperm_error *err) {
  void *place = NULL;
  size_t left = SCRATCH_DOUBLES - work->used;
  if (count <= left * sizeof *work->near / size) {
    place = work->near + work->used;
    work->used += (count * size + sizeof *work->near - 1) / sizeof *work->near;
    memset(place, 0, count * size);
  } else {
    TRY(take_far(work, count, size, raw, &place, err));
  }
  memcpy(out, &place, sizeof place);
  return DPERM_OK;
}

dperm_status scratch_take(scratch *work, size_t count, size_t size, void *out, dperm_error *err) {
  return take(work, count, size, false, out, err);
}

dperm_status scratch_take_raw(scratch *work, size_t count, size_t size, void *out,
                              dperm_error *err) {
  return take(work, count, size, true, out, err);
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
