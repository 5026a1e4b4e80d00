/* An encoded file in memory, changed by hand: all its sums made right again, so that what stands
 * behind the sums is tried too. Sizes that make no sense are left as they are. */
#ifndef DPERM_TESTS_FUZZ_ENCODED_SEAL_H
#define DPERM_TESTS_FUZZ_ENCODED_SEAL_H

#include <stddef.h>
#include <string.h>

#include "read/encoded_format.h"

static inline uint32_t seal_of(uint32_t before, const unsigned char *bytes, size_t size) {
  return encoded_sum(before, bytes, size);
}

/* The number of bytes in block `seen` of an array. */
static inline size_t sealed_block_size(const encoded_trailer *t, encoded_array array, size_t seen) {
  uint64_t numbers = array == ENCODED_STARTS   ? t->rows + 1
                     : array == ENCODED_LABELS ? t->rows
                                               : t->entries;
  uint64_t each = encoded_block_numbers(array), left = numbers - seen * each;
  return (size_t)(left < each ? left : each) * encoded_number_size(array);
}

static inline void encoded_seal(unsigned char *bytes, size_t size) {
  encoded_header h;
  encoded_trailer t;
  size_t seen[ENCODED_ARRAYS] = {0};
  if (size < sizeof h + sizeof t) {
    return;
  }
  memcpy(&h, bytes, sizeof h);
  memcpy(&t, bytes + size - sizeof t, sizeof t);
  if (h.schema_length <= size - sizeof h) {
    h.check = seal_of(seal_of(0, bytes, offsetof(encoded_header, check)), bytes + sizeof h,
                      (size_t)h.schema_length);
    memcpy(bytes, &h, sizeof h);
  }
  if (t.directory <= size && t.blocks <= (size - t.directory) / sizeof(encoded_block)) {
    for (size_t b = 0; b < t.blocks; b++) {
      unsigned char *place = bytes + t.directory + b * sizeof(encoded_block);
      encoded_block block;
      memcpy(&block, place, sizeof block);
      if (block.array >= ENCODED_ARRAYS || block.offset > size) {
        continue;
      }
      size_t length = sealed_block_size(&t, (encoded_array)block.array, seen[block.array]++);
      if (length <= size - block.offset) {
        block.check = seal_of(0, bytes + block.offset, length);
        memcpy(place, &block, sizeof block);
      }
    }
    t.directory_check = seal_of(0, bytes + t.directory, (size_t)t.blocks * sizeof(encoded_block));
    t.directory_check = seal_of(t.directory_check, (const unsigned char *)&h.check, sizeof h.check);
  }
  memcpy(bytes + size - sizeof t, &t, sizeof t);
  t.check = seal_of(0, bytes + size - sizeof t, offsetof(encoded_trailer, check));
  memcpy(bytes + size - sizeof t, &t, sizeof t);
}

#endif
