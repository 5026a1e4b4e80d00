/* See scratch.h. */
#include "base/scratch.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* In front of a block from the heap; a multiple of what any type is aligned to. */
enum { HEADER = 16 };

void scratch_init(scratch *room) {
  room->blocks = NULL;
  room->used = 0;
}

static dperm_status take_far(scratch *room, size_t count, size_t size, bool raw, void **out,
                             dperm_error *err) {
  size_t header = HEADER / size + 1; /* in elements, so that memory_new sees an overflow */
  if (count > SIZE_MAX / size - header) {
    count = SIZE_MAX / size; /* memory_new refuses */
    header = 0;
  }
  unsigned char *block = NULL;
  TRY(raw ? memory_raw(count + header, size, &block, err)
          : memory_new(count + header, size, &block, err));
  memcpy(block, &room->blocks, sizeof room->blocks);
  room->blocks = block;
  *out = block + HEADER;
  return DPERM_OK;
}

static dperm_status take(scratch *room, size_t count, size_t size, bool raw, void *out,
                         dperm_error *err) {
  void *place = NULL;
  size_t left = SCRATCH_DOUBLES - room->used;
  if (count <= left * sizeof *room->near / size) {
    place = room->near + room->used;
    room->used += (count * size + sizeof *room->near - 1) / sizeof *room->near;
    memset(place, 0, count * size);
  } else {
    TRY(take_far(room, count, size, raw, &place, err));
  }
  memcpy(out, &place, sizeof place);
  return DPERM_OK;
}

dperm_status scratch_take(scratch *room, size_t count, size_t size, void *out, dperm_error *err) {
  return take(room, count, size, false, out, err);
}

dperm_status scratch_take_raw(scratch *room, size_t count, size_t size, void *out,
                              dperm_error *err) {
  return take(room, count, size, true, out, err);
}

void scratch_free(scratch *room) {
  while (room->blocks) {
    void *next = NULL;
    memcpy(&next, room->blocks, sizeof next);
    free(room->blocks);
    room->blocks = next;
  }
  room->used = 0;
}
