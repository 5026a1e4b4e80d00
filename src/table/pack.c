/* A column of a page, packed as its cells come: its different numbers in the order of their first
 * records, told apart by their bits, and an index for each record. Small whole numbers, such as
 * codes, find theirs in a list, others by hashing. Where more than half of the records have numbers
 * of their own, the numbers stay as they are. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "table/table.h"

enum { MOST = TABLE_PAGE / 2, PLACES = 2 * MOST, SMALL = 1 << 10 };

struct column_packer {
  size_t cells, different;
  double *each;          /* every cell, once there are more than MOST different ones */
  uint64_t keys[MOST];   /* the bits of the different numbers; index + 1, or 0 for a free place, */
  uint16_t small[SMALL]; /* of whole numbers below SMALL, */
  uint16_t *places;      /* and of others, by open addressing, once there is one */
  uint16_t indexes[TABLE_PAGE];
};

dperm_status packer_new(column_packer **out, dperm_error *err) {
  TRY(memory_raw(1, sizeof **out, out, err)); /* of which a column may need little */
  (*out)->cells = (*out)->different = 0;
  (*out)->each = NULL;
  (*out)->places = NULL;
  memset((*out)->small, 0, sizeof(*out)->small);
  return DPERM_OK;
}

void packer_free(column_packer *p) {
  if (p) {
    free(p->each);
    free(p->places);
    free(p);
  }
}

static uint64_t bits_of(double cell) {
  uint64_t bits = 0;
  memcpy(&bits, &cell, sizeof bits);
  return bits;
}

/* The place of a small whole number, or NULL. */
static uint16_t *small_place(column_packer *p, double cell) {
  const bool is_near = cell >= 0 && cell < SMALL;
  const int whole = is_near ? (int)cell : 0;
  return bits_of((double)whole) == bits_of(cell) ? &p->small[whole] : NULL;
}

static dperm_status place_for(column_packer *p, double cell, uint16_t **out, dperm_error *err) {
  const uint64_t key = bits_of(cell);
  *out = small_place(p, cell);
  if (*out) {
    return DPERM_OK;
  }
  if (!p->places) {
    TRY(memory_new(PLACES, sizeof *p->places, &p->places, err));
  }
  /* the low bits of most numbers are zeros, so the high ones have to come down first */
  size_t at = (size_t)((key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % PLACES;
  while (p->places[at] && p->keys[p->places[at] - 1] != key) {
    at = (at + 1) % PLACES;
  }
  *out = &p->places[at];
  return DPERM_OK;
}

/* The cells so far, each by itself. */
static dperm_status spread_out(column_packer *p, dperm_error *err) {
  TRY(memory_raw(TABLE_PAGE, sizeof *p->each, &p->each, err));
  for (size_t i = 0; i < p->cells; i++) {
    memcpy(&p->each[i], &p->keys[p->indexes[i]], sizeof *p->each);
  }
  return DPERM_OK;
}

/* The cells up to the first that is not a small number seen before. Records that are alike often
 * stand together. */
static size_t add_small(column_packer *p, const double *cells, size_t count) {
  size_t i = 0;
  uint16_t *to = p->indexes + p->cells;
  while (i < count) {
    const uint64_t key = bits_of(cells[i]);
    const uint16_t *place = small_place(p, cells[i]);
    if (!place || !*place) {
      break;
    }
    const uint16_t index = (uint16_t)(*place - 1);
    do {
      to[i] = index;
    } while (++i < count && bits_of(cells[i]) == key);
  }
  p->cells += i;
  return i;
}

/* One cell, and those like it behind it: records that are alike often stand together. */
static dperm_status add_alike(column_packer *p, const double *cells, size_t count, size_t *added,
                              dperm_error *err) {
  const uint64_t key = bits_of(cells[0]);
  uint16_t *place = NULL;
  size_t i = 0;
  TRY(place_for(p, cells[0], &place, err));
  if (!*place && p->different == MOST) {
    return spread_out(p, err);
  }
  if (!*place) {
    p->keys[p->different] = key;
    *place = (uint16_t)++p->different;
  }
  for (uint16_t *to = p->indexes + p->cells; i < count && bits_of(cells[i]) == key; i++) {
    to[i] = (uint16_t)(*place - 1);
  }
  p->cells += i;
  *added += i;
  return DPERM_OK;
}

dperm_status packer_add(column_packer *p, const double *cells, size_t count, dperm_error *err) {
  size_t i = 0;
  while (i < count && !p->each) {
    i += add_small(p, cells + i, count - i);
    if (i < count) {
      TRY(add_alike(p, cells + i, count - i, &i, err));
    }
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
  memset(p->small, 0, sizeof p->small);
  if (p->places) {
    memset(p->places, 0, PLACES * sizeof *p->places);
  }
  p->cells = p->different = 0;
  return DPERM_OK;
}
