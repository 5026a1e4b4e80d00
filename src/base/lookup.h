/* From a text to a small number: which category a value is. */
#pragma once

#include "base/status.h"
#include "base/text.h"

enum { LOOKUP_NONE = -1 };

/* The first and last bytes of a text as numbers, to tell most texts apart. */
typedef struct lookup_ends {
  uint64_t head, tail;
} lookup_ends;

typedef struct lookup_entry {
  char *text; /* owned; NULL marks a free place */
  size_t length;
  lookup_ends ends;
  int32_t value;
} lookup_entry;

/* Zeroed is empty. */
typedef struct lookup {
  lookup_entry *places; /* open addressing, a power of two of them */
  size_t capacity, count;
  uint64_t lengths;   /* a bit for each length that a text has, 63 and more in one */
  uint64_t firsts[4]; /* a bit for each first byte */
} lookup;

/* `*added` is false if the text was there already (and keeps its old value). */
dperm_status lookup_add(lookup *table, slice text, int32_t value, bool *added, dperm_error *err);
/* LOOKUP_NONE if it is not there. */
int32_t lookup_find(const lookup *table, slice text);
void lookup_clear(lookup *table);
