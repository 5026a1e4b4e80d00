/* A hash table with open addressing. The hash is not keyed: tables hold the schema's own
 * texts, and what is looked up in them never enters. A schema's draft alone puts values of (public)
 * records in, a few thousand at most. */
#include "base/lookup.h"

#include "base/memory.h"

/* A text's two ends, eight bytes each or fewer that overlap: all of it up to sixteen. */
static lookup_ends ends_of(slice text) {
  lookup_ends ends = {0, 0};
  size_t length = text.length;
  if (length >= 8) { /* copies of known size are single loads */
    memcpy(&ends.head, text.start, 8);
    memcpy(&ends.tail, text.start + length - 8, 8);
  } else if (length >= 4) {
    uint32_t first = 0, last = 0;
    memcpy(&first, text.start, 4);
    memcpy(&last, text.start + length - 4, 4);
    ends.head = first | (uint64_t)last << 32;
  } else {
    for (size_t i = 0; i < length; i++) {
      ends.head = ends.head << 8 | (unsigned char)text.start[i];
    }
  }
  return ends;
}

/* Long texts that differ in the middle only share a chain, which costs time and nothing else. */
static size_t hash_of(lookup_ends ends, size_t length) {
  uint64_t hash =
      (ends.head ^ length * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
  hash = (hash ^ hash >> 32 ^ ends.tail) * UINT64_C(0xc4ceb9fe1a85ec53);
  return (size_t)(hash ^ hash >> 32);
}

static bool is_text(const lookup_entry *entry, slice text, lookup_ends ends) {
  return entry->length == text.length && entry->ends.head == ends.head &&
         entry->ends.tail == ends.tail &&
         (text.length <= 16 || memcmp(entry->text, text.start, text.length) == 0);
}

/* Where the text is, or the free place where it would go. There is always a free place. */
static size_t place_of(const lookup *table, slice text, lookup_ends ends) {
  size_t at = hash_of(ends, text.length) & (table->capacity - 1);
  while (table->places[at].text && !is_text(&table->places[at], text, ends)) {
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
      slice text = {entry->text, entry->length};
      larger.places[place_of(&larger, text, entry->ends)] = *entry;
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
  lookup_ends ends = ends_of(text);
  lookup_entry *entry = &table->places[place_of(table, text, ends)];
  *added = entry->text == NULL;
  if (*added) {
    TRY(memory_copy_text(text.start, text.length, &entry->text, err));
    entry->length = text.length;
    entry->ends = ends;
    entry->value = value;
    unsigned char first = text.length > 0 ? (unsigned char)text.start[0] : 0;
    table->lengths |= UINT64_C(1) << (text.length < 63 ? text.length : 63);
    table->firsts[first >> 6] |= UINT64_C(1) << (first & 63);
    table->count++;
  }
  return DPERM_OK;
}

int32_t lookup_find(const lookup *table, slice text) {
  size_t length = text.length < 63 ? text.length : 63;
  unsigned char first = text.length > 0 ? (unsigned char)text.start[0] : 0;
  if (!(table->lengths >> length & table->firsts[first >> 6] >> (first & 63) & 1)) {
    return LOOKUP_NONE; /* most texts, in most tables */
  }
  const lookup_entry *entry = &table->places[place_of(table, text, ends_of(text))];
  return entry->text ? entry->value : LOOKUP_NONE;
}

void lookup_clear(lookup *table) {
  for (size_t i = 0; i < table->capacity; i++) {
    free(table->places[i].text);
  }
  free(table->places);
  *table = (lookup){0};
}
