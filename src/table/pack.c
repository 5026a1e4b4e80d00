/* A column of a page, packed as its cells come: its different numbers in the order of their first
 * records, told apart by their bits, and an index for each record. Where more than half of the
 * records have numbers of their own, the numbers stay as they are. */

#include "base/memory.h"
#include "table/table.h"

enum { MOST = TABLE_PAGE / 2, PLACES = 2 * MOST };

struct column_packer {
  size_t cells, different;
  double *each;            /* every cell, once there are more than MOST different ones */
  uint64_t keys[MOST];     /* the bits of the different numbers, */
  uint16_t place_of[MOST]; /* where they stand in */
  uint16_t places[PLACES]; /* open addressing: index + 1, 0 for a free place */
  uint16_t indexes[TABLE_PAGE];
};

dperm_status packer_new(column_packer **out, dperm_error *err) {
  TRY(memory_raw(1, sizeof **out, out, err)); /* of which a column may need little */
  (*out)->cells = (*out)->different = 0;
  (*out)->each = NULL;
  memset((*out)->places, 0, sizeof(*out)->places);
  return DPERM_OK;
}

void packer_free(column_packer *p) {
  if (p) {
    free(p->each);
    free(p);
  }
}

static size_t place_for(const column_packer *p, uint64_t key) {
  /* the low bits of most numbers are zeros, so the high ones have to come down first */
  size_t at = (size_t)((key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % PLACES;
  while (p->places[at] && p->keys[p->places[at] - 1] != key) {
    at = (at + 1) % PLACES;
  }
  return at;
}

/* The cells so far, each by itself. */
static dperm_status spread_out(column_packer *p, dperm_error *err) {
  TRY(memory_raw(TABLE_PAGE, sizeof *p->each, &p->each, err));
  for (size_t i = 0; i < p->cells; i++) {
    memcpy(&p->each[i], &p->keys[p->indexes[i]], sizeof *p->each);
  }
  return DPERM_OK;
}

static uint64_t bits_of(double cell) {
  uint64_t bits = 0;
  memcpy(&bits, &cell, sizeof bits);
  return bits;
}

dperm_status packer_add(column_packer *p, const double *cells, size_t count, dperm_error *err) {
  size_t i = 0;
  while (i < count && !p->each) {
    const uint64_t key = bits_of(cells[i]);
    const size_t at = place_for(p, key);
    if (!p->places[at] && p->different == MOST) {
      TRY(spread_out(p, err));
      break;
    }
    if (!p->places[at]) {
      p->keys[p->different] = key;
      p->place_of[p->different] = (uint16_t)at;
      p->places[at] = (uint16_t)++p->different;
    }
    const uint16_t index = (uint16_t)(p->places[at] - 1);
    uint16_t *to = p->indexes + p->cells;
    const size_t first = i;
    do { /* records that are alike often stand together */
      *to++ = index;
    } while (++i < count && bits_of(cells[i]) == key);
    p->cells += i - first;
  }
  if (i < count) {
    memcpy(p->each + p->cells, cells + i, (count - i) * sizeof *cells);
    p->cells += count - i;
  }
  return DPERM_OK;
}

/* The indexes behind the numbers, in one piece of memory. */
static dperm_status pack_indexes(const column_packer *p, packed_column *out, dperm_error *err) {
  const uint32_t width = p->different <= 1 ? 0 : p->different <= 256 ? 1 : 2;
  const size_t size = p->different * sizeof *p->keys;
  unsigned char *bytes = NULL;
  TRY(memory_raw(size + p->cells * width, 1, &bytes, err));
  memcpy(bytes, p->keys, size);
  for (size_t i = 0; width == 1 && i < p->cells; i++) {
    bytes[size + i] = (unsigned char)p->indexes[i];
  }
  if (width == 2) {
    memcpy(bytes + size, p->indexes, p->cells * sizeof *p->indexes);
  }
  *out = (packed_column){(uint32_t)p->different, width, (const double *)(const void *)bytes,
                         bytes + size};
  return DPERM_OK;
}

dperm_status packer_end(column_packer *p, packed_column *out, dperm_error *err) {
  const bool many = p->different > 1 && 2 * p->different > p->cells + 1;
  if (!p->each && many) {
    TRY(spread_out(p, err));
  }
  if (p->each) {
    *out = (packed_column){(uint32_t)p->cells, 8, p->each, NULL};
    p->each = NULL;
  } else {
    TRY(pack_indexes(p, out, err));
  }
  for (size_t i = 0; i < p->different; i++) {
    p->places[p->place_of[i]] = 0;
  }
  p->cells = p->different = 0;
  return DPERM_OK;
}
