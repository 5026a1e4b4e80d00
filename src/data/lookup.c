/* A hash table with open addressing. The hash is not keyed: tables hold the schema's own
 * texts, and what is looked up in them never enters. A schema's draft alone puts values of (public)
 * records in, a few thousand at most. */
#include "data/lookup.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Its two ends, eight bytes each or fewer that overlap, mixed by a multiplication. Long texts that
 * differ in the middle only share a chain, which costs time and nothing else. */
static size_t hash_of(slice text) {
  uint64_t head = 0, tail = 0;
  size_t length = text.length, some = length < 8 ? length : 8;
  if (some >= 4) { /* copies of known size are single loads */
    uint32_t first = 0, last = 0;
    memcpy(&first, text.start, 4);
    memcpy(&last, text.start + some - 4, 4);
    head = first | (uint64_t)last << 32;
    memcpy(&first, text.start + length - some, 4);
    memcpy(&last, text.start + length - 4, 4);
    tail = first | (uint64_t)last << 32;
  } else {
    for (size_t i = 0; i < some; i++) {
      head = head << 8 | (unsigned char)text.start[i];
    }
  }
  uint64_t hash = (head ^ length * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
  hash = (hash ^ hash >> 32 ^ tail) * UINT64_C(0xc4ceb9fe1a85ec53);
  return (size_t)(hash ^ hash >> 32);
}

/* Where the text is, or the free place where it would go. There is always a free place. */
static size_t place_of(const lookup *table, slice text) {
  size_t at = hash_of(text) & (table->capacity - 1);
  while (table->places[at].text &&
         !slice_equal((slice){table->places[at].text, table->places[at].length}, text)) {
    at = (at + 1) & (table->capacity - 1);
  }
  return at;
}

static dperm_status grow(lookup *table, dperm_error *err) {
  lookup larger = *table;
  larger.capacity = table->capacity ? 2 * table->capacity : 16;
  TRY(memory_new(larger.capacity, sizeof *larger.places, &larger.places, err));
  for (size_t i = 0; i < table->capacity; i++) {
    const lookup_entry *entry = &table->places[i];
    if (entry->text) {
      larger.places[place_of(&larger, (slice){entry->text, entry->length})] = *entry;
    }
  }
  free(table->places);
  *table = larger;
  return DPERM_OK;
}

dperm_status lookup_add(lookup *table, slice text, int32_t value, bool *added, dperm_error *err) {
  if (2 * (table->count + 1) > table->capacity) {
    TRY(grow(table, err));
  }
  lookup_entry *entry = &table->places[place_of(table, text)];
  *added = entry->text == NULL;
  if (*added) {
    TRY(memory_copy_text(text.start, text.length, &entry->text, err));
    entry->length = text.length;
    entry->value = value;
    unsigned char first = text.length > 0 ? (unsigned char)text.start[0] : 0;
    table->lengths |= UINT64_C(1) << (text.length < 63 ? text.length : 63);
    table->firsts[first >> 6] |= UINT64_C(1) << (first & 63);
    table->count++;
  }
  return DPERM_OK;
}

int32_t lookup_find(const lookup *table, slice text) {
  if (!lookup_may_hold(table, text)) {
    return LOOKUP_NONE; /* most texts, in most tables */
  }
  const lookup_entry *entry = &table->places[place_of(table, text)];
  return entry->text ? entry->value : LOOKUP_NONE;
}

void lookup_clear(lookup *table) {
  for (size_t i = 0; i < table->capacity; i++) {
    free(table->places[i].text);
  }
  free(table->places);
  *table = (lookup){0};
}
