/* A column of a page, packed: its different numbers in the order of their first records, told apart
 * by their bits, and an index for each record. Where more than half of the records have numbers of
 * their own, the numbers stay as they are. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "table/table.h"

/* Open addressing; it grows with what it finds. */
typedef struct number_place {
  uint64_t key;
  uint64_t which; /* index + 1, 0 for a free place */
} number_place;

typedef struct numbers {
  number_place *places;
  size_t capacity, count;
  double *values;
} numbers;

static void numbers_free(numbers *n) {
  free(n->places);
  free(n->values);
}

static inline number_place *place_of(const numbers *n, uint64_t key) {
  const size_t mask = n->capacity - 1;
  /* the low bits of most numbers are zeros, so the high ones have to come down first */
  size_t at = (size_t)((key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 40) & mask;
  while (n->places[at].key != key && n->places[at].which) {
    at = (at + 1) & mask;
  }
  return &n->places[at];
}

static dperm_status grow(numbers *n, size_t capacity, dperm_error *err) {
  OWNED(numbers_free) numbers larger = {.capacity = capacity, .count = n->count};
  TRY(memory_new(capacity, sizeof *larger.places, &larger.places, err));
  TRY(memory_raw(capacity / 2, sizeof *larger.values, &larger.values, err));
  for (size_t i = 0; i < n->count; i++) {
    uint64_t key = 0;
    memcpy(&key, &n->values[i], sizeof key);
    *place_of(&larger, key) = (number_place){key, i + 1};
    larger.values[i] = n->values[i];
  }
  const numbers old = *n;
  *n = larger;
  larger = old;
  return DPERM_OK;
}

/* A number that was not seen before, at its place; *many where there are too many of them. */
static dperm_status add_number(numbers *n, uint64_t key, size_t cells, bool *many,
                               dperm_error *err) {
  if (2 * (n->count + 1) > cells + 1 && n->count > 0) {
    *many = true;
    return DPERM_OK;
  }
  if (2 * (n->count + 1) > n->capacity) {
    TRY(grow(n, 4 * n->capacity, err));
  }
  memcpy(&n->values[n->count++], &key, sizeof key);
  *place_of(n, key) = (number_place){key, n->count};
  return DPERM_OK;
}

/* The index of each cell; *many where there are too many different ones. */
static dperm_status find_indexes(const double *cells, size_t count, numbers *n, uint16_t *indexes,
                                 bool *many, dperm_error *err) {
  uint64_t last = 0;
  TRY(grow(n, 64, err));
  for (size_t i = 0; i < count; i++) {
    uint64_t key = 0;
    memcpy(&key, &cells[i], sizeof key);
    if (i > 0 && key == last) { /* records that are alike often stand together */
      indexes[i] = indexes[i - 1];
      continue;
    }
    last = key;
    uint64_t which = place_of(n, key)->which;
    if (!which) {
      TRY(add_number(n, key, count, many, err));
      if (*many) {
        return DPERM_OK;
      }
      which = n->count;
    }
    indexes[i] = (uint16_t)(which - 1);
  }
  return DPERM_OK;
}

/* The indexes behind the values, in one piece of memory. */
static dperm_status pack_indexes(const double *values, size_t different, const uint16_t *indexes,
                                 size_t count, packed_column *out, dperm_error *err) {
  uint32_t width = different <= 1 ? 0 : different <= 256 ? 1 : 2;
  size_t size = different * sizeof *values;
  unsigned char *bytes = NULL;
  TRY(memory_raw(size + count * width, 1, &bytes, err));
  memcpy(bytes, values, size);
  for (size_t i = 0; width == 1 && i < count; i++) {
    bytes[size + i] = (unsigned char)indexes[i];
  }
  if (width == 2) {
    memcpy(bytes + size, indexes, count * sizeof *indexes);
  }
  *out = (packed_column){(uint32_t)different, width, (const double *)(const void *)bytes,
                         bytes + size};
  return DPERM_OK;
}

dperm_status column_pack(const double *cells, size_t count, packed_column *out, dperm_error *err) {
  OWNED(numbers_free) numbers n = {0};
  uint16_t indexes[TABLE_PAGE];
  bool many = false;
  TRY(find_indexes(cells, count, &n, indexes, &many, err));
  if (!many) {
    return pack_indexes(n.values, n.count, indexes, count, out, err);
  }
  double *values = NULL;
  TRY(memory_raw(count, sizeof *values, &values, err));
  memcpy(values, cells, count * sizeof *values);
  *out = (packed_column){(uint32_t)count, 8, values, NULL};
  return DPERM_OK;
}
