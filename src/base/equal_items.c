/* See equal_items.h. */
#include "base/equal_items.h"

#include <string.h>

size_t equal_places(const equal_items *items, size_t count, size_t *places) {
  uint16_t slots[2 * EQUAL_ITEMS_MOST]; /* 1 + a different thing, open addressing */
  uint16_t first[EQUAL_ITEMS_MOST];     /* where each of these comes first, */
  uint64_t hashes[EQUAL_ITEMS_MOST];    /* and its hash */
  size_t different = 0, mask = 1;
  while (mask < 2 * count) {
    mask *= 2;
  }
  memset(slots, 0, mask-- * sizeof *slots);
  for (size_t i = 0; i < count; i++) {
    const uint64_t hash = items->hash(items->context, i);
    size_t slot = hash & mask, seen = slots[slot];
    while (seen && !(hashes[seen - 1] == hash && items->same(items->context, i, first[seen - 1]))) {
      slot = (slot + 1) & mask;
      seen = slots[slot];
    }
    if (!seen) {
      hashes[different] = hash;
      first[different] = (uint16_t)i;
      seen = slots[slot] = (uint16_t)++different;
    }
    places[i] = seen - 1;
  }
  return different;
}
