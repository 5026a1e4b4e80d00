/* Checked allocation. Pointers travel as the address of the caller's typed pointer and are copied
 * bytewise, so no aliasing rule is bent. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/scratch.h"

static dperm_status fail_memory(size_t count, size_t size, dperm_error *err) {
  FAIL(err, DPERM_OUT_OF_MEMORY,
       "out of memory (%zu elements of %zu bytes); use fewer rows or columns, or a larger machine",
       count, size);
}

dperm_status memory_new(size_t count, size_t size, void *out, dperm_error *err) {
  void *block = calloc(count ? count : 1, size);
  memcpy(out, &block, sizeof block);
  return block ? DPERM_OK : fail_memory(count, size, err);
}

dperm_status memory_raw(size_t count, size_t size, void *out, dperm_error *err) {
  void *block = count <= SIZE_MAX / 2 / size ? malloc(count ? count * size : size) : NULL;
  memcpy(out, &block, sizeof block);
  return block ? DPERM_OK : fail_memory(count, size, err);
}

dperm_status memory_probe(double bytes, dperm_error *err) {
  /* volatile: a compiler may leave out space that is not used */
  void *volatile block = bytes < (double)(SIZE_MAX / 2) ? malloc((size_t)bytes + 1) : NULL;
  if (!block) {
    FAIL(err, DPERM_OUT_OF_MEMORY,
         "out of memory (%.3g GB are needed); use fewer rows or columns, or a larger machine",
         bytes * 1e-9);
  }
  free(block);
  return DPERM_OK;
}

dperm_status memory_reserve(void *array, size_t *capacity, size_t needed, size_t size,
                            dperm_error *err) {
  if (needed <= *capacity) {
    return DPERM_OK;
  }
  size_t grown = *capacity + *capacity / 2 + 16;
  if (grown < needed) {
    grown = needed;
  }
  if (grown > SIZE_MAX / 2 / size) {
    return fail_memory(grown, size, err);
  }
  void *block = NULL;
  memcpy(&block, array, sizeof block);
  block = realloc(block, grown * size);
  if (!block) {
    return fail_memory(grown, size, err);
  }
  memcpy(array, &block, sizeof block);
  *capacity = grown;
  return DPERM_OK;
}

dperm_status memory_copy_text(const char *text, size_t length, char **out, dperm_error *err) {
  char *copy = NULL;
  TRY(memory_new(length + 1, 1, &copy, err));
  memcpy(copy, text, length);
  *out = copy;
  return DPERM_OK;
}

/* ---- scratch.h */

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
