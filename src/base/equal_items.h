/* Things that are equal get the same place: by hash, and compared for certain. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EQUAL_ITEMS_MOST = 2048 };

typedef struct equal_items {
  const void *context;
  uint64_t (*hash)(const void *context, size_t i);
  bool (*same)(const void *context, size_t i, size_t j);
} equal_items;

/* places[i], of at most EQUAL_ITEMS_MOST things: which of the different ones, counted from 0 as
 * they come, thing i is. Returns how many there are. */
size_t equal_places(const equal_items *items, size_t count, size_t *places);
