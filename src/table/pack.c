/* A column of a page, packed: its different numbers in the order of their first records, told apart
 * by their bits, and an index for each record. Where more than half of the records have numbers of
 * their own, the numbers stay as they are. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "table/table.h"

enum { PLACES = 2 * TABLE_PAGE, MOST = TABLE_PAGE / 2 + 1 };

typedef struct numbers {
  uint16_t places[PLACES]; /* open addressing: index + 1 of a number, 0 for a free place */
  uint64_t keys[MOST];     /* their bits */
  size_t count;
  uint16_t indexes[TABLE_PAGE]; /* of each cell */
} numbers;

static inline uint16_t *place_of(numbers *n, uint64_t key) {
  /* the low bits of most numbers are zeros, so the high ones have to come down first */
  size_t at = (size_t)((key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % PLACES;
  while (n->places[at] && n->keys[n->places[at] - 1] != key) {
    at = (at + 1) % PLACES;
  }
  return &n->places[at];
}

/* The index of each cell; false where there are too many different ones. */
static bool find_indexes(const double *cells, size_t count, numbers *n) {
  uint64_t last = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t key = 0;
    memcpy(&key, &cells[i], sizeof key);
    if (i > 0 && key == last) { /* records that are alike often stand together */
      n->indexes[i] = n->indexes[i - 1];
      continue;
    }
    last = key;
    uint16_t *place = place_of(n, key);
    if (!*place) {
      if (2 * (n->count + 1) > count + 1 && n->count > 0) {
        return false;
      }
      n->keys[n->count++] = key;
      *place = (uint16_t)n->count;
    }
    n->indexes[i] = (uint16_t)(*place - 1);
  }
  return true;
}

/* The indexes behind the values, in one piece of memory. */
static dperm_status pack_indexes(const numbers *n, size_t count, packed_column *out,
                                 dperm_error *err) {
  uint32_t width = n->count <= 1 ? 0 : n->count <= 256 ? 1 : 2;
  size_t size = n->count * sizeof *n->keys;
  unsigned char *bytes = NULL;
  TRY(memory_raw(size + count * width, 1, &bytes, err));
  memcpy(bytes, n->keys, size);
  for (size_t i = 0; width == 1 && i < count; i++) {
    bytes[size + i] = (unsigned char)n->indexes[i];
  }
  if (width == 2) {
    memcpy(bytes + size, n->indexes, count * sizeof *n->indexes);
  }
  *out =
      (packed_column){(uint32_t)n->count, width, (const double *)(const void *)bytes, bytes + size};
  return DPERM_OK;
}

dperm_status column_pack(const double *cells, size_t count, packed_column *out, dperm_error *err) {
  OWNED_MEMORY numbers *n = NULL;
  TRY(memory_raw(1, sizeof *n, &n, err));
  memset(n->places, 0, sizeof n->places);
  n->count = 0;
  if (find_indexes(cells, count, n)) {
    return pack_indexes(n, count, out, err);
  }
  double *values = NULL;
  TRY(memory_raw(count, sizeof *values, &values, err));
  memcpy(values, cells, count * sizeof *values);
  *out = (packed_column){(uint32_t)count, 8, values, NULL};
  return DPERM_OK;
}
