/* A hash table with open addressing. The hash (FNV-1a) is not keyed: tables hold the schema's own
 * texts, and what is looked up in them never enters. A schema's draft alone puts values of (public)
 * records in, a few thousand at most. */
#include "data/lookup.h"

#include <stdlib.h>

#include "base/memory.h"

static size_t hash_of(slice text) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < text.length; i++) {
    hash = (hash ^ (unsigned char)text.start[i]) * UINT64_C(0x100000001b3);
  }
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
  lookup larger = {NULL, table->capacity ? 2 * table->capacity : 16, table->count};
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
    table->count++;
  }
  return DPERM_OK;
}

int32_t lookup_find(const lookup *table, slice text) {
  if (!table->capacity) {
    return LOOKUP_NONE;
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
