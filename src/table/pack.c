/* A column of a page, packed: its different numbers in the order of their first records, told apart
 * by their bits, and an index for each record. Where more than half of the records have numbers of
 * their own, the numbers stay as they are. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "table/table.h"

/* Open addressing; it grows with what it finds. */
typedef struct numbers {
  uint64_t *keys;
  uint16_t *which; /* index + 1, 0 for a free place */
  size_t capacity, count;
  double *values;
} numbers;

static void numbers_free(numbers *n) {
  free(n->keys);
  free(n->which);
  free(n->values);
}

static size_t place_of(const numbers *n, uint64_t key) {
  size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (n->capacity - 1);
  while (n->which[at] && n->keys[at] != key) {
    at = (at + 1) & (n->capacity - 1);
  }
  return at;
}

static dperm_status grow(numbers *n, size_t capacity, dperm_error *err) {
  OWNED(numbers_free) numbers larger = {.capacity = capacity, .count = n->count};
  TRY(memory_raw(capacity, sizeof *larger.keys, &larger.keys, err));
  TRY(memory_new(capacity, sizeof *larger.which, &larger.which, err));
  TRY(memory_raw(capacity / 2, sizeof *larger.values, &larger.values, err));
  for (size_t i = 0; i < n->count; i++) {
    uint64_t key = 0;
    memcpy(&key, &n->values[i], sizeof key);
    size_t at = place_of(&larger, key);
    larger.keys[at] = key;
    larger.which[at] = (uint16_t)(i + 1);
    larger.values[i] = n->values[i];
  }
  const numbers old = *n;
  *n = larger;
  larger = old;
  return DPERM_OK;
}

/* The index of each cell; *distinct is `count` where there are too many different ones. */
static dperm_status find_indexes(const double *cells, size_t count, numbers *n, uint16_t *indexes,
                                 bool *many, dperm_error *err) {
  uint64_t last = 0;
  uint16_t at_last = 0;
  TRY(grow(n, 64, err));
  for (size_t i = 0; i < count; i++) {
    uint64_t key = 0;
    memcpy(&key, &cells[i], sizeof key);
    if (i == 0 || key != last) { /* the same as before, most often */
      size_t at = place_of(n, key);
      if (!n->which[at]) {
        if (2 * (n->count + 1) > count + 1 && n->count > 0) {
          *many = true;
          return DPERM_OK;
        }
        if (2 * (n->count + 1) > n->capacity) {
          TRY(grow(n, 4 * n->capacity, err));
          at = place_of(n, key);
        }
        n->keys[at] = key;
        n->values[n->count++] = cells[i];
        n->which[at] = (uint16_t)n->count;
      }
      last = key;
      at_last = (uint16_t)(n->which[at] - 1);
    }
    indexes[i] = at_last;
  }
  return DPERM_OK;
}

/* The indexes behind the values, in one piece of memory. */
static dperm_status pack_indexes(const numbers *n, const uint16_t *indexes, size_t count,
                                 packed_column *out, dperm_error *err) {
  uint32_t width = n->count <= 1 ? 0 : n->count <= 256 ? 1 : 2;
  size_t size = n->count * sizeof *n->values;
  unsigned char *bytes = NULL;
  TRY(memory_raw(size + count * width, 1, &bytes, err));
  memcpy(bytes, n->values, size);
  for (size_t i = 0; width == 1 && i < count; i++) {
    bytes[size + i] = (unsigned char)indexes[i];
  }
  if (width == 2) {
    memcpy(bytes + size, indexes, count * sizeof *indexes);
  }
  *out =
      (packed_column){(uint32_t)n->count, width, (const double *)(const void *)bytes, bytes + size};
  return DPERM_OK;
}

dperm_status column_pack(const double *cells, size_t count, packed_column *out, dperm_error *err) {
  OWNED(numbers_free) numbers n = {0};
  uint16_t indexes[TABLE_PAGE];
  bool many = false;
  TRY(find_indexes(cells, count, &n, indexes, &many, err));
  if (!many) {
    return pack_indexes(&n, indexes, count, out, err);
  }
  double *values = NULL;
  TRY(memory_raw(count, sizeof *values, &values, err));
  memcpy(values, cells, count * sizeof *values);
  *out = (packed_column){(uint32_t)count, 8, values, NULL};
  return DPERM_OK;
}
